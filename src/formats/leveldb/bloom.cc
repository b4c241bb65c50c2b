// SPDX-License-Identifier: Apache-2.0
#include "formats/leveldb/bloom.h"

#include <algorithm>
#include <cmath>

#include "filters/bloom/probe_sequences.h"
#include "formats/bloom_policy.h"
#include "formats/classic_engine.h"
#include "hash/leveldb_hash.h"
#include "math/leveldb_sizing.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

constexpr std::uint32_t kHashSeed = 0xbc9f1d34;  // LevelDB's, for Bloom

class LevelDbBloom {
 public:
  using Hash = std::uint32_t;
  using Probes = RotatedSumProbes;
  using Engine = ClassicEngine<LevelDbBloom>;
  static constexpr std::size_t kHeaderBytes = 0;
  static constexpr std::size_t kTrailerBytes = 1;  // the number of probes
  static constexpr auto kRepeats = CountedRepeats::kAll;  // as LevelDB does
  static constexpr bool kHasSeed = false;

  LevelDbBloom() = default;  // for reading, which needs no size
  explicit LevelDbBloom(const BloomSizing& sizing) : sizing_(sizing) {
    if (sizing.bits_per_key > 0) {
      bits_per_key_ =
          static_cast<std::uint64_t>(std::ceil(sizing.bits_per_key));
    } else if (sizing.rate > 0) {
      bits_per_key_ = LevelDbBitsPerKeyFor(sizing.rate);
    }
  }

  std::string_view policy_name() const noexcept { return kLevelDbBloomName; }
  std::string spec_name() const { return "leveldb"; }
  std::string_view hash_name() const noexcept { return "leveldb hash"; }
  unsigned byte_flip() const noexcept { return 0; }

  Hash HashOf(Slice key, std::uint64_t /*seed*/) const noexcept {
    return LevelDbHash(key, kHashSeed);
  }

  BloomParameters Plan(std::uint64_t keys) const noexcept {
    BloomParameters parameters;
    if (sizing_.bits != 0) {
      parameters.bits = (sizing_.bits + 7) / 8 * 8;
      parameters.probes = sizing_.probes;
    } else {
      parameters.bits = LevelDbBits(keys, bits_per_key_);
      parameters.probes =
          sizing_.probes != 0 ? sizing_.probes : LevelDbProbes(bits_per_key_);
    }
    return parameters;
  }

  Status CheckPlan(const BloomParameters& parameters) const {
    if (parameters.probes <= kMaxBloomProbes) return Status::Ok();
    return Status::InvalidArgument("leveldb: more than 30 probes are reserved");
  }
  std::uint64_t PayloadBytes(std::uint64_t bits) const noexcept {
    return bits / 8;
  }
  double Rate(const BloomParameters& parameters,
              std::uint64_t keys) const noexcept {
    return LevelDbRate(parameters.bits, keys, parameters.probes);
  }

  void Seal(std::span<char> whole,
            const BloomParameters& parameters) const noexcept {
    whole.back() = static_cast<char>(parameters.probes);
  }

  Result<ParsedBloom> Parse(Slice bytes) const {
    // LevelDB answers "absent" for an empty filter and for a single byte; it
    // writes neither.  They are remains of a damaged filter, and must not hide
    // a key.
    if (bytes.size() < 2) {
      return Status::Corruption("leveldb: fewer than 2 bytes are not a filter");
    }
    ParsedBloom parsed;
    parsed.payload = bytes.substr(0, bytes.size() - 1);
    parsed.parameters.bits = std::uint64_t{parsed.payload.size()} * 8;
    parsed.parameters.probes = static_cast<unsigned char>(bytes.back());
    if (parsed.parameters.probes == 0) {
      parsed.always_maybe = "no probe is made (k = 0)";
    } else if (parsed.parameters.probes > kMaxBloomProbes) {
      parsed.always_maybe = "more than 30 probes are reserved by LevelDB";
    }
    return parsed;
  }

 private:
  BloomSizing sizing_;
  std::uint64_t bits_per_key_ = 0;
};

// As CheckClassic(), but without a branch per probe: faster for keys that were
// added, which pass every probe, in a filter that is in the cache.
bool PassesAllProbes(const unsigned char* bytes, const ClassicShape& shape,
                     std::uint32_t hash) noexcept {
  RotatedSumProbes probes(hash, shape.bits, shape.prepared);
  unsigned all = 1;
  for (unsigned i = 0; i < shape.probes; ++i) {
    const std::uint64_t position = probes.Next();
    all &= unsigned{bytes[ClassicByteOf(shape, position)]} >> (position & 7);
  }
  return all != 0;
}

}  // namespace

std::unique_ptr<const FilterPolicy> NewLevelDbBloomPolicy(
    const BloomSizing& sizing) {
  return std::make_unique<BloomPolicy<LevelDbBloom>>(LevelDbBloom(sizing));
}

Result<std::unique_ptr<const FilterReader>> OpenLevelDbBloom(Slice bytes) {
  return OpenBloom(LevelDbBloom(), bytes);
}

bool LevelDbBloomMayContain(Slice filter, Slice key) noexcept {
  const unsigned probes = static_cast<unsigned char>(filter.back());
  if (probes > kMaxBloomProbes) return true;
  const ClassicShape shape = MakeClassicShape<RotatedSumProbes>(
      std::uint64_t{filter.size() - 1} * 8, probes);
  return CheckClassic<RotatedSumProbes>(BytesOf(filter), shape,
                                        LevelDbHash(key, kHashSeed));
}

void LevelDbBloomMayContainMany(Slice filter, std::span<const Slice> keys,
                                std::span<bool> out) noexcept {
  const unsigned probes = static_cast<unsigned char>(filter.back());
  if (probes > kMaxBloomProbes) {
    std::fill(out.begin(), out.end(), true);
    return;
  }
  // Takes a division, and so is made once.
  const ClassicShape shape = MakeClassicShape<RotatedSumProbes>(
      std::uint64_t{filter.size() - 1} * 8, probes);
  const unsigned char* const bytes = BytesOf(filter);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint32_t hash = LevelDbHash(keys[i], kHashSeed);
    out[i] = PassesAllProbes(bytes, shape, hash);
  }
}

}  // namespace tamis
