// SPDX-License-Identifier: Apache-2.0
#include "formats/rocksdb/bloom.h"

#include <bit>
#include <string>
#include <utility>

#include "base/coding.h"
#include "filters/bloom/block_shapes.h"
#include "filters/bloom/probe_sequences.h"
#include "formats/blocked_engine.h"
#include "formats/bloom_policy.h"
#include "formats/classic_engine.h"
#include "hash/rocksdb_hash32.h"
#include "hash/xxph3.h"
#include "math/blocked_bloom.h"
#include "math/rocksdb_sizing.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

constexpr LineFactors kRocksDbFactors = PowersOf(0x9e3779b9);
constexpr unsigned kMaxProbes = 30;  // 31 is reserved
constexpr std::uint32_t kLegacySeed = 0xbc9f1d34;

// Offsets from the start of the trailer.
constexpr std::size_t kImplementationAt = 1;  // 0: FastLocalBloom
constexpr std::size_t kProbesAt = 2;          // with the block's code above
constexpr std::size_t kLegacyLinesAt = 1;

// What the two have in common.
class RocksDbFormat {
 public:
  static constexpr std::size_t kHeaderBytes = 0;
  static constexpr std::size_t kTrailerBytes = kRocksDbTrailerBytes;
  static constexpr auto kRepeats = CountedRepeats::kDistant;
  static constexpr bool kHasSeed = false;

  std::string_view policy_name() const noexcept { return kRocksDbFilterName; }
  std::uint64_t PayloadBytes(std::uint64_t bits) const noexcept {
    return bits / 8;
  }

 protected:
  RocksDbFormat() = default;  // for reading, which needs no size
  // REQUIRES: `sizing` has bits per key or exact bits, not a rate
  explicit RocksDbFormat(const BloomSizing& sizing)
      : sizing_(sizing), millibits_(RocksDbMillibits(sizing.bits_per_key)) {}

  // RocksDB writes a bare trailer for no keys, and accepts up to 5 bytes as
  // one.  Of these lengths only 0 can be trusted: the others may be the remains
  // of a filter.
  static constexpr const char* kBareTrailer =
      "it is a trailer alone: either no key was added, or its lines are lost";
  static Status CheckLength(Slice bytes) {
    if (bytes.size() >= kTrailerBytes) return Status::Ok();
    return Status::Corruption("rocksdb: it is shorter than a trailer");
  }

  BloomSizing sizing_;
  unsigned millibits_ = 0;
};

class FastLocalBloom : public RocksDbFormat {
 public:
  using Hash = std::uint64_t;
  using Shape = LineShape;
  using Engine = BlockedEngine<FastLocalBloom>;
  static constexpr std::string_view kKindName = "bloom";
  static constexpr BlockKind kBlockKind = BlockKind::kLine;

  FastLocalBloom() = default;
  explicit FastLocalBloom(const BloomSizing& sizing) : RocksDbFormat(sizing) {}

  std::string spec_name() const { return "rocksdb"; }
  std::string_view hash_name() const noexcept { return "xxph3"; }

  Hash HashOf(Slice key, std::uint64_t /*seed*/) const noexcept {
    return FastLocalBloomHash(key);
  }
  std::uint64_t BlockOf(Hash hash, std::uint64_t blocks) const noexcept {
    return ((hash >> 32) * blocks) >> 32;
  }
  Shape ShapeOf(const BloomParameters& parameters) const noexcept {
    return LineShape({kRocksDbFactors.data(), parameters.probes});
  }

  BloomParameters Plan(std::uint64_t keys) const noexcept {
    BloomParameters parameters;
    if (sizing_.bits != 0) {
      parameters.bits = (sizing_.bits + kLineBits - 1) / kLineBits * kLineBits;
    } else {
      parameters.bits = 8 * RocksDbBloomBytes(keys, millibits_);
    }
    parameters.probes =
        sizing_.probes != 0 ? sizing_.probes : RocksDbBloomProbes(millibits_);
    return parameters;
  }
  Status CheckPlan(const BloomParameters& parameters) const {
    if (parameters.bits > 8 * kMaxRocksDbBloomBytes) {
      return Status::InvalidArgument(
          "rocksdb: a filter has at most 4 GiB less 64 bytes");
    }
    return Status::Ok();
  }
  double Rate(const BloomParameters& parameters,
              std::uint64_t keys) const noexcept {
    if (parameters.bits == 0) return 1.0;
    return BlockedRate({.kind = BlockKind::kLine,
                        .blocks = parameters.bits / kLineBits,
                        .probes = parameters.probes},
                       keys);
  }

  void Seal(std::span<char> whole,
            const BloomParameters& parameters) const noexcept {
    char* trailer = whole.data() + whole.size() - kTrailerBytes;
    trailer[0] = static_cast<char>(kRocksDbNewBloom);
    trailer[kProbesAt] = static_cast<char>(parameters.probes);
  }

  Result<ParsedBloom> Parse(Slice bytes) const {
    ParsedBloom parsed;
    parsed.no_keys = bytes.empty();
    if (parsed.no_keys) return parsed;
    if (Status room = CheckLength(bytes); !room.ok()) return room;
    parsed.payload = bytes.substr(0, bytes.size() - kTrailerBytes);
    parsed.always_maybe = WhyAlwaysMaybe(bytes.substr(parsed.payload.size()));
    if (!parsed.always_maybe.empty()) return parsed;
    if (parsed.payload.empty()) {
      parsed.always_maybe = kBareTrailer;
      return parsed;
    }
    // RocksDB reads past the end of a payload of less than a line; we do not.
    const std::uint64_t lines = parsed.payload.size() / kLineBytes;
    if (lines == 0) {
      return Status::Corruption("rocksdb: it is shorter than one line");
    }
    // A remainder is ignored, as RocksDB does.
    parsed.payload = parsed.payload.substr(0, lines * kLineBytes);
    parsed.parameters.bits = lines * kLineBits;
    parsed.parameters.probes =
        ByteAt(bytes, bytes.size() - kTrailerBytes + kProbesAt);
    return parsed;
  }

 private:
  static std::string WhyAlwaysMaybe(Slice trailer) {
    const unsigned mark = ByteAt(trailer, 0);
    if (mark == 0) return "RocksDB marked it as always matching";
    if (mark != kRocksDbNewBloom) {
      return "its kind (" + std::to_string(mark) + ") is reserved by RocksDB";
    }
    const unsigned probes = ByteAt(trailer, kProbesAt);
    if (ByteAt(trailer, kImplementationAt) != 0 || probes == 0 ||
        probes > kMaxProbes || ByteAt(trailer, 3) != 0 ||
        ByteAt(trailer, 4) != 0) {
      return "its trailer is reserved by RocksDB";
    }
    return {};
  }
};

class LegacyBloom : public RocksDbFormat {
 public:
  using Hash = std::uint32_t;
  using Probes = LineSumProbes;
  using Engine = ClassicEngine<LegacyBloom>;
  static constexpr std::string_view kKindName = "bloom";

  LegacyBloom() = default;
  explicit LegacyBloom(const BloomSizing& sizing) : RocksDbFormat(sizing) {}

  std::string spec_name() const { return "rocksdb-legacy"; }
  std::string_view hash_name() const noexcept { return "rocksdb hash"; }
  unsigned byte_flip() const noexcept { return 0; }

  Hash HashOf(Slice key, std::uint64_t /*seed*/) const noexcept {
    return RocksDbHash32(key, kLegacySeed);
  }

  BloomParameters Plan(std::uint64_t keys) const noexcept {
    BloomParameters parameters;
    parameters.line_bits = kLineBits;
    if (sizing_.bits != 0) {
      // An odd number of lines, as in RocksDB.
      const std::uint64_t lines = (sizing_.bits + kLineBits - 1) / kLineBits;
      parameters.bits = (lines | 1) * kLineBits;
      parameters.probes = sizing_.probes;
    } else {
      const RocksDbLegacySize size = RocksDbLegacySizeFor(keys, millibits_);
      parameters.bits = size.lines * kLineBits;
      parameters.probes = sizing_.probes != 0 ? sizing_.probes : size.probes;
    }
    return parameters;
  }
  Status CheckPlan(const BloomParameters& parameters) const {
    if (parameters.bits / kLineBits > ~std::uint32_t{0}) {
      return Status::InvalidArgument(
          "rocksdb-legacy: a filter has at most 2^32 - 1 lines");
    }
    return Status::Ok();
  }
  double Rate(const BloomParameters& parameters,
              std::uint64_t keys) const noexcept {
    if (parameters.bits == 0) return 1.0;
    const double rate = BlockedRate({.kind = BlockKind::kLine,
                                     .blocks = parameters.bits / kLineBits,
                                     .probes = parameters.probes},
                                    keys);
    // Keys with equal 32-bit hashes are one key.
    const double collisions =
        static_cast<double>(keys) / static_cast<double>(std::uint64_t{1} << 32);
    return std::min(1.0, rate + (1 - rate) * collisions);
  }

  void Seal(std::span<char> whole,
            const BloomParameters& parameters) const noexcept {
    char* trailer = whole.data() + whole.size() - kTrailerBytes;
    trailer[0] = static_cast<char>(parameters.probes);
    StoreLittle(
        trailer + kLegacyLinesAt,
        static_cast<std::uint32_t>(parameters.bits / parameters.line_bits));
  }

  Result<ParsedBloom> Parse(Slice bytes) const {
    if (Status room = CheckLength(bytes); !room.ok()) return room;
    ParsedBloom parsed;
    parsed.payload = bytes.substr(0, bytes.size() - kTrailerBytes);
    const Slice trailer = bytes.substr(parsed.payload.size());
    parsed.parameters.probes = ByteAt(trailer, 0);
    const std::uint64_t lines = LoadLittle32(trailer.data() + kLegacyLinesAt);
    const std::uint64_t length = parsed.payload.size();
    if (parsed.parameters.probes == 0 ||
        parsed.parameters.probes > kMaxRocksDbLegacyProbes) {
      parsed.always_maybe = "its kind is reserved by RocksDB";
    } else if (length == 0) {
      parsed.always_maybe = kBareTrailer;
    } else if (lines == 0 || length % lines != 0 ||
               !std::has_single_bit(length / lines)) {
      parsed.always_maybe = "its length does not fit its number of lines";
    } else {
      parsed.parameters.bits = 8 * length;
      parsed.parameters.line_bits = 8 * (length / lines);
    }
    return parsed;
  }
};

template <typename Format>
Result<std::unique_ptr<const FilterPolicy>> NewPolicy(BloomSizing sizing) {
  if (sizing.rate > 0) {
    sizing.bits_per_key = LineBitsPerKey(sizing.rate);
    sizing.rate = 0;
    if (!(sizing.bits_per_key > 0) || sizing.bits_per_key > 100) {
      return Status::InvalidArgument(
          "rocksdb: no size has so low a rate of false positives; 100 bits "
          "per key are the most");
    }
  }
  if (sizing.bits == 0 && RocksDbMillibits(sizing.bits_per_key) == 0) {
    return Status::InvalidArgument(
        "rocksdb: for fewer than 0.5 bits per key RocksDB makes no filter");
  }
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<BloomPolicy<Format>>(Format(sizing)));
}

}  // namespace

std::uint64_t FastLocalBloomHash(Slice key) noexcept {
  return std::rotl(Xxph3(key), 32);
}

Status AppendFastLocalBloom(const HashBuckets& hashes, std::uint64_t keys,
                            unsigned millibits, std::string* dst) {
  const FastLocalBloom format({.bits_per_key = millibits / 1000.0});
  const BloomParameters parameters = format.Plan(keys);
  const FastLocalBloom::Engine engine(format, parameters);
  const auto mark = [&](unsigned char* bytes) {
    engine.MarkAll(bytes, hashes);
  };
  return AppendBloom(format, parameters, mark, dst);
}

Result<std::unique_ptr<const FilterPolicy>> NewRocksDbBloomPolicy(
    const BloomSizing& sizing) {
  return NewPolicy<FastLocalBloom>(sizing);
}

Result<std::unique_ptr<const FilterPolicy>> NewRocksDbLegacyPolicy(
    const BloomSizing& sizing) {
  return NewPolicy<LegacyBloom>(sizing);
}

Result<std::unique_ptr<const FilterReader>> OpenRocksDbBloom(Slice bytes) {
  return OpenBloom(FastLocalBloom(), bytes);
}

Result<std::unique_ptr<const FilterReader>> OpenRocksDbLegacy(Slice bytes) {
  return OpenBloom(LegacyBloom(), bytes);
}

Status CombineRocksDbBloom(std::span<const Slice> filters,
                           SetOperation operation, std::string* dst) {
  return CombineBloom(FastLocalBloom(), filters, operation, dst);
}

Status CombineRocksDbLegacy(std::span<const Slice> filters,
                            SetOperation operation, std::string* dst) {
  return CombineBloom(LegacyBloom(), filters, operation, dst);
}

}  // namespace tamis
