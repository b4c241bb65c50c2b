// SPDX-License-Identifier: Apache-2.0
// pair_text.h -- keys and values as text: on one line, and in JSON.

#pragma once

#include <string>
#include <string_view>

#include "json.h"
#include "tamis/slice.h"

namespace tamis::tools {

// Appends `bytes` so that they stay on one line and hold no tab: a newline, a
// tab, a carriage return and a backslash are written \n, \t, \r and \\, other
// control characters (those of Unicode, too) \xNN.  In bytes that are not UTF-8
// every byte above 0x7e is written \xNN, so that the text is always UTF-8.
void AppendEscaped(Slice bytes, std::string* out);
std::string Escaped(Slice bytes);

// Appends the bytes of the escaped `text`.  False: a backslash does not start
// one of the escapes above; *out is then unspecified.
bool Unescape(std::string_view text, std::string* out);
// Returns why Unescape() refuses `text`; empty if it does not.
std::string EscapeProblem(std::string_view text);

// Sets object[name], or object[name_hex] if `hex` is set or the bytes are not
// UTF-8: JSON has no byte strings.
void SetBytes(Json* object, const std::string& name, Slice bytes, bool hex);

}  // namespace tamis::tools
