// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/line_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/no_throw.h"
#include "filters/batch_loop.h"
#include "filters/bloom/bit_array.h"
#include "filters/bloom/block_shapes.h"
#include "filters/kernels/kernels.h"
#include "math/blocked_bloom.h"

namespace tamis {
namespace {

// Sets out[i] to whether hashes[i] is maybe in any part.
void Answer(std::span<const LineFilter> parts,
            std::span<const std::uint64_t> hashes, bool* out) noexcept {
  std::size_t count = hashes.size();
  std::fill_n(out, count, false);
  std::array<std::size_t, kPartsGroup> open;  // those not found in any part yet
  for (std::size_t i = 0; i < count; ++i) open[i] = i;
  std::array<BlockQuery, kPartsGroup> queries;
  std::array<bool, kPartsGroup> found;
  for (const LineFilter& part : parts) {
    for (std::size_t i = 0; i < count; ++i) {
      queries[i] = part.QueryOf(hashes[open[i]]);
    }
    ActiveKernels().check_lines(queries.data(), count, part.probes,
                                found.data());
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

double MeanRate(const LineFilter& part) noexcept {
  const LineShape shape(part.probes);
  double rates = 0;
  for (std::uint64_t i = 0; i < part.count; ++i) {
    rates += shape.Rate(part.lines + i * part.stride);
  }
  return rates / static_cast<double>(part.count);
}

std::uint64_t SetBitsOf(const LineFilter& part) noexcept {
  std::uint64_t set = 0;
  for (std::uint64_t i = 0; i < part.count; ++i) {
    set += CountSetBits({part.lines + i * part.stride, kLineBytes});
  }
  return set;
}

}  // namespace

bool CheckParts(std::span<const LineFilter> parts,
                std::uint64_t hash) noexcept {
  // The processor speculates into the next part before this part's line
  // arrives: prefetching all of them first was slower.
  const Kernels& kernels = ActiveKernels();
  return std::any_of(parts.begin(), parts.end(), [&](const LineFilter& part) {
    return part.Check(kernels, hash);
  });
}

void CheckPartsMany(std::span<const LineFilter> parts, std::uint64_t seed,
                    std::span<const Slice> keys, std::span<bool> out) noexcept {
  ForEachPrepared<kPartsGroup>(
      keys, [&](Slice key) { return PrepareParts(parts, seed, key); },
      [&](std::size_t first, std::span<const std::uint64_t> hashes) {
        Answer(parts, hashes, out.data() + first);
      });
}

void CheckPartsMany(std::span<const LineFilter> parts,
                    std::span<const std::uint64_t> hashes,
                    std::span<bool> out) noexcept {
  ForEachPrepared<kPartsGroup>(
      hashes,
      [&](std::uint64_t hash) {
        for (const LineFilter& part : parts) part.PrefetchOfMany(hash);
        return hash;
      },
      [&](std::size_t first, std::span<const std::uint64_t> group) {
        Answer(parts, group, out.data() + first);
      });
}

std::uint64_t MarkNew(const MutableLineFilter& part,
                      std::span<const std::uint64_t> hashes) noexcept {
  std::uint64_t marked = 0;
  ForEachPrepared<kPartsGroup>(
      hashes,
      [&](std::uint64_t hash) {
        part.PrefetchOfMany(hash);
        return hash;
      },
      [&](std::size_t /*first*/, std::span<const std::uint64_t> group) {
        marked += MarkNewPrefetched(part, group);
      });
  return marked;
}

std::uint64_t MarkNewPrefetched(
    const MutableLineFilter& part,
    std::span<const std::uint64_t> hashes) noexcept {
  const Kernels& kernels = ActiveKernels();
  std::uint64_t marked = 0;
  for (const std::uint64_t hash : hashes) {
    const BlockMark mark = part.MarkOf(hash);
    if (kernels.check_line(mark.block, mark.bits, part.probes)) continue;
    kernels.mark_lines(&mark, 1, part.probes);
    ++marked;
  }
  return marked;
}

FilterInfo DescribeParts(std::span<const LineFilter> parts) {
  FilterInfo info;
  info.format = "tamis";
  info.hash = "xxh3";
  double log_right = 0;  // a product as a sum of logarithms: rates may be tiny
  for (const LineFilter& part : parts) {
    const std::uint64_t set = SetBitsOf(part);
    info.bits += part.count * kLineBits;
    info.set_bits += set;
    info.probes = std::max(info.probes, part.probes.count);
    info.keys_by_fill += BlockedKeysFromFill({.kind = BlockKind::kLine,
                                              .blocks = part.count,
                                              .probes = part.probes.count},
                                             set);
    log_right += std::log1p(-MeanRate(part));
  }
  info.rate = -std::expm1(log_right);
  return info;
}

LinePartsBuilder::LinePartsBuilder(std::uint64_t seed, RepeatedKeys repeats,
                                   Write write)
    : seed_(seed), repeats_(repeats), write_(std::move(write)) {}

void LinePartsBuilder::Add(Slice key) {
  TakeHash({.value = LineHash(key, seed_), .seed = seed_});
}

bool LinePartsBuilder::TakeHash(KeyHash hash) {
  if (hash.seed != seed_) return false;
  if (hashes_.size() > 0 && last_ == hash.value) return true;
  last_ = hash.value;
  if (!hashes_.PushBack(hash.value)) out_of_memory_ = true;
  return true;
}

Status LinePartsBuilder::Finish(std::string* dst) {
  return NoThrowAppending(dst, [&] {
    if (out_of_memory_) {
      return Status::ResourceExhausted("no memory for the keys' hashes");
    }
    const std::optional<std::uint64_t> distinct =
        repeats_ == RepeatedKeys::kNeighbours ? hashes_.size()
                                              : hashes_.CountDistinct();
    if (!distinct.has_value()) {
      return Status::ResourceExhausted("no memory to count the keys");
    }
    Status done = write_({.all = hashes_, .distinct = *distinct}, dst);
    if (done.ok()) counted_ = *distinct;
    return done;
  });
}

}  // namespace tamis
