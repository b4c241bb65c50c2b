// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/cuckoo.h"

#include <algorithm>
#include <string>

#include "filters/cuckoo/cuckoo_table.h"
#include "formats/tamis/erasable_policy.h"
#include "hash/xxhash.h"
#include "math/cuckoo_sizing.h"

namespace tamis {
namespace {

class CuckooEngine;

class TamisCuckoo {
 public:
  using Hash = std::uint64_t;
  using Engine = CuckooEngine;
  static constexpr std::size_t kHeaderBytes = kTamisHeaderBytes;
  static constexpr std::size_t kTrailerBytes = 0;
  static constexpr bool kHasSeed = true;
  static constexpr ErasableKind kKind = {.kind = TamisKind::kCuckoo,
                                         .name = "cuckoo",
                                         .least_a = kMinFingerprintBits,
                                         .most_a = kMaxFingerprintBits,
                                         .b = kCuckooSlots};

  TamisCuckoo() = default;  // for reading, which needs no size
  TamisCuckoo(const BloomSizing& sizing, std::uint64_t seed)
      : sizing_(sizing), seed_(seed) {}

  std::string spec_name() const { return "tamis"; }
  std::string_view hash_name() const noexcept { return "xxh3"; }
  Hash HashOf(Slice key, std::uint64_t seed) const noexcept {
    return Xxh3(key, seed);
  }

  // parameters.probes are the bits of a fingerprint.
  BloomParameters Plan(std::uint64_t keys) const noexcept {
    BloomParameters parameters;
    parameters.seed = seed_;
    if (sizing_.bits != 0) {
      parameters.probes = sizing_.probes;
      parameters.bits = BitsOf(BucketsOfSlots(sizing_.bits), parameters.probes);
      return parameters;
    }
    double slots_per_key = 0;
    if (sizing_.rate > 0) {
      parameters.probes = FingerprintBitsAt(sizing_.rate, keys);
    } else {
      parameters.probes = sizing_.probes != 0
                              ? sizing_.probes
                              : FingerprintBitsWithin(sizing_.bits_per_key);
      slots_per_key = sizing_.bits_per_key / std::max(parameters.probes, 1u);
    }
    parameters.bits =
        BitsOf(CuckooBuckets(keys, slots_per_key), parameters.probes);
    return parameters;
  }
  Status CheckPlan(const BloomParameters& parameters) const {
    if (kKind.TakesA(parameters.probes)) return Status::Ok();
    return Status::InvalidArgument(
        "cuckoo: fingerprints have 4 to 32 bits, not " +
        std::to_string(parameters.probes) +
        "; a key takes 1/0.95 of that, and its rate is about 8 / 2^bits");
  }
  // Larger by two percent, and by at least two buckets.
  BloomParameters Larger(BloomParameters parameters) const noexcept {
    if (sizing_.bits != 0) return parameters;
    const std::uint64_t buckets = BucketsOf(parameters);
    parameters.bits =
        BitsOf(buckets + buckets / 100 * 2 + 2, parameters.probes);
    return parameters;
  }
  std::uint64_t PayloadBytes(std::uint64_t bits) const noexcept {
    return bits / 8 + kCuckooPaddingBytes;
  }
  double Rate(const BloomParameters& parameters,
              std::uint64_t keys) const noexcept {
    return CuckooRate(
        {.buckets = BucketsOf(parameters), .bits = parameters.probes}, keys);
  }

  TamisHeader HeaderOf(const BloomParameters& parameters) const noexcept {
    return ErasableHeader(kKind, parameters, BucketsOf(parameters));
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
    const std::uint64_t buckets = parsed->blocks;
    bloom.parameters.bits = BitsOf(buckets, bloom.parameters.probes);
    if (buckets == 0 || buckets % 2 != 0 ||
        bloom.parameters.bits > kMaxBloomBits ||
        bloom.payload.size() != PayloadBytes(bloom.parameters.bits)) {
      return Status::Corruption("tamis: its payload does not fit its buckets");
    }
    const Slice padding =
        bloom.payload.substr(bloom.payload.size() - kCuckooPaddingBytes);
    if (padding.find_first_not_of('\0') != Slice::npos) {
      return Status::Corruption("tamis: bits are set beyond its last bucket");
    }
    return bloom;
  }
  // Every insertion took one slot, and every erasure freed one.
  Status CheckToLoad(const ParsedBloom& parsed) const {
    const CuckooTable table(BucketsOf(parsed.parameters),
                            parsed.parameters.probes);
    if (table.CountOccupied(BytesOf(parsed.payload)) ==
        parsed.parameters.keys) {
      return Status::Ok();
    }
    return Status::Corruption("tamis: its slots are not those of its keys");
  }

  static std::uint64_t BucketsOf(const BloomParameters& parameters) noexcept {
    return parameters.bits / (std::uint64_t{kCuckooSlots} * parameters.probes);
  }

 private:
  // Saturates at 2^63, which exceeds any possible size.
  static std::uint64_t BitsOf(std::uint64_t buckets, unsigned bits) noexcept {
    const std::uint64_t of_bucket = std::uint64_t{kCuckooSlots} * bits;
    if (bits != 0 && buckets > kMaxBloomBits / of_bucket) {
      return std::uint64_t{1} << 63;
    }
    return buckets * of_bucket;
  }
  static std::uint64_t BucketsOfSlots(std::uint64_t slots) noexcept {
    constexpr auto kSlotsOfPair = std::uint64_t{2} * kCuckooSlots;
    return (slots / kSlotsOfPair + (slots % kSlotsOfPair != 0 ? 1 : 0)) * 2;
  }

  BloomSizing sizing_;
  std::uint64_t seed_ = 0;
};

class CuckooEngine {
 public:
  struct Query {
    const unsigned char* slots;
    CuckooPlace place;
  };

  CuckooEngine(const TamisCuckoo& /*format*/, const BloomParameters& parameters)
      : table_(TamisCuckoo::BucketsOf(parameters), parameters.probes) {}

  [[gnu::always_inline]] Query Prepare(const unsigned char* bytes,
                                       std::uint64_t hash) const noexcept {
    const Query query = {bytes, table_.PlaceOf(hash)};
    table_.Prefetch(bytes, query.place);
    return query;
  }
  bool Check(const Query& query) const noexcept {
    return table_.Check(query.slots, query.place);
  }
  bool Check(const unsigned char* bytes, std::uint64_t hash) const noexcept {
    return table_.Check(bytes, table_.PlaceOf(hash));
  }
  template <typename Hasher, typename Key>
  void CheckMany(const Hasher& format, std::uint64_t seed,
                 const unsigned char* bytes, std::span<const Key> keys,
                 std::span<bool> out) const noexcept {
    CheckErasable(
        *this, bytes, keys,
        [&](const Key& key) { return format.HashOf(key, seed); }, out.data());
  }
  std::uint64_t Count(const unsigned char* bytes,
                      std::uint64_t hash) const noexcept {
    return table_.Count(bytes, table_.PlaceOf(hash));
  }
  bool Insert(unsigned char* bytes, std::uint64_t hash) const noexcept {
    return table_.Insert(bytes, table_.PlaceOf(hash));
  }
  bool Erase(unsigned char* bytes, std::uint64_t hash) const noexcept {
    return table_.Erase(bytes, table_.PlaceOf(hash));
  }

  // Fills in FilterInfo from the slots, assuming that no key is in twice.
  void Describe(std::span<const unsigned char> bytes, FilterInfo* info) const {
    info->kind = TamisCuckoo::kKind.name;
    info->set_bits = table_.CountOccupied(bytes.data());
    info->rate = CuckooRate(
        {.buckets = table_.buckets(), .bits = table_.bits()}, info->set_bits);
    info->keys_by_fill = static_cast<double>(info->set_bits);
  }

 private:
  CuckooTable table_;
};

Result<TamisCuckoo> CuckooFormatOf(const BloomSizing& sizing,
                                   std::uint64_t seed) {
  if (sizing.probes != 0 && sizing.bits_per_key > 0 &&
      sizing.probes > FingerprintBitsWithin(sizing.bits_per_key)) {
    return Status::InvalidArgument(
        "cuckoo: fingerprints of " + std::to_string(sizing.probes) +
        " bits need more bits per key: 1/0.95 of that");
  }
  return CheckedFormat(TamisCuckoo(sizing, seed));
}

}  // namespace

Result<std::unique_ptr<const FilterPolicy>> NewTamisCuckooPolicy(
    const BloomSizing& sizing, std::uint64_t seed) {
  return NewErasablePolicy(CuckooFormatOf(sizing, seed));
}

Result<std::unique_ptr<ErasableFilter>> NewTamisCuckoo(
    const BloomSizing& sizing, std::uint64_t seed, std::uint64_t planned_keys) {
  return NewTamisErasable(CuckooFormatOf(sizing, seed), planned_keys);
}

Result<std::unique_ptr<ErasableFilter>> LoadTamisCuckoo(Slice bytes) {
  return LoadTamisErasable(TamisCuckoo(), bytes);
}

Result<std::unique_ptr<const FilterReader>> OpenTamisCuckoo(Slice bytes) {
  return OpenBloom(TamisCuckoo(), bytes);
}

}  // namespace tamis
