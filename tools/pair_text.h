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
// control characters (those of Unicode, too) \xNN.  Of what is not UTF-8 every
// byte above 0x7e is written \xNN, so that the text is UTF-8 always.
void AppendEscaped(Slice bytes, std::string* out);
std::string Escaped(Slice bytes);

// Appends the bytes that `text` stands for; those that need no escape may
// stand for themselves.  False: a backslash that begins none of the escapes
// above; *out is then of no use.
bool Unescape(std::string_view text, std::string* out);
// Why Unescape() refuses `text`; empty if it does not.
std::string EscapeProblem(std::string_view text);

// Sets object[name], or object[name_hex] if `hex` is set or the bytes are not
// UTF-8: JSON knows no bytes.
void SetBytes(Json* object, const std::string& name, Slice bytes, bool hex);

}  // namespace tamis::tools
