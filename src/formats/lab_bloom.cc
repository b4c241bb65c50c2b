#include "formats/lab_bloom.h"

#include "filters/probe_sequences.h"
#include "formats/bloom_policy.h"
#include "formats/lab_layout.h"
#include "hash/fnv1a.h"
#include "hash/splitmix64.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

class LabBloom {
 public:
  using Digest = std::uint64_t;
  using Probes = HalvesSumProbes;
  static constexpr std::size_t kHeaderBytes = kLabHeaderBytes;
  static constexpr std::size_t kTrailerBytes = 0;
  static constexpr bool kCountsRepeats = true;
  static constexpr bool kHasSeed = false;

  explicit LabBloom(const BloomSizing& sizing) : sizing_(sizing) {}

  std::string_view policy_name() const noexcept {
    return "lab.BloomFnvSplitMix";
  }
  std::string spec_name() const { return "lab"; }
  std::string_view hash_name() const noexcept { return "fnv-1a + splitmix64"; }
  unsigned byte_flip() const noexcept { return 0; }

  Digest HashOf(Slice key, std::uint64_t /*seed*/) const noexcept {
    return SplitMix64(Fnv1a64(key));
  }
  BloomFacts Plan(std::uint64_t keys) const noexcept {
    return PlanTextbook(sizing_, keys, kMaxBloomProbes);
  }
  Status CheckPlan(const BloomFacts& facts) const {
    if (facts.probes <= kMaxBloomProbes) return Status::Ok();
    return Status::InvalidArgument("lab: more than 30 probes");
  }
  std::uint64_t PayloadBytes(std::uint64_t bits) const noexcept {
    return LabPayloadBytes(bits);
  }
  double Rate(const BloomFacts& facts, std::uint64_t keys) const noexcept {
    return BloomRate(facts.bits, keys, facts.probes);
  }
  void Seal(std::span<char> whole, const BloomFacts& facts) const noexcept {
    SealLab(whole, facts);
  }
  Result<ParsedBloom> Parse(Slice bytes) const {
    return ParseLab("lab", bytes, kMaxBloomProbes);
  }

 private:
  BloomSizing sizing_;
};

}  // namespace

std::unique_ptr<const FilterPolicy> NewLabPolicy(const BloomSizing& sizing) {
  return std::make_unique<BloomPolicy<LabBloom>>(LabBloom(sizing));
}

}  // namespace tamis
