// SPDX-License-Identifier: Apache-2.0
// sstable/open_files.h -- which process has the files of a directory open, for
// engines that lock nothing.

#pragma once

#include <string>

namespace tamis {

// Returns a sentence about another process that has a file of that directory
// open or mapped, or "".  Processes of other users are seen by root alone, and
// those of other machines by nobody.
std::string DescribeOpenFile(const std::string& dir);

}  // namespace tamis
