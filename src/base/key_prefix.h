// SPDX-License-Identifier: Apache-2.0
// base/key_prefix.h -- what prefixes of keys (tamis/prefix.h) say of sorted
// keys, and of ranges of keys that are ordered by their bytes.

#pragma once

#include <optional>
#include <string>

#include "tamis/prefix.h"
#include "tamis/slice.h"

namespace tamis {

// Returns the prefix of the key, a leading part of it that is not empty.
// Nothing: it has none.  Throws what the extractor throws.
inline std::optional<Slice> ExtractPrefix(const PrefixExtractor& extractor,
                                          Slice key) {
  const std::optional<std::size_t> length = extractor.PrefixLength(key);
  if (!length || *length == 0 || *length > key.size()) return std::nullopt;
  return key.substr(0, *length);
}

// Returns the first key after all that start with `prefix`; nothing if there is
// none.
std::optional<std::string> EndOfPrefix(Slice prefix);

// Returns the prefix that every key has that is at or after `from` and before
// `end`; `end` null: there is no such bound.  Nothing: they may have several,
// or none, or the extractor throws.
std::optional<Slice> PrefixOfRange(const PrefixExtractor& extractor, Slice from,
                                   const Slice* end);
// The same of the keys from `first` to `last`, both included.
// REQUIRES: first <= last
std::optional<Slice> PrefixOfClosedRange(const PrefixExtractor& extractor,
                                         Slice first, Slice last);

// Finds the prefixes of keys that come in order: each once, where it comes in
// order, too.
class PrefixWalk {
 public:
  // REQUIRES: the extractor outlives it
  explicit PrefixWalk(const PrefixExtractor& extractor)
      : extractor_(extractor) {}

  // Returns the prefix of the key if no key before had it and the key itself is
  // not it; it comes after all keys before.  Throws what the extractor throws.
  // REQUIRES: the key comes after the one before
  std::optional<Slice> Next(Slice key);

  // False: the extractor does not obey the rule of PrefixExtractor, and the
  // prefixes are of no use.
  bool is_valid() const noexcept { return is_valid_; }
  const PrefixExtractor& extractor() const noexcept { return extractor_; }

 private:
  const PrefixExtractor& extractor_;
  std::string last_;  // empty: there is none
  bool is_valid_ = true;
};

}  // namespace tamis
