// SPDX-License-Identifier: Apache-2.0
// Runs a line of shell in a directory of its own, with the real `tamis` first
// on the PATH.

#pragma once

#include <string>
#include <string_view>

namespace tamis::tools {

struct ProcessResult {
  int code = -1;  // 128 + N if signal N ended it, as shells count
  std::string out;
  std::string err;
};

ProcessResult Shell(const std::string& directory, std::string_view line);

}  // namespace tamis::tools
