// SPDX-License-Identifier: Apache-2.0
// formats/teaching/lab_format.h -- the format of formats/teaching/lab_layout.h,
// for a scheme S that defines how keys are hashed:
//   S::Hash, S::Probes                    as bloom_format.h requires
//   S::kPolicyName, S::kSpecName, S::kHashName
//   S::kMaxProbes                         more are never written
//   S::HashOf(key) -> Hash

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "formats/bloom_policy.h"
#include "formats/classic_engine.h"
#include "formats/teaching/lab_layout.h"
#include "tamis/bloom_math.h"

namespace tamis {

template <typename S>
class LabFormat {
 public:
  using Hash = typename S::Hash;
  using Probes = typename S::Probes;
  using Engine = ClassicEngine<LabFormat>;
  static constexpr std::size_t kHeaderBytes = kLabHeaderBytes;
  static constexpr std::size_t kTrailerBytes = 0;
  static constexpr auto kRepeats = CountedRepeats::kAll;
  static constexpr bool kHasSeed = false;

  LabFormat() = default;  // for reading, which needs no size
  explicit LabFormat(const BloomSizing& sizing) : sizing_(sizing) {}

  std::string_view policy_name() const noexcept { return S::kPolicyName; }
  std::string spec_name() const { return std::string(S::kSpecName); }
  std::string_view hash_name() const noexcept { return S::kHashName; }
  unsigned byte_flip() const noexcept { return 0; }

  Hash HashOf(Slice key, std::uint64_t /*seed*/) const noexcept {
    return S::HashOf(key);
  }
  BloomParameters Plan(std::uint64_t keys) const noexcept {
    return PlanTextbook(sizing_, keys, S::kMaxProbes);
  }
  Status CheckPlan(const BloomParameters& parameters) const {
    if (parameters.probes <= S::kMaxProbes) return Status::Ok();
    return Status::InvalidArgument(spec_name() + ": more than " +
                                   std::to_string(S::kMaxProbes) + " probes");
  }
  std::uint64_t PayloadBytes(std::uint64_t bits) const noexcept {
    return LabPayloadBytes(bits);
  }
  double Rate(const BloomParameters& parameters,
              std::uint64_t keys) const noexcept {
    return BloomRate(parameters.bits, keys, parameters.probes);
  }
  void Seal(std::span<char> whole,
            const BloomParameters& parameters) const noexcept {
    SealLab(whole, parameters);
  }
  Result<ParsedBloom> Parse(Slice bytes) const {
    return ParseLab(S::kSpecName, bytes, S::kMaxProbes);
  }

 private:
  BloomSizing sizing_;
};

}  // namespace tamis
