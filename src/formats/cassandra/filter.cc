// SPDX-License-Identifier: Apache-2.0
#include "formats/cassandra/filter.h"

#include <cmath>

#include "base/coding.h"
#include "filters/bloom/probe_sequences.h"
#include "formats/bloom_policy.h"
#include "formats/cassandra/version.h"
#include "formats/classic_engine.h"
#include "hash/murmur2.h"
#include "hash/murmur3.h"
#include "math/cassandra_sizing.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

constexpr std::uint64_t kBitsPerWord = 64;
constexpr std::uint64_t kMaxWords = 0x7fffffff;  // a signed int in Cassandra

class CassandraFilter {
 public:
  using Hash = HashPair;
  using Probes = SignedSumProbes;
  using Engine = ClassicEngine<CassandraFilter>;
  static constexpr std::size_t kHeaderBytes = 8;
  static constexpr std::size_t kTrailerBytes = 0;
  // Its partitions are distinct.
  static constexpr auto kRepeats = CountedRepeats::kNone;
  static constexpr bool kHasSeed = false;

  // For reading, which needs no size.
  CassandraFilter(std::string_view version, CassandraEra era)
      : version_(version), era_(era) {}
  CassandraFilter(const CassandraOptions& options, CassandraEra era,
                  CassandraSpec spec)
      : version_(options.version),
        era_(era),
        sizing_(options.sizing),
        textbook_(options.textbook_sizing || options.sizing.bits != 0),
        spec_(spec) {}

  std::string_view policy_name() const noexcept {
    return CassandraFilterName(era_);
  }
  std::string spec_name() const { return "cassandra:" + version_; }
  std::string_view hash_name() const noexcept {
    return era_ == CassandraEra::kMurmur2 ? "murmur2 (cassandra)"
                                          : "murmur3 (cassandra)";
  }
  unsigned byte_flip() const noexcept {
    return era_ == CassandraEra::kNativeOrder ? 0 : 7;
  }

  Hash HashOf(Slice key, std::uint64_t /*seed*/) const noexcept {
    if (era_ == CassandraEra::kMurmur2) {
      const Hash128 hash = Murmur2CassandraPair(key);
      return {hash.h1, hash.h2};
    }
    const Hash128 hash = Murmur3Cassandra(key);
    if (era_ == CassandraEra::kMurmur3) return {hash.h1, hash.h2};
    return {hash.h2, hash.h1};
  }

  BloomParameters Plan(std::uint64_t keys) const noexcept {
    if (textbook_) {
      BloomParameters parameters = PlanTextbook(sizing_, keys, kMaxBloomProbes);
      parameters.bits =
          (parameters.bits + kBitsPerWord - 1) / kBitsPerWord * kBitsPerWord;
      return parameters;
    }
    BloomParameters parameters;
    parameters.bits = CassandraWords(keys, spec_.buckets) * kBitsPerWord;
    parameters.probes = spec_.probes;
    return parameters;
  }

  Status CheckPlan(const BloomParameters& parameters) const {
    if (parameters.probes > kMaxBloomProbes) {
      return Status::InvalidArgument("cassandra: more than 30 probes");
    }
    if (parameters.bits / kBitsPerWord > kMaxWords) {
      return Status::InvalidArgument(
          "cassandra: Filter.db cannot hold more than 2^31 - 1 words (16 GiB);"
          " use fewer bits per key or fewer keys");
    }
    return Status::Ok();
  }
  std::uint64_t PayloadBytes(std::uint64_t bits) const noexcept {
    return bits / 8;
  }
  double Rate(const BloomParameters& parameters,
              std::uint64_t keys) const noexcept {
    return BloomRate(parameters.bits, keys, parameters.probes);
  }

  void Seal(std::span<char> whole,
            const BloomParameters& parameters) const noexcept {
    StoreBig<std::uint32_t>(whole.data(), parameters.probes);
    StoreBig(whole.data() + 4,
             static_cast<std::uint32_t>(parameters.bits / kBitsPerWord));
  }

  Result<ParsedBloom> Parse(Slice bytes) const {
    ParsedBloom parsed;
    if (bytes.empty()) {
      parsed.always_maybe = "an empty Filter.db: the table has no filter";
      return parsed;
    }
    if (bytes.size() < kHeaderBytes) {
      return Status::Corruption(
          "cassandra: shorter than its header of 8 bytes");
    }
    const auto probes = LoadBig<std::uint32_t>(bytes.data());
    const std::uint64_t words = LoadBig<std::uint32_t>(bytes.data() + 4);
    parsed.payload = bytes.substr(kHeaderBytes);
    if (words == 0 || words > kMaxWords ||
        parsed.payload.size() != words * sizeof(std::uint64_t)) {
      return Status::Corruption(
          "cassandra: its length does not fit the number of words in its "
          "header");
    }
    if (probes > kMaxBloomProbes) {
      return Status::Corruption("cassandra: no version makes " +
                                std::to_string(probes) + " probes");
    }
    if (probes == 0) parsed.always_maybe = "no probe is made (k = 0)";
    parsed.parameters.bits = words * kBitsPerWord;
    parsed.parameters.probes = probes;
    return parsed;
  }

 private:
  std::string version_;
  CassandraEra era_;
  BloomSizing sizing_;
  bool textbook_ = false;
  CassandraSpec spec_;  // used unless textbook_
};

Result<CassandraSpec> SpecBySizing(const BloomSizing& sizing) {
  CassandraSpec spec;
  if (sizing.rate > 0) {
    Result<CassandraSpec> found = CassandraSpecFor(sizing.rate);
    if (!found.ok()) return found.status();
    spec = *found;
  } else {
    const double buckets = std::ceil(sizing.bits_per_key);
    if (buckets > kMaxCassandraBuckets) {
      return Status::InvalidArgument(
          "cassandra: its sizing table ends at 20 bits per key; use "
          "textbook sizing for more");
    }
    spec.buckets = static_cast<unsigned>(buckets);
    spec.probes = CassandraBestProbes(spec.buckets);
  }
  if (sizing.probes != 0) spec.probes = sizing.probes;
  return spec;
}

// Stands for its era where nobody says which version it is.
std::string_view LastVersionOf(CassandraEra era) noexcept {
  switch (era) {
    case CassandraEra::kMurmur2:
      return "hf";
    case CassandraEra::kMurmur3:
      return "lb";
    case CassandraEra::kSwapped:
      return "me";
    case CassandraEra::kNativeOrder:
      break;
  }
  return kNewestCassandraVersion;
}

}  // namespace

std::string_view CassandraFilterName(CassandraEra era) noexcept {
  switch (era) {
    case CassandraEra::kMurmur2:
      return "cassandra.FilterMurmur2";
    case CassandraEra::kMurmur3:
      return "cassandra.FilterMurmur3";
    case CassandraEra::kSwapped:
      return "cassandra.FilterMurmur3Swapped";
    case CassandraEra::kNativeOrder:
      break;
  }
  return "cassandra.FilterMurmur3Native";
}

Result<std::unique_ptr<const FilterReader>> OpenCassandraFilter(
    CassandraEra era, Slice bytes) {
  return OpenBloom(CassandraFilter(LastVersionOf(era), era), bytes);
}

Result<std::unique_ptr<const FilterPolicy>> NewCassandraPolicy(
    const CassandraOptions& options) {
  const std::optional<CassandraEra> era = CassandraEraOf(options.version);
  if (!era.has_value()) {
    return Status::InvalidArgument(
        "cassandra: unknown sstable version \"" + options.version +
        "\"; known are f to hf, ia, ib, ic, ja, jb, ka, la, lb, ma, mb, mc, "
        "md, me, ms, mt, na, nb, nc, oa and da");
  }
  CassandraSpec spec;
  if (!options.textbook_sizing && options.sizing.bits == 0) {
    Result<CassandraSpec> found = SpecBySizing(options.sizing);
    if (!found.ok()) return found.status();
    spec = *found;
  }
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<BloomPolicy<CassandraFilter>>(
          CassandraFilter(options, *era, spec)));
}

}  // namespace tamis
