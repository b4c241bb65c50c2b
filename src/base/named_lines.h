// SPDX-License-Identifier: Apache-2.0
// base/named_lines.h -- text of lines "name = value", for people and programs.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/slice.h"

namespace tamis {

struct NamedLine {
  std::string name;   // of a-z, 0-9 and '_'
  std::string value;  // not empty; without control characters
};

// Nothing: some line is none of these, its name was there before, the last one
// does not end in a newline, or there are more than 256.
std::optional<std::vector<NamedLine>> ParseNamedLines(Slice text);

// REQUIRES: ParseNamedLines() would take the line
void AppendNamedLine(std::string* text, std::string_view name,
                     std::string_view value);

// The value as a line can have it: what it cannot becomes '?', and what is too
// long is cut.
std::string FitForALine(std::string_view value);

// Null: there is none of that name.
const std::string* FindLine(const std::vector<NamedLine>& lines,
                            std::string_view name) noexcept;

}  // namespace tamis
