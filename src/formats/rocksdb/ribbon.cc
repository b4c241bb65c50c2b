// SPDX-License-Identifier: Apache-2.0
#include "formats/rocksdb/ribbon.h"

#include <algorithm>
#include <bit>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "base/append_zeros.h"
#include "base/coding.h"
#include "base/no_throw.h"
#include "filters/bloom/bit_array.h"
#include "filters/ribbon/standard.h"
#include "filters/ribbon/standard_build.h"
#include "filters/ribbon/standard_query.h"
#include "formats/always_maybe.h"
#include "formats/rocksdb/bloom.h"
#include "hash/xxph3.h"
#include "math/blocked_bloom.h"
#include "math/rocksdb_sizing.h"
#include "sort/hash_buckets.h"

namespace tamis {
namespace {

constexpr std::string_view kSpec = "rocksdb-ribbon";

// Offsets from the start of the trailer.
constexpr std::size_t kSeedAt = 1;
constexpr std::size_t kBlocksAt = 2;  // three bytes, the least first

Status NoMemory() {
  return Status::ResourceExhausted("rocksdb-ribbon: no memory to build it in");
}

// What RocksDB writes for some number of keys.
struct RibbonPlan {
  bool is_bloom = false;  // FastLocalBloom instead
  std::uint64_t bloom_bytes = 0;
  RibbonShape shape;  // of the Ribbon
};

// The setting, as interpreted by RocksDB.
struct RibbonSetting {
  double bits_per_key;
  unsigned millibits;
  double one_in;

  explicit RibbonSetting(double setting)
      : bits_per_key(RocksDbBitsPerKey(setting)),
        millibits(RocksDbMillibits(setting)),
        one_in(millibits == 0 ? 1.0 : RocksDbRibbonOneIn(bits_per_key)) {}

  // `draw` is the upper half of the first key's hash.  REQUIRES: keys > 0
  RibbonPlan PlanFor(std::uint64_t keys, std::uint32_t draw) const noexcept {
    RibbonPlan plan;
    plan.bloom_bytes = RocksDbBloomBytes(keys, millibits);
    plan.is_bloom = keys > kMaxRibbonKeys;
    if (plan.is_bloom) return plan;
    const std::uint64_t slots = RocksDbRibbonSlots(keys);
    plan.shape = RibbonShapeFor(slots / kRibbonBlockSlots,
                                RocksDbRibbonSegments(slots, one_in, draw));
    plan.is_bloom = RocksDbPrefersBloom(keys, millibits, plan.shape);
    return plan;
  }
};

class RocksDbRibbonReader final : public FilterReader {
 public:
  // REQUIRES: `solution` is valid, see filters/ribbon/standard_query.h
  RocksDbRibbonReader(const RibbonSolution& solution, unsigned ordinal_seed)
      : solution_(solution), ordinal_seed_(ordinal_seed) {}

  bool MayContain(Slice key) const noexcept override {
    return CheckRibbon(solution_, Xxph3(key));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    CheckRibbonMany(
        solution_, keys, [](Slice key) { return Xxph3(key); }, out.data());
  }
  FilterInfo Describe() const override {
    const RibbonShape& shape = solution_.shape;
    FilterInfo info;
    info.format = kSpec;
    info.kind = "ribbon";
    info.hash = "xxph3";
    info.bits = shape.segments * kRibbonBlockSlots;
    info.set_bits = CountSetBits(
        {solution_.segments, static_cast<std::size_t>(info.bits / 8)});
    info.probes = shape.columns;
    info.rate = RibbonRate(shape);
    info.seed = ordinal_seed_;
    return info;
  }

 private:
  RibbonSolution solution_;
  unsigned ordinal_seed_;
};

class RocksDbRibbonBuilder final : public FilterBuilder {
 public:
  RocksDbRibbonBuilder(const RibbonSetting& setting, RepeatedKeys repeats)
      : setting_(setting), repeats_(repeats) {}

  void Add(Slice key) override { AddHash(Xxph3(key)); }
  void AddMany(std::span<const Slice> keys) override {
    for (const Slice key : keys) AddHash(Xxph3(key));
  }
  Status Finish(std::string* dst) override {
    return NoThrowAppending(dst, [&] { return Write(dst); });
  }
  std::optional<std::uint64_t> counted_keys() const override {
    return counted_;
  }

 private:
  Status Write(std::string* dst);
  Status FinishFor(std::uint64_t keys, std::string* dst);
  void AddHash(std::uint64_t hash) noexcept;
  // Tries seeds until *banding has all equations; ordinal_ is the last one
  // tried.
  RibbonOutcome FindSeed(std::uint64_t blocks, RibbonBanding* banding);
  // Calls change(hash) for every hash and keeps the results.  False: no memory,
  // with nothing changed.
  template <typename Change>
  bool Rewrite(const Change& change);
  Status FinishBloom(std::uint64_t keys, std::string* dst);

  RibbonSetting setting_;
  RepeatedKeys repeats_;
  std::optional<std::uint64_t> counted_;
  // Under the seed ordinal_: sorted from the start, because the first seed is
  // known and almost always works.
  std::unique_ptr<HashBuckets> rehashes_ = std::make_unique<HashBuckets>();
  std::uint64_t first_hash_ = 0;
  std::uint64_t last_hash_ = 0;
  std::uint8_t ordinal_ = 0;
  std::uint64_t raw_seed_ = 0;
  bool out_of_memory_ = false;
};

void RocksDbRibbonBuilder::AddHash(std::uint64_t hash) noexcept {
  if (rehashes_->size() == 0) {
    first_hash_ = hash;
    ordinal_ = static_cast<std::uint8_t>(hash);
    raw_seed_ = RibbonRawSeed(ordinal_);
  } else if (hash == last_hash_) {
    return;  // RocksDB counts adjacent equal keys once
  }
  last_hash_ = hash;
  if (!rehashes_->PushBack(RibbonRehash(hash, raw_seed_))) {
    out_of_memory_ = true;
  }
}

template <typename Change>
bool RocksDbRibbonBuilder::Rewrite(const Change& change) {
  std::unique_ptr<HashBuckets> rewritten(new (std::nothrow) HashBuckets);
  bool fits = rewritten != nullptr;
  rehashes_->ForEach([&](std::span<const std::uint64_t> piece) {
    for (std::size_t i = 0; fits && i < piece.size(); ++i) {
      fits = rewritten->PushBack(change(RibbonUnhash(piece[i], raw_seed_)));
    }
  });
  if (fits) rehashes_ = std::move(rewritten);
  return fits;
}

RibbonOutcome RocksDbRibbonBuilder::FindSeed(std::uint64_t blocks,
                                             RibbonBanding* banding) {
  if (!banding->Reserve(blocks * kRibbonBlockSlots)) {
    return RibbonOutcome::kNoMemory;
  }
  for (unsigned tries = 1;; ++tries) {
    const RibbonOutcome outcome =
        AddSorted(*rehashes_, RibbonSeedFor(ordinal_, blocks).starts, banding);
    if (outcome != RibbonOutcome::kContradiction || tries == kRibbonSeeds) {
      return outcome;
    }
    banding->Clear();
    const auto next = static_cast<std::uint8_t>(ordinal_ + 1);
    const std::uint64_t raw_seed = RibbonRawSeed(next);
    if (!Rewrite([raw_seed](std::uint64_t hash) {
          return RibbonRehash(hash, raw_seed);
        })) {
      return RibbonOutcome::kNoMemory;
    }
    ordinal_ = next;
    raw_seed_ = raw_seed;
  }
}

Status RocksDbRibbonBuilder::FinishBloom(std::uint64_t keys, std::string* dst) {
  if (!Rewrite([](std::uint64_t hash) { return std::rotl(hash, 32); })) {
    return NoMemory();
  }
  return AppendFastLocalBloom(*rehashes_, keys, setting_.millibits, dst);
}

void Seal(unsigned char* trailer, std::uint8_t ordinal,
          std::uint64_t blocks) noexcept {
  trailer[0] = kRocksDbRibbon;
  trailer[kSeedAt] = ordinal;
  for (unsigned i = 0; i < 3; ++i) {
    trailer[kBlocksAt + i] = static_cast<unsigned char>(blocks >> (8 * i));
  }
}

Status RocksDbRibbonBuilder::Write(std::string* dst) {
  if (setting_.millibits == 0) {
    return Status::InvalidArgument(
        "rocksdb-ribbon: for fewer than 0.5 bits per key RocksDB makes no "
        "filter");
  }
  if (out_of_memory_) return NoMemory();
  // Rehashing is a bijection, so that distinct keys stay distinct.
  const std::optional<std::uint64_t> keys = repeats_ == RepeatedKeys::kOnce
                                                ? rehashes_->CountDistinct()
                                                : rehashes_->size();
  if (!keys.has_value()) return NoMemory();
  // In RocksDB an empty filter means that there are no keys.
  Status finished = *keys == 0 ? Status::Ok() : FinishFor(*keys, dst);
  if (finished.ok()) counted_ = *keys;
  return finished;
}

Status RocksDbRibbonBuilder::FinishFor(std::uint64_t keys, std::string* dst) {
  const RibbonPlan plan =
      setting_.PlanFor(keys, static_cast<std::uint32_t>(first_hash_ >> 32));
  if (plan.is_bloom) return FinishBloom(keys, dst);

  RibbonBanding banding;
  switch (FindSeed(plan.shape.blocks, &banding)) {
    case RibbonOutcome::kNoMemory:
      return NoMemory();
    case RibbonOutcome::kContradiction:
      return FinishBloom(keys, dst);
    case RibbonOutcome::kSolvable:
      break;
  }
  const std::size_t start = dst->size();
  const std::uint64_t bytes = plan.shape.segments * kRibbonSegmentBytes;
  Status room = AppendZeros(dst, bytes + kRocksDbTrailerBytes);
  if (!room.ok()) return room;
  auto* out = reinterpret_cast<unsigned char*>(dst->data() + start);
  banding.Solve(plan.shape, out);
  Seal(out + bytes, ordinal_, plan.shape.blocks);
  return Status::Ok();
}

class RocksDbRibbonPolicy final : public FilterPolicy {
 public:
  explicit RocksDbRibbonPolicy(double bits_per_key) : setting_(bits_per_key) {}

  std::string_view name() const noexcept override { return kRocksDbFilterName; }

  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options) const override {
    return std::make_unique<RocksDbRibbonBuilder>(setting_, options.repeats);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return OpenRocksDbRibbon(bytes);
  }

  Estimate Predict(std::uint64_t keys) const noexcept override {
    Estimate estimate;
    estimate.false_positive_rate = RateAt(keys, keys);
    if (keys == 0) return estimate;
    const RibbonPlan plan = setting_.PlanFor(keys, kMeanDraw);
    const std::uint64_t bytes = plan.is_bloom
                                    ? plan.bloom_bytes
                                    : plan.shape.segments * kRibbonSegmentBytes;
    estimate.bytes = bytes + kRocksDbTrailerBytes;
    estimate.bits = 8 * bytes;
    estimate.probes = plan.is_bloom ? RocksDbBloomProbes(setting_.millibits)
                                    : plan.shape.columns;
    return estimate;
  }

  // A Ribbon has the same rate with few keys as with all.
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    if (planned_keys == 0) return keys == 0 ? 0.0 : 1.0;
    const RibbonPlan plan = setting_.PlanFor(planned_keys, kMeanDraw);
    if (!plan.is_bloom) return RibbonRate(plan.shape);
    return BlockedRate({.kind = BlockKind::kLine,
                        .blocks = plan.bloom_bytes / kRocksDbLineBytes,
                        .probes = RocksDbBloomProbes(setting_.millibits)},
                       keys);
  }

 private:
  static constexpr std::uint32_t kMeanDraw = 0x80000000;

  RibbonSetting setting_;
};

}  // namespace

std::unique_ptr<const FilterPolicy> NewRocksDbRibbonPolicy(
    double bits_per_key) {
  return std::make_unique<RocksDbRibbonPolicy>(bits_per_key);
}

Result<std::unique_ptr<const FilterReader>> OpenRocksDbRibbon(Slice bytes) {
  if (bytes.empty()) return NewNoKeys(std::string(kSpec));
  if (bytes.size() <= kRocksDbTrailerBytes) {
    return Status::Corruption(
        "rocksdb-ribbon: there is nothing before the trailer of 5 bytes");
  }
  const std::size_t length = bytes.size() - kRocksDbTrailerBytes;
  const Slice trailer = bytes.substr(length);
  if (ByteAt(trailer, 0) != kRocksDbRibbon) {
    return Status::Corruption("rocksdb-ribbon: the trailer is not a Ribbon's");
  }
  const std::uint64_t blocks =
      std::uint64_t{ByteAt(trailer, kBlocksAt)} |
      std::uint64_t{ByteAt(trailer, kBlocksAt + 1)} << 8 |
      std::uint64_t{ByteAt(trailer, kBlocksAt + 2)} << 16;
  if (blocks < 2) {
    return NewAlwaysMaybe(std::string(kSpec),
                          "fewer than 2 blocks are reserved by RocksDB");
  }
  // A remainder is ignored, as RocksDB does.
  const std::uint64_t segments = length / kRibbonSegmentBytes;
  if (segments == 0) {
    return NewAlwaysMaybe(std::string(kSpec), "it has no segment");
  }
  const unsigned ordinal = ByteAt(trailer, kSeedAt);
  RibbonSolution solution;
  solution.segments = reinterpret_cast<const unsigned char*>(bytes.data());
  solution.shape = RibbonShapeFor(blocks, segments);
  solution.seed = RibbonSeedFor(static_cast<std::uint8_t>(ordinal), blocks);
  return std::unique_ptr<const FilterReader>(
      std::make_unique<RocksDbRibbonReader>(solution, ordinal));
}

}  // namespace tamis
