// SPDX-License-Identifier: Apache-2.0
// base/named_lines.h -- parses and writes lines "name = value".

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

// Returns nothing if a line is malformed or repeats a name, if the last one
// does not end in a newline, or if there are more than 256.
std::optional<std::vector<NamedLine>> ParseNamedLines(Slice text);

// REQUIRES: ParseNamedLines() accepts the line
void AppendNamedLine(std::string* text, std::string_view name,
                     std::string_view value);

// Returns the value in a form that is valid in a line: other characters become
// '?', and a long value is truncated.
std::string FitForALine(std::string_view value);

// Returns the value of the line of that name, or null.
const std::string* FindLine(const std::vector<NamedLine>& lines,
                            std::string_view name) noexcept;

}  // namespace tamis
