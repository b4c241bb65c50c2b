// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as one of our own containers.  Its checksums would reject
// nearly every input, so the input is also read as the fields of a header and a
// payload, and sealed with checksums that are right.

#include <cstring>

#include "formats/tamis/container.h"
#include "fuzz/fuzz_support.h"

namespace tamis::fuzz {
namespace {

// Returns a header whose fields are mostly close to valid ones.
TamisHeader HeaderFrom(Input* input) {
  const auto field = [input](std::uint16_t usual) {
    const std::uint8_t choice = input->TakeByte();
    return choice < 224 ? usual : static_cast<std::uint16_t>(choice & 3);
  };
  TamisHeader header;
  header.version = field(kTamisVersion);
  const std::uint8_t kind = input->TakeByte();
  header.kind = static_cast<std::uint16_t>(kind < 224 ? 1 + kind % 3 : kind);
  header.hash = field(static_cast<std::uint16_t>(TamisHash::kXxh3));
  header.flags = field(0);
  header.parameter_a = static_cast<std::uint32_t>(input->TakeNumber(2));
  header.parameter_b = field(0);
  header.seed = input->TakeNumber(8);
  header.keys = input->TakeNumber(8);
  return header;
}

// The bits of payload per unit of the size parameter, and the probes of the
// kind.
struct KindLimits {
  std::uint64_t unit_bits;
  std::uint32_t first_probes, probes;
};
KindLimits LimitsOf(const TamisHeader& header) {
  switch (static_cast<TamisKind>(header.kind)) {
    case TamisKind::kLineBloom:
      return {512, 0, 35};
    case TamisKind::kSplitBlock:
      return {256, 7, 3};
    default:  // unblocked; those of fuzz_open_family.cc; or none at all
      break;
  }
  return {1, 0, 0};
}

std::string SealedFrom(Slice bytes) {
  Input input(bytes);
  TamisHeader header = HeaderFrom(&input);
  const std::uint64_t size_choice = input.TakeNumber(8);
  const KindLimits limits = LimitsOf(header);
  if (limits.probes != 0 && header.parameter_a < 0x8000) {
    header.parameter_a =
        limits.first_probes + header.parameter_a % limits.probes;
  }
  Slice payload = input.rest();
  // Often a payload of whole blocks, and the size that fits it; else any.
  if ((size_choice & 64) == 0 && limits.unit_bits > 8) {
    const std::size_t unit = limits.unit_bits / 8;
    payload = payload.substr(0, payload.size() / unit * unit);
  }
  std::string whole(kTamisHeaderBytes, '\0');
  whole.append(payload);
  const std::uint64_t fitting =
      std::uint64_t{payload.size()} * 8 / limits.unit_bits;
  header.size_parameter =
      size_choice >> 63 == 0 ? fitting - (size_choice & 63) : size_choice << 1;
  SealTamis(whole, header);
  return whole;
}

// Flips any one bit of `bytes`, whose checksums are right.
void CheckFlippedBit(const FilterPolicy& policy, std::string bytes,
                     std::uint64_t choice) {
  const std::size_t at = choice / 8 % bytes.size();
  bytes[at] = static_cast<char>(bytes[at] ^ 1 << choice % 8);
  Check(!policy.Open(bytes).ok(), "one flipped bit is always noticed");
}

void CheckShortened(const FilterPolicy& policy, Slice bytes,
                    std::uint64_t choice) {
  const std::size_t size = choice % bytes.size();
  Check(!policy.Open(bytes.substr(0, size)).ok(), "a cut is always noticed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  CheckDoor("tamis:10", bytes);
  const std::uint64_t choice = Input(bytes).TakeNumber(8);
  const std::string sealed = SealedFrom(bytes);
  for (const char* spec :
       {"bloom:12.5,seed=7", "splitblock:9", "classic:12.5,seed=7"}) {
    const auto policy = PolicyOf(spec);
    CheckOpen(*policy, sealed);
    for (const std::string& whole : {sealed, CheckBuild(*policy, bytes)}) {
      CheckFlippedBit(*policy, whole, choice);
      CheckShortened(*policy, whole, choice);
    }
  }
  return 0;
}

}  // namespace tamis::fuzz
