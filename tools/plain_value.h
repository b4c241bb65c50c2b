// SPDX-License-Identifier: Apache-2.0
// plain_value.h -- converts values from text to Parquet's plain encoding, by
// which its filters are queried: numbers little-endian, text unchanged.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::tools {

enum class ValueType { kBytes, kInt32, kInt64, kFloat, kDouble };

// Returns the values of --type, in the order of the enumeration.
std::vector<std::string_view> ValueTypeNames();
std::string_view NameOf(ValueType type);
std::optional<ValueType> ValueTypeNamed(std::string_view name);

// Returns the type for Parquet's physical type ("INT64"); nothing for those
// that are not supported here.
std::optional<ValueType> ValueTypeOf(std::string_view physical_type);

// Appends the bytes of the value; false, with *out unchanged, if the text is
// not a value of that type.  Integers may be signed or unsigned: -1 and
// 4294967295
// are the same four bytes.
bool AppendPlain(ValueType type, std::string_view text, std::string* out);

// Returns why AppendPlain() refuses it: "'x' is not an int32".
std::string PlainProblem(ValueType type, std::string_view text);

}  // namespace tamis::tools
