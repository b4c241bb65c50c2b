// SPDX-License-Identifier: Apache-2.0
// formats/bloom_policy.h -- everything the Bloom formats share: policy,
// builder and reader, for any format that meets the concepts of bloom_format.h.
// Mutable filters are in bloom_mutable.h, the builder of a filter whose size is
// known beforehand in known_size_builder.h.

#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/no_throw.h"
#include "filters/bloom/bit_array.h"
#include "formats/always_maybe.h"
#include "formats/bloom_format.h"
#include "formats/bloom_mutable.h"
#include "formats/bloom_parameters.h"
#include "formats/known_size_builder.h"
#include "formats/taken_hash.h"
#include "hash/xxhash.h"
#include "sort/hash_buckets.h"
#include "tamis/filter.h"

namespace tamis {

// Returns whether such a filter can exist.
template <SizedFormat F>
Status CheckPlan(const F& format, const BloomParameters& parameters) noexcept {
  return NoThrow([&] {
    if (parameters.bits <= kMaxBloomBits) return format.CheckPlan(parameters);
    const std::string spec = format.spec_name();
    return Status::InvalidArgument(spec.substr(0, spec.find(':')) +
                                   ": more than 2^62 bits; plan for fewer keys "
                                   "or fewer bits per key");
  });
}

// Returns the format, or why its settings are not possible.
template <SizedFormat F>
Result<F> CheckedFormat(const F& format) {
  if (Status takes = format.CheckPlan(format.Plan(1)); !takes.ok()) {
    return takes;
  }
  return format;
}

template <QueryFormat F>
class BloomReader final : public FilterReader {
 public:
  // REQUIRES: `parsed` comes from format.Parse() and may be probed
  BloomReader(const F& format, const ParsedBloom& parsed)
      : format_(format),
        engine_(format, parsed.parameters),
        parameters_(parsed.parameters),
        payload_(parsed.payload) {}

  bool MayContain(Slice key) const noexcept override {
    return engine_.Check(BytesOf(payload_),
                         format_.HashOf(key, parameters_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    engine_.CheckMany(format_, parameters_.seed, BytesOf(payload_), keys, out);
  }
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return F::kHasSeed ? std::optional(parameters_.seed) : std::nullopt;
  }
  bool MayContainHash(KeyHash hash) const noexcept override {
    if constexpr (F::kHasSeed) {
      return hash.seed != parameters_.seed ||
             engine_.Check(BytesOf(payload_), hash.value);
    } else {
      return true;
    }
  }
  void MayContainHashes(KeyHashes hashes,
                        std::span<bool> out) const noexcept override {
    if constexpr (F::kHasSeed) {
      if (hashes.seed == parameters_.seed) {
        engine_.CheckMany(TakesHashes(), parameters_.seed, BytesOf(payload_),
                          hashes.values, out);
        return;
      }
    }
    std::fill(out.begin(), out.end(), true);
  }
  FilterInfo Describe() const override {
    return DescribeBloom(format_, engine_, parameters_, payload_);
  }

 private:
  F format_;
  typename F::Engine engine_;
  BloomParameters parameters_;
  Slice payload_;
};

template <BloomFormat F>
class BloomBuilder final : public FilterBuilder {
 public:
  using Hash = typename F::Hash;

  BloomBuilder(const F& format, RepeatedKeys repeats)
      : format_(format),
        seed_(format.Plan(0).seed),
        drops_neighbours_(F::kRepeats != CountedRepeats::kAll ||
                          repeats == RepeatedKeys::kOnce),
        counts_distinct_(repeats == RepeatedKeys::kOnce ||
                         (repeats == RepeatedKeys::kAsFormat &&
                          F::kRepeats == CountedRepeats::kNone)) {}

  void Add(Slice key) override {
    Identify(key);
    PushHash(format_.HashOf(key, seed_));
  }
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return F::kHasSeed ? std::optional(seed_) : std::nullopt;
  }

  void AddMany(std::span<const Slice> keys) override {
    constexpr std::size_t kGroup = 64;
    std::array<Hash, kGroup> hashes;
    for (; !keys.empty(); keys = keys.subspan(std::min(kGroup, keys.size()))) {
      const std::size_t count = std::min(kGroup, keys.size());
      for (std::size_t i = 0; i < count; ++i) {
        Identify(keys[i]);
        hashes[i] = format_.HashOf(keys[i], seed_);
      }
      std::size_t kept = 0;
      for (std::size_t i = 0; i < count; ++i) {
        hashes[kept] = hashes[i];
        kept += IsRepeat(hashes[i]) ? 0u : 1u;
      }
      if (!hashes_.Push({hashes.data(), kept})) out_of_memory_ = true;
    }
  }

  Status Finish(std::string* dst) override {
    return NoThrowAppending(dst, [&] { return Write(dst); });
  }
  std::optional<std::uint64_t> counted_keys() const override {
    return counted_;
  }

 private:
  // Whether hashes are too short to distinguish keys.
  static constexpr bool kHashesCollide = sizeof(Hash) < sizeof(std::uint64_t);

  bool TakeHash(KeyHash hash) override {
    if constexpr (F::kHasSeed) {
      static_assert(!kHashesCollide);
      if (hash.seed != seed_) return false;
      PushHash(hash.value);
      return true;
    } else {
      return false;
    }
  }
  void PushHash(const Hash& hash) {
    if (IsRepeat(hash)) return;
    if (!hashes_.PushBack(hash)) out_of_memory_ = true;
  }

  Status Write(std::string* dst) {
    if (out_of_memory_) {
      return Status::ResourceExhausted("no memory for the keys' hashes");
    }
    const std::optional<std::uint64_t> count = Count();
    if (!count.has_value()) {
      return Status::ResourceExhausted("no memory to count the keys");
    }
    BloomParameters parameters = format_.Plan(*count);
    parameters.keys = *count;
    if (Status fits = CheckPlan(format_, parameters); !fits.ok()) return fits;
    const typename F::Engine engine(format_, parameters);
    const auto mark = [&](unsigned char* bytes) {
      engine.MarkAll(bytes, hashes_);
    };
    Status written = AppendBloom(format_, parameters, mark, dst);
    if (written.ok()) counted_ = count;
    return written;
  }

  // Nothing: no memory.
  std::optional<std::uint64_t> Count() const noexcept {
    if (!counts_distinct_) return hashes_.size();
    return kHashesCollide ? identities_.CountDistinct()
                          : hashes_.CountDistinct();
  }
  void Identify(Slice key) noexcept {
    if (!kHashesCollide || !counts_distinct_) return;
    if (!identities_.PushBack(Xxh3(key, 0))) out_of_memory_ = true;
  }

  // Returns whether the hash repeats the one before, if such repeats do not
  // count.
  bool IsRepeat(const Hash& hash) noexcept {
    if (!drops_neighbours_) return false;
    const bool repeats = any_ && last_ == hash;
    last_ = hash;
    any_ = true;
    return repeats;
  }

  F format_;
  std::uint64_t seed_;
  const bool drops_neighbours_;
  const bool counts_distinct_;
  typename F::Engine::Hashes hashes_;
  HashBuckets identities_;  // of the keys, if their hashes are too short
  std::optional<std::uint64_t> counted_;
  Hash last_{};
  bool any_ = false;
  bool out_of_memory_ = false;
};

// Ok if b can be merged into a; else a Status that names the difference.
Status CheckMergeable(const ParsedBloom& a, const ParsedBloom& b);

// As FilterPolicy::Open().  Does not use the format's sizing.
template <BytesFormat F>
Result<std::unique_ptr<const FilterReader>> OpenBloom(const F& format,
                                                      Slice bytes) {
  Result<ParsedBloom> parsed = format.Parse(bytes);
  if (!parsed.ok()) return parsed.status();
  if (parsed->no_keys) return NewNoKeys(format.spec_name());
  if (!parsed->always_maybe.empty()) {
    return NewAlwaysMaybe(format.spec_name(), parsed->always_maybe);
  }
  return std::unique_ptr<const FilterReader>(
      std::make_unique<BloomReader<F>>(format, *parsed));
}

// Parses the filters to be combined, and compares their parameters.
template <BytesFormat F>
Result<std::vector<ParsedBloom>> ParseMergeable(
    const F& format, std::span<const Slice> filters) {
  if (filters.empty()) {
    return Status::InvalidArgument("there is no filter to combine");
  }
  std::vector<ParsedBloom> parts;
  for (Slice filter : filters) {
    Result<ParsedBloom> part = format.Parse(filter);
    if (!part.ok()) return part.status();
    parts.push_back(*std::move(part));
    Status fits = CheckMergeable(parts.front(), parts.back());
    if (!fits.ok()) return fits;
  }
  return parts;
}

// As FilterPolicy::Combine().  Does not use the format's sizing.
template <BytesFormat F>
Status CombineBloom(const F& format, std::span<const Slice> filters,
                    SetOperation operation, std::string* dst) {
  Result<std::vector<ParsedBloom>> parts = ParseMergeable(format, filters);
  if (!parts.ok()) return parts.status();
  BloomParameters parameters = parts->front().parameters;
  const auto merge = [&](unsigned char* bytes) {
    const std::span<unsigned char> bits(bytes, parts->front().payload.size());
    OrInto(bits, {BytesOf(parts->front().payload), bits.size()});
    for (std::size_t i = 1; i < parts->size(); ++i) {
      const std::span<const unsigned char> from(BytesOf((*parts)[i].payload),
                                                bits.size());
      if (operation == SetOperation::kUnion) {
        OrInto(bits, from);
      } else {
        AndInto(bits, from);
      }
    }
    // The number of common keys is unknown, so the number of keys of the result
    // is, too.
    if (parts->size() > 1) parameters.keys.reset();
  };
  return AppendBloom(format, parameters, merge, dst);
}

// What a format says by itself of its filters, however these are built.
template <SizedFormat F>
class SizedPolicy : public FilterPolicy {
 public:
  explicit SizedPolicy(const F& format) : format_(format) {}

  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return OpenBloom(format_, bytes);
  }

  Estimate Predict(std::uint64_t keys) const noexcept override {
    const BloomParameters parameters = format_.Plan(keys);
    return {.bytes = TotalBytes(format_, parameters),
            .bits = parameters.bits,
            .probes = parameters.probes,
            .false_positive_rate = format_.Rate(parameters, keys),
            .status = CheckPlan(format_, parameters)};
  }
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    return format_.Rate(format_.Plan(planned_keys), keys);
  }

 protected:
  const F& format() const noexcept { return format_; }

 private:
  F format_;
};

template <BloomFormat F>
class BloomPolicy final : public SizedPolicy<F> {
 public:
  using SizedPolicy<F>::SizedPolicy;

  std::string_view name() const noexcept override {
    return format().policy_name();
  }

  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options) const override {
    if (MarksAtOnce(options)) {
      return std::make_unique<KnownSizeBuilder<F>>(
          format(), options.exact_keys,
          CheckPlan(format(), format().Plan(options.exact_keys)));
    }
    return std::make_unique<BloomBuilder<F>>(format(), options.repeats);
  }

  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    const BloomParameters parameters = PlanToGrow(planned_keys);
    if (Status fits = CheckPlan(format(), parameters); !fits.ok()) return fits;
    return NewBloomMutable(format(), parameters);
  }

  Result<std::unique_ptr<ConcurrentFilter>> NewConcurrent(
      std::uint64_t planned_keys) const override {
    if constexpr (F::Engine::kConcurrent) {
      const BloomParameters parameters = PlanToGrow(planned_keys);
      if (Status fits = CheckPlan(format(), parameters); !fits.ok())
        return fits;
      return NewBloomConcurrent(format(), parameters);
    } else {
      return FilterPolicy::NewConcurrent(planned_keys);
    }
  }

  Status Combine(std::span<const Slice> filters, SetOperation operation,
                 std::string* dst) const override {
    return CombineBloom(format(), filters, operation, dst);
  }

 private:
  using SizedPolicy<F>::format;

  // Returns whether the number of keys is known, and can be checked without
  // keeping hashes: every key counts, or no repeats have to be searched for and
  // hashes are long enough to distinguish neighbours.
  static bool MarksAtOnce(const BuildOptions& options) noexcept {
    if (options.exact_keys == 0 || options.repeats == RepeatedKeys::kOnce) {
      return false;
    }
    if (F::kRepeats == CountedRepeats::kAll) return true;
    const bool neighbours_only = options.repeats == RepeatedKeys::kNeighbours ||
                                 F::kRepeats == CountedRepeats::kDistant;
    return neighbours_only && sizeof(typename F::Hash) >= sizeof(std::uint64_t);
  }

  // Some formats have no bits for no keys; a mutable filter needs some.
  BloomParameters PlanToGrow(std::uint64_t planned_keys) const noexcept {
    return format().Plan(std::max<std::uint64_t>(planned_keys, 1));
  }
};

}  // namespace tamis
