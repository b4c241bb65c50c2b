// SPDX-License-Identifier: Apache-2.0
// bench/text_table.h -- tables of text, with columns that line up.

#pragma once

#include <string>
#include <vector>

namespace tamis::bench {

using Cells = std::vector<std::string>;

// Returns the rows as lines.  Columns are as wide as their widest cell and
// right-aligned, except for the first.  A row of one cell is a heading, which
// widens no column.
std::string Aligned(const std::vector<Cells>& rows);

}  // namespace tamis::bench
