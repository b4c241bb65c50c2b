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

  // Increments the first byte that differs and drops the rest, if the result is
  // still less than the limit.  Nothing else is tried: LevelDB's indexes have
  // these keys, and ours must be the same.
  void ShortenBetween(std::string* start, Slice limit) const override {
    const std::size_t common = std::min(start->size(), limit.size());
    std::size_t at = 0;
    while (at < common && (*start)[at] == limit[at]) ++at;
    if (at == common) return;  // one is a prefix of the other
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

// Never destroyed, because stores may outlive main().
union Forever {
  constexpr Forever() noexcept : order() {}
  ~Forever() {}
  BytewiseOrder order;
};
constinit const Forever kBytewise;

}  // namespace

const Comparator& BytewiseComparator() noexcept { return kBytewise.order; }

}  // namespace tamis
