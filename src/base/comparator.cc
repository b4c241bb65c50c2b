// SPDX-License-Identifier: Apache-2.0
#include "tamis/comparator.h"

#include <algorithm>
#include <cstddef>

namespace tamis {
namespace {

constexpr unsigned char kLargestByte = 0xff;

class BytewiseOrder final : public Comparator {
 public:
  std::string_view name() const noexcept override {
    return "leveldb.BytewiseComparator";
  }

  int Compare(Slice a, Slice b) const noexcept override { return a.compare(b); }

  bool EqualMeansIdentical() const noexcept override { return true; }

  // The first byte in which they differ goes up by one, if it then still is
  // below the limit's, and is the last.  Nothing else is tried: LevelDB's
  // indexes have these keys, and ours are to be the same.
  void ShortenBetween(std::string* start, Slice limit) const override {
    const std::size_t common = std::min(start->size(), limit.size());
    std::size_t at = 0;
    while (at < common && (*start)[at] == limit[at]) ++at;
    if (at == common) return;  // one is the beginning of the other
    const auto byte = static_cast<unsigned char>((*start)[at]);
    const auto bound = static_cast<unsigned char>(limit[at]);
    if (byte == kLargestByte || byte + 1 >= bound) return;
    (*start)[at] = static_cast<char>(byte + 1);
    start->resize(at + 1);
  }

  void ShortenAfter(std::string* key) const override {
    for (std::size_t at = 0; at < key->size(); ++at) {
      const auto byte = static_cast<unsigned char>((*key)[at]);
      if (byte == kLargestByte) continue;
      (*key)[at] = static_cast<char>(byte + 1);
      key->resize(at + 1);
      return;
    }
  }
};

// Is never destroyed, for stores may outlive main().
union Forever {
  constexpr Forever() noexcept : order() {}
  ~Forever() {}
  BytewiseOrder order;
};
constinit const Forever kBytewise;

}  // namespace

const Comparator& BytewiseComparator() noexcept { return kBytewise.order; }

}  // namespace tamis
