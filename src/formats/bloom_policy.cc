// SPDX-License-Identifier: Apache-2.0
#include "formats/bloom_policy.h"

#include <string>

namespace tamis {
namespace {

std::string Difference(std::string_view what, std::uint64_t a,
                       std::uint64_t b) {
  return std::string("the filters differ in ")
      .append(what)
      .append(": ")
      .append(std::to_string(a))
      .append(" and ")
      .append(std::to_string(b))
      .append("; only filters of equal parameters can be combined");
}

}  // namespace

Status CheckMergeable(const ParsedBloom& a, const ParsedBloom& b) {
  for (const ParsedBloom* part : {&a, &b}) {
    if (part->no_keys) {
      return Status::InvalidArgument(
          "a filter cannot be combined: it was made without keys and has no "
          "bits");
    }
    if (part->always_maybe.empty()) continue;
    return Status::InvalidArgument("a filter cannot be combined: " +
                                   part->always_maybe);
  }
  if (a.parameters.bits != b.parameters.bits) {
    return Status::InvalidArgument(Difference(
        "their number of bits", a.parameters.bits, b.parameters.bits));
  }
  if (a.parameters.line_bits != b.parameters.line_bits) {
    return Status::InvalidArgument(Difference(
        "the bits of a line", a.parameters.line_bits, b.parameters.line_bits));
  }
  if (a.parameters.probes != b.parameters.probes) {
    return Status::InvalidArgument(
        Difference("probes per key", a.parameters.probes, b.parameters.probes));
  }
  if (a.parameters.seed != b.parameters.seed) {
    return Status::InvalidArgument(
        Difference("their seed", a.parameters.seed, b.parameters.seed));
  }
  return Status::Ok();
}

}  // namespace tamis
