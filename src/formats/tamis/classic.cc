// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/classic.h"

#include "base/coding.h"
#include "filters/bloom/probe_sequences.h"
#include "formats/bloom_policy.h"
#include "formats/classic_engine.h"
#include "formats/tamis/container.h"
#include "hash/xxhash.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

constexpr std::uint64_t kBitsPerWord = 64;

class TamisClassic {
 public:
  using Hash = std::uint64_t;
  using Probes = MultiplicativeProbes;
  using Engine = ClassicEngine<TamisClassic>;
  static constexpr std::size_t kHeaderBytes = kTamisHeaderBytes;
  static constexpr std::size_t kTrailerBytes = 0;
  static constexpr auto kRepeats = CountedRepeats::kNone;
  static constexpr bool kHasSeed = true;

  TamisClassic() = default;  // for reading, which needs no size
  TamisClassic(const BloomSizing& sizing, std::uint64_t seed)
      : sizing_(sizing), seed_(seed) {}

  std::string_view policy_name() const noexcept { return kTamisFilterName; }
  std::string spec_name() const { return "tamis"; }
  std::string_view hash_name() const noexcept { return "xxh3"; }
  unsigned byte_flip() const noexcept { return 0; }

  Hash HashOf(Slice key, std::uint64_t seed) const noexcept {
    return Xxh3(key, seed);
  }
  BloomParameters Plan(std::uint64_t keys) const noexcept {
    BloomParameters parameters = PlanTextbook(sizing_, keys, kMaxClassicProbes);
    parameters.seed = seed_;
    return parameters;
  }
  Status CheckPlan(const BloomParameters& parameters) const {
    if (parameters.probes > kMaxClassicProbes) {
      return Status::InvalidArgument("tamis: more than 255 probes");
    }
    return Status::Ok();
  }
  std::uint64_t PayloadBytes(std::uint64_t bits) const noexcept {
    return (bits + kBitsPerWord - 1) / kBitsPerWord * sizeof(std::uint64_t);
  }
  double Rate(const BloomParameters& parameters,
              std::uint64_t keys) const noexcept {
    return BloomRate(parameters.bits, keys, parameters.probes);
  }

  TamisHeader HeaderOf(const BloomParameters& parameters) const noexcept {
    TamisHeader header =
        NewTamisHeader(TamisKind::kClassicBloom, parameters.seed,
                       parameters.keys.value_or(kTamisKeysUnknown));
    header.size_parameter = parameters.bits;
    header.parameter_a = parameters.probes;
    return header;
  }
  void Seal(std::span<char> whole,
            const BloomParameters& parameters) const noexcept {
    SealTamis(whole, HeaderOf(parameters));
  }

  Result<ParsedBloom> Parse(Slice bytes) const {
    Result<TamisContents> contents = ParseTamis(bytes);
    if (!contents.ok()) return contents.status();
    const TamisHeader& header = contents->header;
    ParsedBloom parsed;
    parsed.payload = contents->payload;
    parsed.always_maybe = WhyAlwaysMaybe(header);
    if (!parsed.always_maybe.empty()) return parsed;

    parsed.parameters.bits = header.size_parameter;
    parsed.parameters.probes = header.parameter_a;
    parsed.parameters.seed = header.seed;
    if (header.keys != kTamisKeysUnknown) parsed.parameters.keys = header.keys;
    if (Status fits = CheckPayload(parsed); !fits.ok()) return fits;
    return parsed;
  }

 private:
  static std::string WhyAlwaysMaybe(const TamisHeader& header) {
    std::string reason = WhyUnreadable(header, TamisKind::kClassicBloom);
    if (!reason.empty()) return reason;
    if (header.parameter_a == 0 || header.parameter_a > kMaxClassicProbes ||
        header.parameter_b != 0) {
      return "its parameters are reserved";
    }
    return {};
  }

  Status CheckPayload(const ParsedBloom& parsed) const {
    const std::uint64_t bits = parsed.parameters.bits;
    if (bits == 0 || bits > kMaxBloomBits ||
        parsed.payload.size() != PayloadBytes(bits)) {
      return Status::Corruption("tamis: its payload does not fit its bits");
    }
    const std::uint64_t last_word = LoadLittle64(
        parsed.payload.data() + parsed.payload.size() - sizeof(std::uint64_t));
    if (bits % kBitsPerWord != 0 && (last_word >> (bits % kBitsPerWord)) != 0) {
      return Status::Corruption("tamis: bits are set beyond its last");
    }
    return Status::Ok();
  }

  BloomSizing sizing_;
  std::uint64_t seed_ = 0;
};

}  // namespace

std::unique_ptr<const FilterPolicy> NewTamisClassicPolicy(
    const BloomSizing& sizing, std::uint64_t seed) {
  return std::make_unique<BloomPolicy<TamisClassic>>(
      TamisClassic(sizing, seed));
}

Result<std::unique_ptr<const FilterReader>> OpenTamisClassic(Slice bytes) {
  return OpenBloom(TamisClassic(), bytes);
}

Status CombineTamisClassic(std::span<const Slice> filters,
                           SetOperation operation, std::string* dst) {
  return CombineBloom(TamisClassic(), filters, operation, dst);
}

Result<ParsedBloom> ParseTamisClassic(Slice bytes) {
  return TamisClassic().Parse(bytes);
}

Result<std::unique_ptr<MutableFilter>> LoadTamisClassic(Slice bytes) {
  return LoadBloomMutable(TamisClassic(), bytes);
}

}  // namespace tamis
