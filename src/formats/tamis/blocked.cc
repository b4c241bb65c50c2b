// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/blocked.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/append_zeros.h"
#include "base/wide_math.h"
#include "filters/batch_loop.h"
#include "filters/bloom/block_shapes.h"
#include "filters/bloom/line_bloom.h"
#include "filters/bloom/line_filter.h"
#include "filters/kernels/kernels.h"
#include "formats/blocked_engine.h"
#include "formats/bloom_policy.h"
#include "formats/tamis/container.h"
#include "formats/tamis/line_view.h"
#include "hash/xxhash.h"
#include "math/blocked_bloom.h"
#include "math/fast_range.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

// The differences between the two kinds.
struct LineKind {
  static constexpr TamisKind kKind = TamisKind::kLineBloom;
  static constexpr std::string_view kName = "bloom";
  static constexpr BlockKind kBlocks = BlockKind::kLine;
  using Shape = LineShape;

  static Shape ShapeOf(unsigned probes) noexcept {
    return LineShape(TamisLineProbes(probes));
  }
  static double BitsPerKeyAt(double rate) noexcept {
    return LineBitsPerKey(rate);
  }
  static unsigned ProbesAt(double bits_per_key) noexcept {
    return BestLineProbes(bits_per_key);
  }
  static bool TakesProbes(std::uint64_t probes) noexcept {
    return probes >= 1 && probes <= kMaxLineProbes;
  }
};

struct SplitBlockKind {
  static constexpr TamisKind kKind = TamisKind::kSplitBlock;
  static constexpr std::string_view kName = "splitblock";
  static constexpr BlockKind kBlocks = BlockKind::kSplit;
  using Shape = SplitBlockShape;

  static Shape ShapeOf(unsigned /*probes*/) noexcept { return {}; }
  static double BitsPerKeyAt(double rate) noexcept {
    return SplitBlockBitsPerKey(rate);
  }
  static unsigned ProbesAt(double /*bits_per_key*/) noexcept {
    return kSplitBlockWords;
  }
  static bool TakesProbes(std::uint64_t probes) noexcept {
    return probes == kSplitBlockWords;
  }
};

template <typename Kind>
class TamisBlocked {
 public:
  using Hash = std::uint64_t;
  using Shape = typename Kind::Shape;
  using Engine = BlockedEngine<TamisBlocked>;
  static constexpr std::string_view kKindName = Kind::kName;
  static constexpr BlockKind kBlockKind = Kind::kBlocks;
  static constexpr std::size_t kHeaderBytes = kTamisHeaderBytes;
  static constexpr std::size_t kTrailerBytes = 0;
  static constexpr auto kRepeats = CountedRepeats::kNone;
  static constexpr bool kHasSeed = true;

  TamisBlocked() = default;  // for reading, which needs no size
  // REQUIRES: `sizing` has bits per key or exact bits, not a rate
  TamisBlocked(const BloomSizing& sizing, std::uint64_t seed)
      : sizing_(sizing), seed_(seed) {}

  std::string_view policy_name() const noexcept { return kTamisFilterName; }
  std::string spec_name() const { return "tamis"; }
  std::string_view hash_name() const noexcept { return "xxh3"; }

  Hash HashOf(Slice key, std::uint64_t seed) const noexcept {
    return Xxh3(key, seed);
  }
  std::uint64_t BlockOf(Hash hash, std::uint64_t blocks) const noexcept {
    return FastRange(hash, blocks);
  }
  Shape ShapeOf(const BloomParameters& parameters) const noexcept {
    return Kind::ShapeOf(parameters.probes);
  }

  BloomParameters Plan(std::uint64_t keys) const noexcept {
    BloomParameters parameters;
    parameters.seed = seed_;
    const std::uint64_t bits = sizing_.bits != 0
                                   ? sizing_.bits
                                   : BloomBitsAt(keys, sizing_.bits_per_key);
    const std::uint64_t unit = kBlockBits * sizing_.fold;
    parameters.bits = (bits + unit - 1) / unit * unit;
    // By the requested size: a few keys have a whole line to themselves, and
    // would gain nothing from filling it.
    parameters.probes = sizing_.probes != 0
                            ? sizing_.probes
                            : Kind::ProbesAt(sizing_.bits_per_key);
    return parameters;
  }
  Status CheckPlan(const BloomParameters& parameters) const {
    if (Kind::TakesProbes(parameters.probes)) return Status::Ok();
    return Status::InvalidArgument(std::string(Kind::kName) + ": cannot make " +
                                   std::to_string(parameters.probes) +
                                   " probes per key");
  }
  std::uint64_t PayloadBytes(std::uint64_t bits) const noexcept {
    return bits / 8;
  }
  double Rate(const BloomParameters& parameters,
              std::uint64_t keys) const noexcept {
    return BlockedRate({.kind = Kind::kBlocks,
                        .blocks = parameters.bits / kBlockBits,
                        .probes = parameters.probes},
                       keys);
  }

  TamisHeader HeaderOf(const BloomParameters& parameters) const noexcept {
    TamisHeader header =
        NewTamisHeader(Kind::kKind, parameters.seed,
                       parameters.keys.value_or(kTamisKeysUnknown));
    header.size_parameter = parameters.bits / kBlockBits;
    header.parameter_a = parameters.probes;
    return header;
  }
  void Seal(std::span<char> whole,
            const BloomParameters& parameters) const noexcept {
    SealTamis(whole, HeaderOf(parameters));
  }

  Result<ParsedBloom> Parse(Slice bytes) const {
    Result<TamisContents> contents = ParseTamis(bytes);
    if (!contents.ok()) return contents.status();
    const TamisHeader& header = contents->header;
    ParsedBloom parsed;
    parsed.payload = contents->payload;
    parsed.always_maybe = WhyAlwaysMaybe(header);
    if (!parsed.always_maybe.empty()) return parsed;

    const std::uint64_t blocks = header.size_parameter;
    if (blocks == 0 || blocks > kMaxBloomBits / kBlockBits ||
        parsed.payload.size() != blocks * Shape::kBytes) {
      return Status::Corruption("tamis: its payload does not fit its blocks");
    }
    parsed.parameters.bits = blocks * kBlockBits;
    parsed.parameters.probes = header.parameter_a;
    parsed.parameters.seed = header.seed;
    if (header.keys != kTamisKeysUnknown) parsed.parameters.keys = header.keys;
    return parsed;
  }

 private:
  static constexpr std::uint64_t kBlockBits = 8 * Shape::kBytes;

  static std::string WhyAlwaysMaybe(const TamisHeader& header) {
    std::string reason = WhyUnreadable(header, Kind::kKind);
    if (!reason.empty()) return reason;
    if (!Kind::TakesProbes(header.parameter_a) || header.parameter_b != 0) {
      return "its parameters are reserved";
    }
    return {};
  }

  BloomSizing sizing_;
  std::uint64_t seed_ = 0;
};

// InvalidArgument: there are no filters of that size.
template <typename Kind>
Result<TamisBlocked<Kind>> BlockedFormatOf(BloomSizing sizing,
                                           std::uint64_t seed) {
  if (sizing.rate > 0) {
    sizing.bits_per_key = Kind::BitsPerKeyAt(sizing.rate);
    sizing.rate = 0;
    if (!(sizing.bits_per_key > 0)) {
      return Status::InvalidArgument(
          std::string(Kind::kName) +
          ": no size has so low a rate of false positives; a classic filter "
          "has");
    }
  }
  return CheckedFormat(TamisBlocked<Kind>(sizing, seed));
}

template <typename Kind>
Result<std::unique_ptr<const FilterPolicy>> NewPolicy(const BloomSizing& sizing,
                                                      std::uint64_t seed) {
  Result<TamisBlocked<Kind>> format = BlockedFormatOf<Kind>(sizing, seed);
  if (!format.ok()) return format.status();
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<BloomPolicy<TamisBlocked<Kind>>>(*format));
}

// Ascending hashes mark ascending lines, so no prefetching is needed.
void MarkLines(const MutableLineFilter& filter,
               std::span<const std::uint64_t> hashes) noexcept {
  constexpr std::size_t kGroup = 64;
  const Kernels& kernels = ActiveKernels();
  ForEachPrepared<kGroup, BatchOrder::kInTurn>(
      hashes, [&](std::uint64_t hash) { return filter.MarkOf(hash); },
      [&](std::size_t /*first*/, std::span<const BlockMark> marks) {
        kernels.mark_lines(marks.data(), marks.size(), filter.probes);
      });
}

}  // namespace

Result<std::unique_ptr<const FilterPolicy>> NewTamisLinePolicy(
    const BloomSizing& sizing, std::uint64_t seed) {
  return NewPolicy<LineKind>(sizing, seed);
}

Result<std::unique_ptr<const FilterPolicy>> NewTamisSplitBlockPolicy(
    const BloomSizing& sizing, std::uint64_t seed) {
  return NewPolicy<SplitBlockKind>(sizing, seed);
}

// Ranges end at line boundaries, so that no two threads mark the same line.
Status AppendTamisLines(const HashedKeys& keys, const BloomSizing& sizing,
                        std::string* dst) {
  constexpr std::uint64_t kRangeKeys = std::uint64_t{1} << 17;  // 1 MiB
  const auto format = BlockedFormatOf<LineKind>(sizing, keys.seed);
  if (!format.ok()) return format.status();
  BloomParameters parameters = format->Plan(keys.hashes->size());
  parameters.keys = keys.hashes->size();
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, TotalBytes(*format, parameters));
  if (!room.ok()) return room;
  char* whole = dst->data() + start;
  const MutableLineFilter filter = {
      .lines = BytesOf(whole + kTamisHeaderBytes),
      .count = parameters.bits / kLineBits,
      .probes = TamisLineProbes(parameters.probes)};
  const std::size_t ranges = keys.hashes->size() / kRangeKeys + 1;
  Status marked = keys.hashes->ForEachRange(
      ranges,
      [&](std::size_t i) {
        const auto line = static_cast<Uint128>(i) * filter.count / ranges;
        return FirstHashOf(static_cast<std::uint64_t>(line), filter.count);
      },
      [&](std::size_t /*i*/, std::span<const std::uint64_t> hashes) {
        MarkLines(filter, hashes);
      });
  if (!marked.ok()) return marked;
  format->Seal({whole, dst->size() - start}, parameters);
  return Status::Ok();
}

Result<std::unique_ptr<const FilterReader>> OpenTamisLine(Slice bytes) {
  return OpenBloom(TamisBlocked<LineKind>(), bytes);
}

Result<std::unique_ptr<const FilterReader>> OpenTamisSplitBlock(Slice bytes) {
  return OpenBloom(TamisBlocked<SplitBlockKind>(), bytes);
}

Status CombineTamisLine(std::span<const Slice> filters, SetOperation operation,
                        std::string* dst) {
  return CombineBloom(TamisBlocked<LineKind>(), filters, operation, dst);
}

Status CombineTamisSplitBlock(std::span<const Slice> filters,
                              SetOperation operation, std::string* dst) {
  return CombineBloom(TamisBlocked<SplitBlockKind>(), filters, operation, dst);
}

Result<ParsedBloom> ParseTamisLine(Slice bytes) {
  return TamisBlocked<LineKind>().Parse(bytes);
}

Result<ParsedBloom> ParseTamisSplitBlock(Slice bytes) {
  return TamisBlocked<SplitBlockKind>().Parse(bytes);
}

Result<std::unique_ptr<MutableFilter>> LoadTamisLine(Slice bytes) {
  return LoadBloomMutable(TamisBlocked<LineKind>(), bytes);
}

Result<std::unique_ptr<MutableFilter>> LoadTamisSplitBlock(Slice bytes) {
  return LoadBloomMutable(TamisBlocked<SplitBlockKind>(), bytes);
}

}  // namespace tamis
