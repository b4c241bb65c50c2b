// SPDX-License-Identifier: Apache-2.0
// formats/tamis/line_parts.h -- filters made of several cache-local parts, any
// of which may contain a key: one hash per key, one line per part.  Shared by
// the scalable and the rotating filter.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "filters/bloom/line_filter.h"
#include "formats/tamis/line_view.h"
#include "sort/hash_buckets.h"
#include "tamis/filter.h"

namespace tamis {

// REQUIRES, for all below: every part can be queried, see
// filters/bloom/line_filter.h.

// Returns whether the key is maybe in any part.  Parts are checked in order:
// put the likeliest first.
bool CheckParts(std::span<const LineFilter> parts, std::uint64_t hash) noexcept;

// out[i] = CheckParts() of keys[i], with all memory accesses overlapped.
void CheckPartsMany(std::span<const LineFilter> parts, std::uint64_t seed,
                    std::span<const Slice> keys, std::span<bool> out) noexcept;

// out[i] = CheckParts() of hashes[i], likewise.
void CheckPartsMany(std::span<const LineFilter> parts,
                    std::span<const std::uint64_t> hashes,
                    std::span<bool> out) noexcept;

// Returns the hash of a key, after prefetching its line in every part.
[[gnu::always_inline]] inline std::uint64_t PrepareParts(
    std::span<const LineFilter> parts, std::uint64_t seed, Slice key) noexcept {
  const std::uint64_t hash = LineHash(key, seed);
  for (const LineFilter& part : parts) part.PrefetchOfMany(hash);
  return hash;
}
// Keys that are prepared before the first of them is checked or inserted.
inline constexpr std::size_t kPartsGroup = 32;

// Marks the hashes that are not maybe in the part yet.  Returns their number.
std::uint64_t MarkNew(const MutableLineFilter& part,
                      std::span<const std::uint64_t> hashes) noexcept;
// The same for hashes whose lines were prefetched.
std::uint64_t MarkNewPrefetched(const MutableLineFilter& part,
                                std::span<const std::uint64_t> hashes) noexcept;

// Fills in FilterInfo from the bits: format, hash, bits, rate, keys by fill.
// The rate is exact for an absent key, given the bits of all lines.
FilterInfo DescribeParts(std::span<const LineFilter> parts);

// Collects the hashes of keys, skips repeats of the previous one, and writes a
// filter once the number of distinct hashes is known.
class LinePartsBuilder final : public FilterBuilder {
 public:
  struct Hashes {
    const HashBuckets& all;
    std::uint64_t distinct;
  };
  // As FilterBuilder::Finish().
  using Write = std::function<Status(const Hashes&, std::string* dst)>;

  LinePartsBuilder(std::uint64_t seed, RepeatedKeys repeats, Write write);
  void Add(Slice key) override;
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return seed_;
  }
  Status Finish(std::string* dst) override;
  std::optional<std::uint64_t> counted_keys() const override {
    return counted_;
  }

 private:
  bool TakeHash(KeyHash hash) override;

  std::uint64_t seed_;
  RepeatedKeys repeats_;
  Write write_;
  HashBuckets hashes_;
  std::uint64_t last_ = 0;  // the hash just before, if any
  std::optional<std::uint64_t> counted_;
  bool out_of_memory_ = false;
};

}  // namespace tamis
