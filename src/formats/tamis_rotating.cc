#include "formats/tamis_rotating.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/append_zeros.h"
#include "base/no_throw.h"
#include "formats/always_maybe.h"
#include "formats/bloom_mutable.h"
#include "formats/line_parts.h"
#include "formats/line_view.h"
#include "formats/rotating_bytes.h"
#include "formats/tamis_container.h"
#include "math/blocked_bloom.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

FilterInfo Describe(const RotatingFacts& facts,
                    std::span<const LinePart> parts) {
  FilterInfo info = DescribeParts(parts);
  info.kind = "rotating";
  info.keys = facts.all_keys();
  info.seed = facts.seed;
  return info;
}

class RotatingReader final : public FilterReader {
 public:
  explicit RotatingReader(ParsedRotating parsed)
      : facts_(std::move(parsed.facts)),
        parts_(GenerationsOf(facts_, BytesOf(parsed.lines))) {}

  bool MayContain(Slice key) const noexcept override {
    return CheckParts(parts_, LineDigest(key, facts_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    CheckPartsMany(parts_, facts_.seed, keys, out);
  }
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return facts_.seed;
  }
  bool MayContainHash(KeyHash hash) const noexcept override {
    return hash.seed != facts_.seed || CheckParts(parts_, hash.value);
  }
  void MayContainHashes(KeyHashes hashes,
                        std::span<bool> out) const noexcept override {
    if (hashes.seed == facts_.seed) {
      CheckPartsMany(parts_, hashes.values, out);
    } else {
      std::fill(out.begin(), out.end(), true);
    }
  }
  FilterInfo Describe() const override {
    return tamis::Describe(facts_, parts_);
  }

 private:
  RotatingFacts facts_;
  std::vector<LinePart> parts_;  // the newest first
};

class RotatingInMemory final : public RotatingFilter {
 public:
  // REQUIRES: `memory` has facts.LineBytes() bytes
  RotatingInMemory(RotatingFacts facts, BloomPayload memory)
      : facts_(std::move(facts)),
        memory_(std::move(memory)),
        parts_(GenerationsOf(facts_, memory_.bytes.get())) {}

  Status Insert(Slice key) override {
    InsertDigest(LineDigest(key, facts_.seed));
    return Status::Ok();
  }
  Status InsertMany(std::span<const Slice> keys) override {
    DigestGroup digests;
    while (!keys.empty()) {
      const std::size_t count =
          AskParts({&parts_.front(), 1}, facts_.seed, keys, &digests);
      for (std::size_t i = 0; i < count; ++i) InsertDigest(digests[i]);
      keys = keys.subspan(count);
    }
    return Status::Ok();
  }
  bool MayContain(Slice key) const noexcept override {
    return CheckParts(parts_, LineDigest(key, facts_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    CheckPartsMany(parts_, facts_.seed, keys, out);
  }
  FilterInfo Describe() const override {
    return tamis::Describe(facts_, parts_);
  }
  Status Save(std::string* dst) const override {
    const std::size_t start = dst->size();
    Status room = AppendZeros(dst, facts_.TotalBytes());
    if (!room.ok()) return room;
    char* whole = dst->data() + start;
    std::memcpy(whole + facts_.LinesAt(), memory_.bytes.get(), memory_.size);
    SealRotating({whole, dst->size() - start}, facts_);
    return Status::Ok();
  }

  Status Rotate() override {
    ++facts_.rotations;
    facts_.keys[facts_.newest()] = 0;
    // What was the oldest is the newest now.
    std::rotate(parts_.begin(), parts_.end() - 1, parts_.end());
    unsigned char* lines = NewestLines();
    for (std::uint64_t i = 0; i < facts_.lines; ++i) {
      std::memset(lines + i * parts_.front().stride, 0, kLineBytes);
    }
    return Status::Ok();
  }
  unsigned generations() const noexcept override {
    return facts_.generations();
  }
  std::uint64_t rotations() const noexcept override { return facts_.rotations; }

 private:
  unsigned char* NewestLines() noexcept {
    return memory_.bytes.get() + facts_.newest() * kLineBytes;
  }
  // Into the newest, whatever the older ones say: a key lives on by it.
  void InsertDigest(std::uint64_t digest) noexcept {
    facts_.keys[facts_.newest()] +=
        MarkNew(parts_.front(), NewestLines(), {&digest, 1});
  }

  RotatingFacts facts_;
  BloomPayload memory_;
  std::vector<LinePart> parts_;  // the newest first
};

class RotatingPolicy final : public FilterPolicy {
 public:
  // REQUIRES: `sizing` is that of one generation, and has no rate
  RotatingPolicy(const BloomSizing& sizing, unsigned generations,
                 std::uint64_t seed)
      : sizing_(sizing), generations_(generations), seed_(seed) {}

  std::string_view name() const noexcept override { return kTamisFilterName; }

  std::unique_ptr<FilterBuilder> NewBuilder(
      std::uint64_t /*expected_keys*/) const override {
    return NewBuilderWith({});
  }
  std::unique_ptr<FilterBuilder> NewBuilderWith(
      const BuildOptions& options) const override {
    return std::make_unique<DigestsBuilder>(
        seed_, options.repeats,
        [this](const DigestsBuilder::Digests& digests, std::string* dst) {
          return Write(digests, dst);
        });
  }

  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    Result<ParsedRotating> parsed = ParseRotating(bytes);
    if (!parsed.ok()) return parsed.status();
    if (!parsed->always_maybe.empty()) {
      return NewAlwaysMaybe("tamis", parsed->always_maybe);
    }
    return std::unique_ptr<const FilterReader>(
        std::make_unique<RotatingReader>(*std::move(parsed)));
  }

  Estimate Predict(std::uint64_t keys) const noexcept override {
    try {
      return PredictOrThrow(keys);
    } catch (const std::bad_alloc&) {
      return {.status = OutOfMemory()};
    }
  }
  Estimate PredictOrThrow(std::uint64_t keys) const {
    const RotatingFacts facts = Plan(keys);
    Estimate estimate = {.bytes = facts.TotalBytes(),
                         .bits = facts.LineBytes() * 8,
                         .probes = facts.probes,
                         .false_positive_rate = RateAt(keys, keys),
                         .status = CheckPlan(facts)};
    if (!estimate.status.ok()) {  // its size may be beyond 64 bits
      estimate.bits = kMostBloomBits;
      estimate.bytes = kMostBloomBits / 8;
    }
    return estimate;
  }
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    const double of_one = BlockedRate({.kind = BlockKind::kLine,
                                       .blocks = LinesFor(planned_keys),
                                       .probes = Probes()},
                                      keys);
    return -std::expm1(generations_ * std::log1p(-of_one));
  }

  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    Result<std::unique_ptr<RotatingFilter>> filter = NewRotating(planned_keys);
    if (!filter.ok()) return filter.status();
    return std::unique_ptr<MutableFilter>(*std::move(filter));
  }
  Result<std::unique_ptr<RotatingFilter>> NewRotating(
      std::uint64_t planned_keys) const {
    RotatingFacts facts = Plan(planned_keys);
    if (Status fits = CheckPlan(facts); !fits.ok()) return fits;
    Result<BloomPayload> memory = NewBloomPayload(facts.LineBytes());
    if (!memory.ok()) return memory.status();
    return std::unique_ptr<RotatingFilter>(std::make_unique<RotatingInMemory>(
        std::move(facts), *std::move(memory)));
  }

 private:
  std::uint64_t LinesFor(std::uint64_t keys) const noexcept {
    const std::uint64_t bits =
        sizing_.bits != 0 ? sizing_.bits
                          : BloomBitsAt(std::max<std::uint64_t>(keys, 1),
                                        sizing_.bits_per_key);
    return (bits + kLineBits - 1) / kLineBits;
  }
  unsigned Probes() const noexcept {
    return sizing_.probes != 0 ? sizing_.probes
                               : BestLineProbes(sizing_.bits_per_key);
  }
  RotatingFacts Plan(std::uint64_t keys) const {
    RotatingFacts facts;
    facts.seed = seed_;
    facts.lines = LinesFor(keys);
    facts.probes = Probes();
    facts.keys.resize(generations_);
    return facts;
  }
  static Status CheckPlan(const RotatingFacts& facts) {
    if (facts.lines <= kMostBloomBits / kLineBits / facts.generations()) {
      return Status::Ok();
    }
    return Status::InvalidArgument(
        "rotating: more than 2^62 bits; plan for fewer keys or fewer bits per "
        "key");
  }

  Status Write(const DigestsBuilder::Digests& digests, std::string* dst) const {
    RotatingFacts facts = Plan(digests.distinct);
    if (Status fits = CheckPlan(facts); !fits.ok()) return fits;
    const std::size_t start = dst->size();
    Status room = AppendZeros(dst, facts.TotalBytes());
    if (!room.ok()) return room;
    char* whole = dst->data() + start;
    unsigned char* lines = BytesOf(whole + facts.LinesAt());
    const LinePart newest = GenerationAt(facts, lines, 0);
    digests.all.ForEach([&](std::span<const std::uint64_t> some) {
      facts.keys[0] += MarkNew(newest, lines, some);
    });
    SealRotating({whole, dst->size() - start}, facts);
    return Status::Ok();
  }

  BloomSizing sizing_;
  unsigned generations_;
  std::uint64_t seed_;
};

Result<std::unique_ptr<const RotatingPolicy>> MakeRotatingPolicy(
    const RotatingSettings& settings, std::uint64_t seed) {
  const unsigned generations = settings.generations;
  if (generations < kLeastGenerations || generations > kMostGenerations) {
    return Status::InvalidArgument("rotating: from 2 to 64 generations, not " +
                                   std::to_string(generations));
  }
  BloomSizing sizing = settings.sizing;
  if (sizing.probes > kMaxLineProbes) {
    return Status::InvalidArgument("rotating: cannot make " +
                                   std::to_string(sizing.probes) +
                                   " probes per key");
  }
  if (sizing.rate > 0) {
    // All generations are right with the chance 1 - rate: each with the root.
    const double share = -std::expm1(std::log1p(-sizing.rate) / generations);
    sizing.rate = 0;
    sizing.bits_per_key = LineBitsPerKey(share);
    if (!(sizing.bits_per_key > 0)) {
      return Status::InvalidArgument(
          "rotating: no size has so low a rate of false positives");
    }
  }
  return std::make_unique<const RotatingPolicy>(sizing, generations, seed);
}

}  // namespace

Result<std::unique_ptr<const FilterPolicy>> NewTamisRotatingPolicy(
    const RotatingSettings& settings, std::uint64_t seed) {
  auto policy = MakeRotatingPolicy(settings, seed);
  if (!policy.ok()) return policy.status();
  return std::unique_ptr<const FilterPolicy>(*std::move(policy));
}

Result<std::unique_ptr<RotatingFilter>> NewTamisRotating(
    const RotatingSettings& settings, std::uint64_t seed,
    std::uint64_t planned_keys) {
  auto policy = MakeRotatingPolicy(settings, seed);
  if (!policy.ok()) return policy.status();
  return (*policy)->NewRotating(planned_keys);
}

Result<std::unique_ptr<RotatingFilter>> LoadTamisRotating(Slice bytes) {
  Result<ParsedRotating> parsed = ParseRotating(bytes);
  if (!parsed.ok()) return parsed.status();
  if (!parsed->always_maybe.empty()) {
    return Status::NotSupported("rotating: " + parsed->always_maybe);
  }
  Result<BloomPayload> memory = NewBloomPayload(parsed->lines.size());
  if (!memory.ok()) return memory.status();
  std::memcpy(memory->bytes.get(), parsed->lines.data(), memory->size);
  return std::unique_ptr<RotatingFilter>(std::make_unique<RotatingInMemory>(
      std::move(parsed->facts), *std::move(memory)));
}

}  // namespace tamis
