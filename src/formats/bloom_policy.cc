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
  if (a.facts.bits != b.facts.bits) {
    return Status::InvalidArgument(
        Difference("their number of bits", a.facts.bits, b.facts.bits));
  }
  if (a.facts.line_bits != b.facts.line_bits) {
    return Status::InvalidArgument(
        Difference("the bits of a line", a.facts.line_bits, b.facts.line_bits));
  }
  if (a.facts.probes != b.facts.probes) {
    return Status::InvalidArgument(
        Difference("probes per key", a.facts.probes, b.facts.probes));
  }
  if (a.facts.seed != b.facts.seed) {
    return Status::InvalidArgument(
        Difference("their seed", a.facts.seed, b.facts.seed));
  }
  return Status::Ok();
}

}  // namespace tamis
