// SPDX-License-Identifier: Apache-2.0
#include "formats/teaching/lab_layout.h"

#include <string>

#include "base/coding.h"

namespace tamis {
namespace {

Status Bad(std::string_view name, std::string_view what) {
  return Status::Corruption(std::string(name).append(": ").append(what));
}

// Returns whether bits beyond the last position are set in the last byte.
bool HasStrayBits(Slice payload, std::uint64_t bits) noexcept {
  const unsigned used = bits % 8;
  return used != 0 && (static_cast<unsigned char>(payload.back()) >> used) != 0;
}

}  // namespace

void SealLab(std::span<char> whole,
             const BloomParameters& parameters) noexcept {
  StoreLittle<std::uint32_t>(whole.data(), parameters.probes);
  StoreLittle<std::uint64_t>(whole.data() + 4, parameters.bits);
}

Result<ParsedBloom> ParseLab(std::string_view name, Slice bytes,
                             unsigned max_probes) {
  if (bytes.size() < kLabHeaderBytes) {
    return Bad(name, "shorter than its header of 12 bytes");
  }
  ParsedBloom parsed;
  parsed.parameters.probes = LoadLittle32(bytes.data());
  parsed.parameters.bits = LoadLittle64(bytes.data() + 4);
  parsed.payload = bytes.substr(kLabHeaderBytes);
  if (parsed.parameters.probes == 0) return Bad(name, "k is 0");
  if (parsed.parameters.bits == 0) return Bad(name, "m is 0");
  if (parsed.payload.size() != LabPayloadBytes(parsed.parameters.bits)) {
    return Bad(name, "its length does not fit the m in its header");
  }
  if (HasStrayBits(parsed.payload, parsed.parameters.bits)) {
    return Bad(name, "bits are set beyond its last");
  }
  if (parsed.parameters.probes > max_probes) {
    parsed.always_maybe =
        "more than " + std::to_string(max_probes) + " probes are never written";
  }
  return parsed;
}

}  // namespace tamis
