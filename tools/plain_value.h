// SPDX-License-Identifier: Apache-2.0
// plain_value.h -- values written as text, as bytes of the plain encoding that
// Parquet's filters are asked for: numbers little-endian, text as it is.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::tools {

enum class ValueType { kBytes, kInt32, kInt64, kFloat, kDouble };

// What --type takes, in the order of the enumeration.
std::vector<std::string_view> ValueTypeNames();
std::string_view NameOf(ValueType type);
std::optional<ValueType> ValueTypeNamed(std::string_view name);

// The type that values of Parquet's physical type ("INT64") are written in;
// nothing for those that have no text here.
std::optional<ValueType> ValueTypeOf(std::string_view physical_type);

// Appends the bytes of the value; false, and *out as it was, if the text is
// none of that type.  Integers may be signed or unsigned: -1 and 4294967295
// are the same four bytes.
bool AppendPlain(ValueType type, std::string_view text, std::string* out);

// Why AppendPlain() refuses: "'x' is not an int32".
std::string PlainProblem(ValueType type, std::string_view text);

}  // namespace tamis::tools
