#include "formats/tamis_scalable.h"

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
#include "formats/scalable_bytes.h"
#include "formats/tamis_container.h"
#include "math/blocked_bloom.h"
#include "math/scalable_sizing.h"

namespace tamis {
namespace {

LinePart PartOf(const ScalablePartFacts& facts,
                const unsigned char* lines) noexcept {
  return {.lines = lines, .count = facts.lines, .probes = facts.probes};
}

FilterInfo Describe(const ScalableFacts& facts,
                    std::span<const LinePart> parts) {
  FilterInfo info = DescribeParts(parts);
  info.kind = "scalable";
  info.keys = facts.keys();
  info.seed = facts.seed;
  return info;
}

class ScalableReader final : public FilterReader {
 public:
  explicit ScalableReader(ParsedScalable parsed)
      : facts_(std::move(parsed.facts)) {
    // The newest first: it has more keys than all others together may have.
    for (std::size_t i = facts_.parts.size(); i-- > 0;) {
      parts_.push_back(PartOf(facts_.parts[i], BytesOf(parsed.lines[i])));
    }
  }

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
  ScalableFacts facts_;
  std::vector<LinePart> parts_;
};

class ScalableMutable final : public MutableFilter {
 public:
  ScalableMutable(std::uint64_t seed, const ScalableStart& start) {
    facts_.seed = seed;
    facts_.start = start;
    facts_.parts.reserve(kMostScalableParts);
    memory_.reserve(kMostScalableParts);
    parts_.reserve(kMostScalableParts);
  }

  // Opens the next part.  ResourceExhausted: as before.
  Status Grow() {
    return NoThrow([&] { return GrowOrThrow(); });
  }
  Status GrowOrThrow() {
    const auto i = static_cast<unsigned>(facts_.parts.size());
    if (i == kMostScalableParts) {
      return Status::ResourceExhausted("scalable: it has 48 parts already");
    }
    const ScalablePart plan = PlanScalablePart(facts_.start, i);
    if (plan.lines == 0 || plan.lines > kMostBloomBits / kLineBits) {
      return Status::ResourceExhausted(
          "scalable: its next part would be of no possible size");
    }
    return AddPart({.lines = plan.lines, .keys = 0, .probes = plan.probes}, {});
  }

  // Adds a part as it was saved; no `lines`: an empty one.
  // REQUIRES: fewer than kMostScalableParts are there
  Status AddPart(const ScalablePartFacts& facts, Slice lines) {
    Result<BloomPayload> memory = NewBloomPayload(facts.lines * kLineBytes);
    if (!memory.ok()) return memory.status();
    std::copy(lines.begin(), lines.end(), memory->bytes.get());
    parts_.insert(parts_.begin(), PartOf(facts, memory->bytes.get()));
    const auto i = static_cast<unsigned>(facts_.parts.size());
    facts_.parts.push_back(facts);
    memory_.push_back(*std::move(memory));
    newest_capacity_ = CapacityOfPart(facts_.start, i);
    return Status::Ok();
  }

  Status Insert(Slice key) override {
    return InsertDigest(LineDigest(key, facts_.seed));
  }
  Status InsertMany(std::span<const Slice> keys) override {
    DigestGroup digests;
    while (!keys.empty()) {
      const std::size_t count = AskParts(parts_, facts_.seed, keys, &digests);
      for (std::size_t i = 0; i < count; ++i) {
        Status inserted = InsertDigest(digests[i]);
        if (!inserted.ok()) return inserted;
      }
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
    char* at = whole + facts_.LinesAt();
    for (const BloomPayload& part : memory_) {
      std::memcpy(at, part.bytes.get(), part.size);
      at += part.size;
    }
    SealScalable({whole, dst->size() - start}, facts_);
    return Status::Ok();
  }

 private:
  Status InsertDigest(std::uint64_t digest) {
    if (CheckParts(parts_, digest)) return Status::Ok();
    if (facts_.parts.back().keys >= newest_capacity_) {
      if (Status grown = Grow(); !grown.ok()) return grown;
    }
    const LinePart& newest = parts_.front();
    MarkLine(memory_.back().bytes.get() + newest.OffsetOf(digest),
             LineBitsOf(digest), TamisLineProbes(newest.probes));
    ++facts_.parts.back().keys;
    return Status::Ok();
  }

  ScalableFacts facts_;
  std::vector<BloomPayload> memory_;  // the oldest part first, as in facts_
  std::vector<LinePart> parts_;       // the newest first
  std::uint64_t newest_capacity_ = 0;
};

class ScalablePolicy final : public FilterPolicy {
 public:
  ScalablePolicy(double first_share, std::uint64_t seed)
      : share_(first_share), seed_(seed) {}

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
    Result<ParsedScalable> parsed = ParseScalable(bytes);
    if (!parsed.ok()) return parsed.status();
    if (!parsed->always_maybe.empty()) {
      return NewAlwaysMaybe("tamis", parsed->always_maybe);
    }
    return std::unique_ptr<const FilterReader>(
        std::make_unique<ScalableReader>(*std::move(parsed)));
  }

  Estimate Predict(std::uint64_t keys) const noexcept override {
    try {
      return PredictOrThrow(keys);
    } catch (const std::bad_alloc&) {
      return {.status = OutOfMemory()};
    }
  }
  Estimate PredictOrThrow(std::uint64_t keys) const {
    const ScalableFacts facts = PlanFirst(keys);
    const ScalablePartFacts& part = facts.parts.front();
    Estimate estimate = {.bytes = facts.TotalBytes(),
                         .bits = part.lines * kLineBits,
                         .probes = part.probes,
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
    try {
      return ScalableRate(StartScalable(share_, planned_keys), keys);
    } catch (const std::bad_alloc&) {
      return 1.0;  // nothing is promised
    }
  }

  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    const ScalableFacts facts = PlanFirst(planned_keys);
    if (Status fits = CheckPlan(facts); !fits.ok()) return fits;
    auto filter = std::make_unique<ScalableMutable>(seed_, facts.start);
    if (Status room = filter->Grow(); !room.ok()) return room;
    return std::unique_ptr<MutableFilter>(std::move(filter));
  }

 private:
  ScalableFacts PlanFirst(std::uint64_t planned_keys) const {
    ScalableFacts facts;
    facts.seed = seed_;
    facts.start = StartScalable(share_, planned_keys);
    const ScalablePart plan = PlanScalablePart(facts.start, 0);
    facts.parts.push_back({.lines = plan.lines, .probes = plan.probes});
    return facts;
  }
  static Status CheckPlan(const ScalableFacts& facts) {
    if (facts.lines() <= kMostBloomBits / kLineBits) return Status::Ok();
    return Status::InvalidArgument(
        "scalable: more than 2^62 bits; plan for fewer keys");
  }

  Status Write(const DigestsBuilder::Digests& digests, std::string* dst) const {
    ScalableFacts facts = PlanFirst(digests.distinct);
    if (Status fits = CheckPlan(facts); !fits.ok()) return fits;
    const std::size_t start = dst->size();
    Status room = AppendZeros(dst, facts.TotalBytes());
    if (!room.ok()) return room;
    char* whole = dst->data() + start;
    unsigned char* lines = BytesOf(whole + facts.LinesAt());
    ScalablePartFacts& part = facts.parts.front();
    digests.all.ForEach([&](std::span<const std::uint64_t> some) {
      part.keys += MarkNew(PartOf(part, lines), lines, some);
    });
    SealScalable({whole, dst->size() - start}, facts);
    return Status::Ok();
  }

  double share_;
  std::uint64_t seed_;
};

// The rate of lines at that many bits per key, if there are many of them.
double RateAtBits(double bits_per_key) noexcept {
  constexpr std::uint64_t kManyLines = std::uint64_t{1} << 32;
  // Far beyond this every bit is set.
  constexpr double kMaxKeys = 1e18;
  const double keys = std::min(
      static_cast<double>(kManyLines * kLineBits) / bits_per_key, kMaxKeys);
  return BlockedRate({.kind = BlockKind::kLine,
                      .blocks = kManyLines,
                      .probes = BestLineProbes(bits_per_key)},
                     static_cast<std::uint64_t>(keys));
}

}  // namespace

Result<std::unique_ptr<const FilterPolicy>> NewTamisScalablePolicy(
    const BloomSizing& sizing, std::uint64_t seed) {
  if (sizing.bits != 0 || sizing.probes != 0) {
    return Status::InvalidArgument(
        "scalable: it chooses sizes and probes as it grows; give fpr, or the "
        "bits per key that it starts with");
  }
  const double share = sizing.bits_per_key > 0 ? RateAtBits(sizing.bits_per_key)
                                               : FirstShareOfRate(sizing.rate);
  const double last_share =
      share * std::pow(kScalableTightening, kMostScalableParts - 1);
  if (!(share < 1) || !(last_share > 0) || !(LineBitsPerKey(last_share) > 0)) {
    return Status::InvalidArgument(
        "scalable: no sizes of its parts have that rate of false positives");
  }
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<ScalablePolicy>(share, seed));
}

Result<std::unique_ptr<MutableFilter>> LoadTamisScalable(Slice bytes) {
  Result<ParsedScalable> parsed = ParseScalable(bytes);
  if (!parsed.ok()) return parsed.status();
  if (!parsed->always_maybe.empty()) {
    return Status::NotSupported("scalable: " + parsed->always_maybe);
  }
  const ScalableFacts& facts = parsed->facts;
  auto filter = std::make_unique<ScalableMutable>(facts.seed, facts.start);
  for (std::size_t i = 0; i < facts.parts.size(); ++i) {
    Status room = filter->AddPart(facts.parts[i], parsed->lines[i]);
    if (!room.ok()) return room;
  }
  return std::unique_ptr<MutableFilter>(std::move(filter));
}

}  // namespace tamis
