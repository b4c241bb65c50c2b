// formats/line_parts.h -- filters made of several cache-local parts, any of
// which may hold a key: one hash per key, one line per part.  What the
// scalable and the rotating filter share.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/wide_math.h"
#include "filters/digest_buckets.h"
#include "filters/line_bloom.h"
#include "tamis/filter.h"

namespace tamis {

// The lines of one part, in bytes that somebody else owns.
struct LinePart {
  const unsigned char* lines = nullptr;
  std::uint64_t count = 0;          // of lines
  std::size_t stride = kLineBytes;  // from one to the next
  unsigned probes = 0;

  // Of the key's line, from `lines` on.
  std::size_t OffsetOf(std::uint64_t digest) const noexcept {
    return static_cast<std::size_t>(MultiplyHigh(digest, count)) * stride;
  }
};

// REQUIRES, for all below: every part has at least one line, and 1 to
// kMaxLineProbes probes.

// Is the key maybe in any part?  Asked in order: put the likeliest first.
bool CheckParts(std::span<const LinePart> parts, std::uint64_t digest) noexcept;
bool CheckPart(const LinePart& part, std::uint64_t digest) noexcept;

// out[i] = CheckParts() of keys[i], with all memory accesses overlapped.
void CheckPartsMany(std::span<const LinePart> parts, std::uint64_t seed,
                    std::span<const Slice> keys, std::span<bool> out) noexcept;
// out[i] = CheckParts() of digests[i], likewise.
void CheckPartsMany(std::span<const LinePart> parts,
                    std::span<const std::uint64_t> digests,
                    std::span<bool> out) noexcept;

// Digests of a few keys, their lines being on the way.
inline constexpr std::size_t kDigestGroup = 32;
using DigestGroup = std::array<std::uint64_t, kDigestGroup>;

// Hashes the first kDigestGroup keys, or as many as there are, and asks for
// their lines.  Returns how many.
std::size_t AskParts(std::span<const LinePart> parts, std::uint64_t seed,
                     std::span<const Slice> keys,
                     DigestGroup* digests) noexcept;

// Marks in `lines`, which is part.lines, the digests that are not maybe in
// yet.  Returns their number.
std::uint64_t MarkNew(const LinePart& part, unsigned char* lines,
                      std::span<const std::uint64_t> digests) noexcept;

// What the bits say, see FilterInfo: format, hash, bits, rate, keys by fill.
// The rate is exact: that of a stranger, by the lines as they stand.
FilterInfo DescribeParts(std::span<const LinePart> parts);

// Collects the digests of keys, without one that equals the one before it, and
// writes a filter when it knows how many different ones there are.
class DigestsBuilder final : public FilterBuilder {
 public:
  struct Digests {
    const DigestBuckets& all;
    std::uint64_t distinct;
  };
  // As FilterBuilder::Finish().
  using Write = std::function<Status(const Digests&, std::string* dst)>;

  DigestsBuilder(std::uint64_t seed, RepeatedKeys repeats, Write write);
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
  DigestBuckets digests_;
  std::uint64_t last_ = 0;  // the digest just before, if any
  std::optional<std::uint64_t> counted_;
  bool out_of_memory_ = false;
};

}  // namespace tamis
