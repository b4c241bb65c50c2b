// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/counting.h"

#include <algorithm>
#include <string>

#include "filters/bloom/counting_line.h"
#include "formats/tamis/erasable_policy.h"
#include "hash/xxhash.h"
#include "math/counting_sizing.h"
#include "math/fast_range.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

constexpr std::uint64_t kLineBitsStored = 8 * kCountingLineBytes;

class CountingEngine;

class TamisCounting {
 public:
  using Hash = std::uint64_t;
  using Engine = CountingEngine;
  static constexpr std::size_t kHeaderBytes = kTamisHeaderBytes;
  static constexpr std::size_t kTrailerBytes = 0;
  static constexpr bool kHasSeed = true;
  static constexpr ErasableKind kKind = {.kind = TamisKind::kCounting,
                                         .name = "counting",
                                         .least_a = 1,
                                         .most_a = kMaxCountingProbes,
                                         .b = 0};

  TamisCounting() = default;  // for reading, which needs no size
  // REQUIRES: `sizing` has bits per key or exact counters, not a rate
  TamisCounting(const BloomSizing& sizing, std::uint64_t seed)
      : sizing_(sizing), seed_(seed) {}

  std::string spec_name() const { return "tamis"; }
  std::string_view hash_name() const noexcept { return "xxh3"; }
  Hash HashOf(Slice key, std::uint64_t seed) const noexcept {
    return Xxh3(key, seed);
  }

  BloomParameters Plan(std::uint64_t keys) const noexcept {
    // Saturates as BloomBitsAt() does.
    const std::uint64_t bits = sizing_.bits != 0
                                   ? BloomBitsAt(sizing_.bits, kCounterBits)
                                   : BloomBitsAt(keys, sizing_.bits_per_key);
    BloomParameters parameters;
    parameters.seed = seed_;
    parameters.bits =
        (bits + kLineBitsStored - 1) / kLineBitsStored * kLineBitsStored;
    parameters.probes =
        sizing_.probes != 0
            ? sizing_.probes
            : BestCountingProbes(sizing_.bits_per_key / kCounterBits);
    return parameters;
  }
  Status CheckPlan(const BloomParameters& parameters) const {
    if (kKind.TakesA(parameters.probes)) return Status::Ok();
    return Status::InvalidArgument("counting: cannot make " +
                                   std::to_string(parameters.probes) +
                                   " probes per key; 1 to 32 it can");
  }
  // Counters accept any number of keys.
  BloomParameters Larger(const BloomParameters& parameters) const noexcept {
    return parameters;
  }
  std::uint64_t PayloadBytes(std::uint64_t bits) const noexcept {
    return bits / 8;
  }
  double Rate(const BloomParameters& parameters,
              std::uint64_t keys) const noexcept {
    return CountingRate(parameters.bits / kLineBitsStored, parameters.probes,
                        keys);
  }

  TamisHeader HeaderOf(const BloomParameters& parameters) const noexcept {
    return ErasableHeader(kKind, parameters, parameters.bits / kLineBitsStored);
  }
  void Seal(std::span<char> whole,
            const BloomParameters& parameters) const noexcept {
    SealTamis(whole, HeaderOf(parameters));
  }
  Result<ParsedBloom> Parse(Slice bytes) const {
    Result<ParsedErasable> parsed = ParseErasable(bytes, kKind);
    if (!parsed.ok()) return parsed.status();
    ParsedBloom& bloom = parsed->bloom;
    if (!bloom.always_maybe.empty()) return bloom;
    const std::uint64_t lines = parsed->blocks;
    if (lines == 0 || lines > kMaxBloomBits / kLineBitsStored ||
        bloom.payload.size() != lines * kCountingLineBytes) {
      return Status::Corruption("tamis: its payload does not fit its lines");
    }
    bloom.parameters.bits = lines * kLineBitsStored;
    return bloom;
  }
  Status CheckToLoad(const ParsedBloom& /*parsed*/) const {
    return Status::Ok();
  }

 private:
  BloomSizing sizing_;
  std::uint64_t seed_ = 0;
};

class CountingEngine {
 public:
  struct Query {
    const unsigned char* line;
    std::uint32_t bits;
  };

  CountingEngine(const TamisCounting& /*format*/,
                 const BloomParameters& parameters)
      : lines_(parameters.bits / kLineBitsStored), probes_(parameters.probes) {}

  [[gnu::always_inline]] Query Prepare(const unsigned char* bytes,
                                       std::uint64_t hash) const noexcept {
    const Query query = {bytes + OffsetOf(hash), BitsOf(hash)};
    __builtin_prefetch(query.line, 0, 2);
    // Bytes that the caller owns may be unaligned, so that a line spans two
    // cache lines.
    __builtin_prefetch(query.line + kCountingLineBytes - 1, 0, 2);
    return query;
  }
  bool Check(const Query& query) const noexcept {
    return CheckCounters(query.line, query.bits, probes_);
  }
  bool Check(const unsigned char* bytes, std::uint64_t hash) const noexcept {
    return CheckCounters(bytes + OffsetOf(hash), BitsOf(hash), probes_);
  }
  template <typename Hasher, typename Key>
  void CheckMany(const Hasher& format, std::uint64_t seed,
                 const unsigned char* bytes, std::span<const Key> keys,
                 std::span<bool> out) const noexcept {
    CheckErasable(
        *this, bytes, keys,
        [&](const Key& key) { return format.HashOf(key, seed); }, out.data());
  }
  bool Insert(unsigned char* bytes, std::uint64_t hash) const noexcept {
    AddToCounters(bytes + OffsetOf(hash), BitsOf(hash), probes_);
    return true;
  }
  bool Erase(unsigned char* bytes, std::uint64_t hash) const noexcept {
    if (!Check(bytes, hash)) return false;
    TakeFromCounters(bytes + OffsetOf(hash), BitsOf(hash), probes_);
    return true;
  }
  static void AddInto(std::span<unsigned char> into,
                      std::span<const unsigned char> from) noexcept {
    for (std::size_t at = 0; at < into.size(); at += kCountingLineBytes) {
      AddLine(into.data() + at, from.data() + at);
    }
  }

  // Fills in FilterInfo from the counters: each line has its own rate.
  void Describe(std::span<const unsigned char> bytes, FilterInfo* info) const {
    info->kind = TamisCounting::kKind.name;
    double rates = 0;
    for (std::size_t at = 0; at < bytes.size(); at += kCountingLineBytes) {
      const unsigned occupied = CountOccupied(bytes.data() + at);
      info->set_bits += occupied;
      rates += BloomRateFromFill(occupied / double{kCountersPerLine}, probes_);
    }
    info->rate = rates / static_cast<double>(lines_);
    info->keys_by_fill = CountingKeysFromFill(lines_, probes_, info->set_bits);
  }

 private:
  static std::uint32_t BitsOf(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash);
  }
  std::uint64_t OffsetOf(std::uint64_t hash) const noexcept {
    return FastRange(hash, lines_) * kCountingLineBytes;
  }

  std::uint64_t lines_;
  unsigned probes_;
};

Result<TamisCounting> CountingFormatOf(BloomSizing sizing, std::uint64_t seed) {
  if (sizing.rate > 0) {
    sizing.bits_per_key = kCounterBits * CountersPerKey(sizing.rate);
    sizing.rate = 0;
    if (!(sizing.bits_per_key > 0)) {
      return Status::InvalidArgument(
          "counting: no size has so low a rate of false positives");
    }
  }
  return CheckedFormat(TamisCounting(sizing, seed));
}

}  // namespace

Result<std::unique_ptr<const FilterPolicy>> NewTamisCountingPolicy(
    const BloomSizing& sizing, std::uint64_t seed) {
  return NewErasablePolicy(CountingFormatOf(sizing, seed));
}

Result<std::unique_ptr<ErasableFilter>> NewTamisCounting(
    const BloomSizing& sizing, std::uint64_t seed, std::uint64_t planned_keys) {
  return NewTamisErasable(CountingFormatOf(sizing, seed), planned_keys);
}

Result<std::unique_ptr<ErasableFilter>> LoadTamisCounting(Slice bytes) {
  return LoadTamisErasable(TamisCounting(), bytes);
}

Result<std::unique_ptr<const FilterReader>> OpenTamisCounting(Slice bytes) {
  return OpenBloom(TamisCounting(), bytes);
}

Status CombineTamisCounting(std::span<const Slice> filters,
                            SetOperation operation, std::string* dst) {
  return CombineErasable(TamisCounting(), filters, operation, dst);
}

}  // namespace tamis
