#include "verdict.h"

#include "tamis/bloom_math.h"

namespace tamis::tools {
namespace {

std::string_view WordFor(BloomHealth health) {
  switch (health) {
    case BloomHealth::kEmpty:
      return "empty";
    case BloomHealth::kSaturated:
      return "saturated";
    case BloomHealth::kOversized:
      return "oversized";
    case BloomHealth::kOk:
      break;
  }
  return "ok";
}

}  // namespace

Verdict VerdictOf(const FilterInfo& info) {
  Verdict verdict;
  if (!info.always_maybe.empty()) {
    verdict.word = "unknown";
    return verdict;
  }
  // A format's way to say "no keys" may leave no bits at all.
  verdict.rate = 0;
  verdict.word = "empty";
  if (info.bits == 0) return verdict;

  const auto bits = static_cast<double>(info.bits);
  verdict.word = WordFor(BloomHealthOf(info.bits, info.set_bits));
  verdict.fill = static_cast<double>(info.set_bits) / bits;
  verdict.rate = BloomRateFromFill(verdict.fill, info.probes);
  verdict.keys = info.keys.has_value()
                     ? static_cast<double>(*info.keys)
                     : BloomKeysFromFill(info.bits, info.set_bits, info.probes);
  if (verdict.keys > 0) verdict.bits_per_key = bits / verdict.keys;
  return verdict;
}

}  // namespace tamis::tools
