// bench/key_set.h -- many distinct keys of one length.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/filter.h"

namespace tamis::bench {

// Keys are numbered; different numbers give different keys, which look
// random.  So two sets share no key if their numbers do not overlap.
class KeySet {
 public:
  static constexpr std::size_t kFewestKeyBytes = 8;  // a whole number fits in

  // The keys of those numbers, in that order.
  // REQUIRES: key_bytes >= kFewestKeyBytes
  KeySet(const std::vector<std::uint64_t>& numbers, std::size_t key_bytes);
  KeySet(const KeySet&) = delete;
  KeySet& operator=(const KeySet&) = delete;

  std::uint64_t size() const { return slices_.size(); }
  const std::vector<Slice>& slices() const { return slices_; }

 private:
  std::string bytes_;  // one key after the other
  std::vector<Slice> slices_;
};

// first, first + 1, ...
std::vector<std::uint64_t> NumbersFrom(std::uint64_t first,
                                       std::uint64_t count);

// `count` numbers below `end`, at random but always the same ones.
std::vector<std::uint64_t> NumbersBelow(std::uint64_t end, std::uint64_t count);

}  // namespace tamis::bench
