// SPDX-License-Identifier: Apache-2.0
#include "base/key_prefix.h"

namespace tamis {
namespace {

// Nothing, too, if the extractor throws, or if its prefix is not one by its own
// rule.
std::optional<Slice> UsablePrefixOf(const PrefixExtractor& extractor,
                                    Slice key) {
  try {
    const std::optional<Slice> prefix = ExtractPrefix(extractor, key);
    if (!prefix || ExtractPrefix(extractor, *prefix) != prefix) {
      return std::nullopt;
    }
    return prefix;
  } catch (...) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> EndOfPrefix(Slice prefix) {
  while (prefix.ends_with('\xff')) prefix.remove_suffix(1);
  if (prefix.empty()) return std::nullopt;
  std::string end(prefix);
  ++end.back();
  return end;
}

std::optional<Slice> PrefixOfRange(const PrefixExtractor& extractor, Slice from,
                                   const Slice* end) {
  const std::optional<Slice> prefix = UsablePrefixOf(extractor, from);
  if (!prefix) return std::nullopt;
  if (end != nullptr && end->starts_with(*prefix)) return prefix;
  const std::optional<std::string> end_of_prefix = EndOfPrefix(*prefix);
  if (!end_of_prefix) return prefix;  // all keys from there on start with it
  return end != nullptr && *end <= *end_of_prefix ? prefix : std::nullopt;
}

std::optional<Slice> PrefixOfClosedRange(const PrefixExtractor& extractor,
                                         Slice first, Slice last) {
  const std::optional<Slice> prefix = UsablePrefixOf(extractor, first);
  return prefix && last.starts_with(*prefix) ? prefix : std::nullopt;
}

std::optional<Slice> PrefixWalk::Next(Slice key) {
  const std::optional<Slice> prefix = ExtractPrefix(extractor_, key);
  // What starts with a prefix has it: so those of one prefix are neighbours.
  if (!last_.empty() && key.starts_with(last_)) {
    if (!prefix || *prefix != last_) is_valid_ = false;
    return std::nullopt;
  }
  if (!prefix) return std::nullopt;
  last_.assign(*prefix);
  if (prefix->size() == key.size()) return std::nullopt;
  if (ExtractPrefix(extractor_, *prefix) != prefix) is_valid_ = false;
  return prefix;
}

}  // namespace tamis
