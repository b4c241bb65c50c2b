// SPDX-License-Identifier: Apache-2.0
// formats/classic_engine.h -- BloomPolicy's engine for unblocked filters: the
// bits of a key are anywhere (filters/bloom/classic_bloom.h).  F is a
// ClassicFormat (bloom_format.h).

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "filters/batch_loop.h"
#include "filters/bloom/bit_array.h"
#include "filters/bloom/classic_bloom.h"
#include "formats/bloom_format.h"
#include "formats/bloom_parameters.h"
#include "sort/hash_buckets.h"
#include "tamis/bloom_math.h"
#include "tamis/filter.h"

namespace tamis {

template <typename F>
class ClassicEngine {
 public:
  using Hash = typename F::Hash;
  using Hashes = HashBucketsOf<Hash>;
  using Probes = typename F::Probes;
  static_assert(ClassicFormat<F>);
  static constexpr bool kConcurrent = false;

  // REQUIRES: parameters.bits > 0, 0 < parameters.probes <= kMaxClassicProbes
  ClassicEngine(const F& format, const BloomParameters& parameters)
      : shape_(MakeClassicShape<Probes>(parameters.bits, parameters.probes,
                                        format.byte_flip())) {
    if (parameters.line_bits != 0) shape_.prepared = parameters.line_bits;
  }

  bool Check(const unsigned char* bytes, Hash hash) const noexcept {
    return CheckClassic<Probes>(bytes, shape_, hash);
  }

  // out[i] = Check() of format.HashOf(keys[i], seed), with the first probes
  // overlapped.
  template <typename Hasher, typename Key>
  void CheckMany(const Hasher& format, std::uint64_t seed,
                 const unsigned char* bytes, std::span<const Key> keys,
                 std::span<bool> out) const noexcept {
    constexpr std::size_t kGroup = 32;
    CheckBatch<kGroup, BatchOrder::kInTurn>(
        keys, out.data(),
        [&](const Key& key) {
          const Hash hash = format.HashOf(key, seed);
          PrefetchClassic<Probes>(bytes, shape_, hash);
          return hash;
        },
        [&](const Hash& hash) { return Check(bytes, hash); });
  }

  void Mark(unsigned char* bytes, Hash hash) const noexcept {
    MarkClassic<Probes>(bytes, shape_, hash);
  }
  // Mark() of format.HashOf(key, seed) for each of the keys, with the memory
  // accesses overlapped.
  template <typename Hasher, typename Key>
  void MarkMany(const Hasher& format, std::uint64_t seed, unsigned char* bytes,
                std::span<const Key> keys) const noexcept {
    constexpr std::size_t kGroup = 64;
    ForEachPrepared<kGroup, BatchOrder::kInTurn>(
        keys, [&](const Key& key) { return format.HashOf(key, seed); },
        [&](std::size_t /*first*/, std::span<const Hash> hashes) {
          MarkClassicMany<Probes>(bytes, shape_, hashes);
        });
  }
  void MarkAll(unsigned char* bytes, const Hashes& hashes) const noexcept {
    hashes.ForEach([&](std::span<const Hash> some) {
      MarkClassicMany<Probes>(bytes, shape_, some);
    });
  }

  // Fills in FilterInfo from the bits.
  void Describe(std::span<const unsigned char> bytes, FilterInfo* info) const {
    info->kind = "classic";
    info->set_bits = CountSetBits(bytes);
    info->rate = RateOf(info->set_bits, shape_.bits);
    if constexpr (requires { F::kKindName; }) {
      info->kind = F::kKindName;
      info->rate = MeanRateOfLines(bytes);
    }
    info->keys_by_fill = BloomKeysFromFill(
        shape_.bits, std::min(info->set_bits, shape_.bits), shape_.probes);
  }

 private:
  double RateOf(std::uint64_t set_bits, std::uint64_t bits) const noexcept {
    return BloomRateFromFill(
        static_cast<double>(set_bits) / static_cast<double>(bits),
        shape_.probes);
  }
  // If keys are confined to lines, each line has its own rate.
  // REQUIRES: shape_.prepared is a line's bits, whole bytes
  double MeanRateOfLines(std::span<const unsigned char> bytes) const noexcept {
    const auto line = static_cast<std::size_t>(shape_.prepared / 8);
    double rates = 0;
    for (std::size_t at = 0; at < bytes.size(); at += line) {
      rates += RateOf(CountSetBits(bytes.subspan(at, line)), shape_.prepared);
    }
    return rates * static_cast<double>(line) /
           static_cast<double>(bytes.size());
  }

  ClassicShape shape_;
};

}  // namespace tamis
