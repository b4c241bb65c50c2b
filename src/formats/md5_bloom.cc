#include "formats/md5_bloom.h"

#include <array>

#include "base/coding.h"
#include "filters/probe_sequences.h"
#include "formats/bloom_policy.h"
#include "formats/lab_layout.h"
#include "hash/md5.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

class Md5Bloom {
 public:
  using Digest = DigestPair;
  using Probes = ExactSumProbes;
  static constexpr std::size_t kHeaderBytes = kLabHeaderBytes;
  static constexpr std::size_t kTrailerBytes = 0;
  static constexpr bool kCountsRepeats = true;
  static constexpr bool kHasSeed = false;

  explicit Md5Bloom(const BloomSizing& sizing) : sizing_(sizing) {}

  std::string_view policy_name() const noexcept { return "md5.Bloom"; }
  std::string spec_name() const { return "md5"; }
  std::string_view hash_name() const noexcept { return "md5"; }
  unsigned byte_flip() const noexcept { return 0; }

  Digest HashOf(Slice key, std::uint64_t /*seed*/) const noexcept {
    const std::array<std::uint8_t, 16> digest = Md5(key);
    return {LoadBig<std::uint64_t>(digest.data()),
            LoadBig<std::uint64_t>(digest.data() + 8)};
  }
  BloomFacts Plan(std::uint64_t keys) const noexcept {
    return PlanTextbook(sizing_, keys, kMaxClassicProbes);
  }
  Status CheckPlan(const BloomFacts& facts) const {
    if (facts.probes <= kMaxClassicProbes) return Status::Ok();
    return Status::InvalidArgument("md5: more than 255 probes");
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
    return ParseLab("md5", bytes, kMaxClassicProbes);
  }

 private:
  BloomSizing sizing_;
};

}  // namespace

std::unique_ptr<const FilterPolicy> NewMd5Policy(const BloomSizing& sizing) {
  return std::make_unique<BloomPolicy<Md5Bloom>>(Md5Bloom(sizing));
}

}  // namespace tamis
