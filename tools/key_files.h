// SPDX-License-Identifier: Apache-2.0
// key_files.h -- keys out of one file after the other.

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
  std::vector<std::string> paths;  // "-" is standard input, and so is none
  KeySyntax syntax;
  std::string_view what = "keys";  // what messages call them

  bool reads_standard_input() const;
};

// Takes the keys that were read last; what is not Ok ends the reading.
using UseKeys = std::function<Status(const KeyReader& batch)>;

// Gives all keys to `use`, file after file, and shows how far it has come.
// Before the first key is read, every file that has a name is looked for: what
// is missing is found out at once.  While it waits for input, nothing stays in
// the console's output.
// Fails as FileSource::Open(), KeyReader::Next() and `use` do.
Status ReadKeyFiles(const KeyFiles& files, std::string_view command,
                    const Console& console, Progress* progress,
                    const UseKeys& use);

}  // namespace tamis::tools
