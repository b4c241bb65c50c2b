// SPDX-License-Identifier: Apache-2.0
#include "pair_text.h"

#include <algorithm>
#include <cstddef>

#include <fmt/core.h>

#include "key_reader.h"
#include "text.h"

namespace tamis::tools {
namespace {

constexpr std::string_view kLetters = "ntr\\";
constexpr std::string_view kMeanings = "\n\t\r\\";

// Characters of the escape "\xNN".
constexpr std::size_t kHexEscape = 4;

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

bool IsAbove7e(char c) { return static_cast<unsigned char>(c) > 0x7e; }

bool NeedsNoEscape(char c) { return !IsControl(c) && c != '\\'; }

// Appends text[at].
void AppendOne(std::string_view text, std::size_t at, bool is_utf8,
               std::string* out) {
  const char c = text[at];
  if (NeedsNoEscape(c) && (is_utf8 || !IsAbove7e(c)) &&
      !SteersTerminal(text, at, is_utf8)) {
    *out += c;
    return;
  }
  *out += '\\';
  const std::size_t letter = kMeanings.find(c);
  if (letter != std::string_view::npos) {
    *out += kLetters[letter];
  } else {
    *out += 'x';
    *out += ToHex({&c, 1});
  }
}

// Appends the byte of the escape at the start of `text` and returns its length;
// 0: it is not an escape.  REQUIRES: text starts with a backslash
std::size_t TakeEscape(std::string_view text, std::string* out) {
  if (text.size() < 2) return 0;
  const std::size_t at = kLetters.find(text[1]);
  if (at != std::string_view::npos) {
    *out += kMeanings[at];
    return 2;
  }
  if (text[1] != 'x' || text.size() < kHexEscape) return 0;
  return DecodeHex(text.substr(2, 2), out) ? kHexEscape : 0;
}

// Returns the position of the first backslash that does not start an escape;
// the text's end if there is none.
std::size_t Decode(std::string_view text, std::string* out) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t plain_end = std::min(text.find('\\', at), text.size());
    *out += text.substr(at, plain_end - at);
    at = plain_end;
    if (at == text.size()) break;
    const std::size_t length = TakeEscape(text.substr(at), out);
    if (length == 0) break;
    at += length;
  }
  return at;
}

}  // namespace

void AppendEscaped(Slice bytes, std::string* out) {
  const bool is_ascii = std::none_of(bytes.begin(), bytes.end(), IsAbove7e);
  if (is_ascii && std::all_of(bytes.begin(), bytes.end(), NeedsNoEscape)) {
    *out += bytes;
    return;
  }
  const bool is_utf8 = is_ascii || IsUtf8(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    AppendOne(bytes, i, is_utf8, out);
  }
}

std::string Escaped(Slice bytes) {
  std::string text;
  AppendEscaped(bytes, &text);
  return text;
}

bool Unescape(std::string_view text, std::string* out) {
  return Decode(text, out) == text.size();
}

std::string EscapeProblem(std::string_view text) {
  std::string ignored;
  const std::size_t at = Decode(text, &ignored);
  if (at == text.size()) return "";
  const std::size_t length =
      text.substr(at).starts_with("\\x") ? kHexEscape : 2;
  return fmt::format(
      "'{}' is no escape; there are \\n, \\t, \\r, \\xNN, and \\\\ for a "
      "backslash",
      Escaped(text.substr(at + 1, length - 1)).insert(0, "\\"));
}

void SetBytes(Json* object, const std::string& name, Slice bytes, bool hex) {
  if (hex || !IsUtf8(bytes)) {
    (*object)[name + "_hex"] = ToHex(bytes);
  } else {
    (*object)[name] = bytes;
  }
}

}  // namespace tamis::tools
