#include "formats/line_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/no_throw.h"
#include "filters/bit_array.h"
#include "filters/block_shapes.h"
#include "filters/kernels.h"
#include "formats/line_view.h"
#include "formats/taken_hash.h"
#include "math/blocked_bloom.h"

namespace tamis {
namespace {

[[gnu::always_inline]] inline void PrefetchLine(
    const unsigned char* line) noexcept {
  // Into the second cache, as BlockedEngine does; in foreign bytes a line may
  // reach into two of the cache's.
  __builtin_prefetch(line, 0, 2);
  if (reinterpret_cast<std::uintptr_t>(line) % kLineBytes != 0) {
    __builtin_prefetch(line + kLineBytes - 1, 0, 2);
  }
}

[[gnu::always_inline]] inline void PrefetchParts(
    std::span<const LinePart> parts, std::uint64_t digest) noexcept {
  for (const LinePart& part : parts) {
    PrefetchLine(part.lines + part.OffsetOf(digest));
  }
}

bool CheckPartWith(const Kernels& kernels, const LinePart& part,
                   std::uint64_t digest) noexcept {
  return kernels.check_line(part.lines + part.OffsetOf(digest),
                            LineBitsOf(digest), TamisLineProbes(part.probes));
}

// out[i]: is digests[i] maybe in any part?
void Answer(std::span<const LinePart> parts, const DigestGroup& digests,
            std::size_t count, bool* out) noexcept {
  std::fill_n(out, count, false);
  std::array<std::size_t, kDigestGroup> open;  // those that no part has yet
  for (std::size_t i = 0; i < count; ++i) open[i] = i;
  std::array<BlockQuery, kDigestGroup> queries;
  std::array<bool, kDigestGroup> found;
  for (const LinePart& part : parts) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t digest = digests[open[i]];
      queries[i] = {part.lines + part.OffsetOf(digest), LineBitsOf(digest)};
    }
    ActiveKernels().check_lines(queries.data(), count,
                                TamisLineProbes(part.probes), found.data());
    std::size_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = open[i];
      out[at] = found[i];
      open[left] = at;
      left += found[i] ? 0u : 1u;
    }
    count = left;
  }
}

// AskParts() for keys, or for hashes of keys.
template <typename Key>
std::size_t Ask(std::span<const LinePart> parts, std::uint64_t seed,
                std::span<const Key> keys, DigestGroup* digests) noexcept {
  const std::size_t count = std::min(kDigestGroup, keys.size());
  for (std::size_t i = 0; i < count; ++i) {
    (*digests)[i] = HashOrTake(keys[i], seed);
    PrefetchParts(parts, (*digests)[i]);
  }
  return count;
}

template <typename Key>
void CheckMany(std::span<const LinePart> parts, std::uint64_t seed,
               std::span<const Key> keys, std::span<bool> out) noexcept {
  // The next group's lines are on their way while a group is answered.
  std::array<DigestGroup, 2> groups;
  std::size_t done = 0;
  std::size_t asked = Ask(parts, seed, keys, &groups[0]);
  for (unsigned current = 0; done < keys.size(); current = 1 - current) {
    const std::size_t next =
        Ask(parts, seed, keys.subspan(asked), &groups[1 - current]);
    Answer(parts, groups[current], asked - done, out.data() + done);
    done = asked;
    asked += next;
  }
}

double MeanRate(const LinePart& part) noexcept {
  const LineShape shape(TamisLineProbes(part.probes));
  double rates = 0;
  for (std::uint64_t i = 0; i < part.count; ++i) {
    rates += shape.Rate(part.lines + i * part.stride);
  }
  return rates / static_cast<double>(part.count);
}

std::uint64_t SetBitsOf(const LinePart& part) noexcept {
  std::uint64_t set = 0;
  for (std::uint64_t i = 0; i < part.count; ++i) {
    set += CountSetBits({part.lines + i * part.stride, kLineBytes});
  }
  return set;
}

}  // namespace

bool CheckPart(const LinePart& part, std::uint64_t digest) noexcept {
  return CheckPartWith(ActiveKernels(), part, digest);
}

bool CheckParts(std::span<const LinePart> parts,
                std::uint64_t digest) noexcept {
  // The processor itself goes on to the next part before this one's line is
  // there: asking for all of them first was slower.
  const Kernels& kernels = ActiveKernels();
  return std::any_of(parts.begin(), parts.end(), [&](const LinePart& part) {
    return CheckPartWith(kernels, part, digest);
  });
}

std::size_t AskParts(std::span<const LinePart> parts, std::uint64_t seed,
                     std::span<const Slice> keys,
                     DigestGroup* digests) noexcept {
  return Ask(parts, seed, keys, digests);
}

void CheckPartsMany(std::span<const LinePart> parts, std::uint64_t seed,
                    std::span<const Slice> keys, std::span<bool> out) noexcept {
  CheckMany(parts, seed, keys, out);
}

void CheckPartsMany(std::span<const LinePart> parts,
                    std::span<const std::uint64_t> digests,
                    std::span<bool> out) noexcept {
  CheckMany(parts, 0, digests, out);
}

std::uint64_t MarkNew(const LinePart& part, unsigned char* lines,
                      std::span<const std::uint64_t> digests) noexcept {
  const LineProbes probes = TamisLineProbes(part.probes);
  std::uint64_t marked = 0;
  for (; !digests.empty();
       digests = digests.subspan(std::min(kDigestGroup, digests.size()))) {
    const auto group = digests.first(std::min(kDigestGroup, digests.size()));
    for (const std::uint64_t digest : group) {
      PrefetchLine(part.lines + part.OffsetOf(digest));
    }
    for (const std::uint64_t digest : group) {
      if (CheckPart(part, digest)) continue;
      MarkLine(lines + part.OffsetOf(digest), LineBitsOf(digest), probes);
      ++marked;
    }
  }
  return marked;
}

FilterInfo DescribeParts(std::span<const LinePart> parts) {
  FilterInfo info;
  info.format = "tamis";
  info.hash = "xxh3";
  double log_right = 0;  // a product, as a sum: rates may be tiny
  for (const LinePart& part : parts) {
    const std::uint64_t set = SetBitsOf(part);
    info.bits += part.count * kLineBits;
    info.set_bits += set;
    info.probes = std::max(info.probes, part.probes);
    info.keys_by_fill += BlockedKeysFromFill(
        {.kind = BlockKind::kLine, .blocks = part.count, .probes = part.probes},
        set);
    log_right += std::log1p(-MeanRate(part));
  }
  info.rate = -std::expm1(log_right);
  return info;
}

DigestsBuilder::DigestsBuilder(std::uint64_t seed, RepeatedKeys repeats,
                               Write write)
    : seed_(seed), repeats_(repeats), write_(std::move(write)) {}

void DigestsBuilder::Add(Slice key) {
  TakeHash({.value = LineDigest(key, seed_), .seed = seed_});
}

bool DigestsBuilder::TakeHash(KeyHash hash) {
  if (hash.seed != seed_) return false;
  if (digests_.size() > 0 && last_ == hash.value) return true;
  last_ = hash.value;
  if (!digests_.PushBack(hash.value)) out_of_memory_ = true;
  return true;
}

Status DigestsBuilder::Finish(std::string* dst) {
  return NoThrowAppending(dst, [&] {
    if (out_of_memory_) {
      return Status::ResourceExhausted("no memory for the keys' hashes");
    }
    const std::optional<std::uint64_t> distinct =
        repeats_ == RepeatedKeys::kNeighbours ? digests_.size()
                                              : digests_.CountDistinct();
    if (!distinct.has_value()) {
      return Status::ResourceExhausted("no memory to count the keys");
    }
    Status done = write_({.all = digests_, .distinct = *distinct}, dst);
    if (done.ok()) counted_ = *distinct;
    return done;
  });
}

}  // namespace tamis
