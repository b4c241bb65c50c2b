// SPDX-License-Identifier: Apache-2.0
// key_files.h -- reads keys from one file after the other.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "console.h"
#include "key_reader.h"
#include "progress.h"

namespace tamis::tools {

struct KeyFiles {
  std::vector<std::string> paths;  // "-" or no path: standard input
  KeySyntax syntax;
  std::string_view what = "keys";  // what messages call them

  bool reads_standard_input() const;
};

// Called with the keys that were read last; an error ends the reading.
using UseKeys = std::function<Status(const KeyReader& batch)>;

// Passes all keys to `use`, file after file, and shows progress.  Before the
// first key is read, checks that every named file exists.  Flushes the
// console's output before it waits for input.
// Fails as FileSource::Open(), KeyReader::Next() and `use` do.
Status ReadKeyFiles(const KeyFiles& files, std::string_view command,
                    const Console& console, Progress* progress,
                    const UseKeys& use);

}  // namespace tamis::tools
