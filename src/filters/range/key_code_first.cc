// SPDX-License-Identifier: Apache-2.0
// From a code back to keys: the code of a key is the start of its interval, so
// each byte is the first whose interval reaches the code.

#include <string>

#include "filters/range/key_coder.h"

namespace tamis {
namespace {

// Bytes after the prefix.  Beyond, a context that gives a byte the whole
// interval could go on for ever.
constexpr std::size_t kMaxBytes = 512;

enum class Found {
  kFirst,    // *key is the first that reaches the code
  kNotWith,  // no key that begins with *key does, and the next ones do
  kOnTheWay  // keys that begin with *key do, or the next ones
};

template <RangeContext kContext>
Found WalkTo(const KeyCode& code, std::uint64_t target, std::string* key) {
  KeyCoder<kContext> coder(code);
  const std::size_t most = key->size() + kMaxBytes;
  while (coder.code() < target) {
    if (coder.is_done()) return Found::kNotWith;
    if (key->size() == most) return Found::kOnTheWay;
    const std::uint8_t byte = coder.ByteTowards(target);
    key->push_back(static_cast<char>(byte));
    coder.PushByte(byte);
  }
  return Found::kFirst;
}

// Makes *key the first string after all that begin with it.  False: there is
// none that shares its first `keep` bytes.
bool MakeSuccessor(std::size_t keep, std::string* key) {
  while (key->size() > keep && key->back() == '\xff') key->pop_back();
  if (key->size() == keep) return false;
  key->back() = static_cast<char>(key->back() + 1);
  return true;
}

}  // namespace

bool KeyCode::FirstKeyWith(std::uint64_t code, Rounding rounding,
                           std::string* key) const {
  key->assign(prefix_);
  const Found found = WithContext(context_, [&]<RangeContext kContext>() {
    return WalkTo<kContext>(*this, code, key);
  });
  if (found == Found::kFirst) return true;
  if (found == Found::kOnTheWay && rounding == Rounding::kDown) return true;
  return MakeSuccessor(prefix_.size(), key);
}

}  // namespace tamis
