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

// Split blocks set eight bits per key, however many bits there are: half full
// is nothing they aim at.
BloomHealth SplitBlockHealth(const FilterInfo& info, double fill) {
  constexpr double kSaturatedFill = 0.7;    // errs at 6 %: 0.7^8
  constexpr double kOversizedFill = 0.125;  // at a quarter, 0.0015 %
  constexpr std::uint64_t kSmallBits = 8192;
  if (info.set_bits == 0) return BloomHealth::kEmpty;
  if (fill > kSaturatedFill) return BloomHealth::kSaturated;
  return info.bits > kSmallBits && fill < kOversizedFill
             ? BloomHealth::kOversized
             : BloomHealth::kOk;
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
  verdict.rate = info.rate;
  verdict.keys = info.keys.has_value() ? static_cast<double>(*info.keys)
                                       : info.keys_by_fill;
  if (verdict.keys > 0) verdict.bits_per_key = bits / verdict.keys;
  // The bits of a Ribbon are a solution, half of them set by chance.
  if (info.kind == "ribbon") {
    verdict.word = "ok";
    return verdict;
  }
  verdict.fill = static_cast<double>(info.set_bits) / bits;
  verdict.word = WordFor(info.kind == "splitblock"
                             ? SplitBlockHealth(info, verdict.fill)
                             : BloomHealthOf(info.bits, info.set_bits));
  return verdict;
}

}  // namespace tamis::tools
