// SPDX-License-Identifier: Apache-2.0
#include "tamis/fold.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/append_zeros.h"
#include "base/no_throw.h"
#include "filters/bloom/fold_bits.h"
#include "policy/bloom_bits.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

constexpr std::uint64_t kBitsPerWord = 64;

std::uint64_t UnitsOf(const TamisBloom& bloom) noexcept {
  return bloom.parsed.parameters.bits / bloom.unit.bits;
}

// Returns the divisors in ascending order, from 1 to `number`.
std::vector<std::uint64_t> DivisorsOf(std::uint64_t number) {
  std::vector<std::uint64_t> divisors;
  for (std::uint64_t d = 1; d <= number / d; ++d) {
    if (number % d != 0) continue;
    divisors.push_back(d);
    if (d != number / d) divisors.push_back(number / d);
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

Status CheckDivisor(const TamisBloom& bloom, std::uint64_t divisor) {
  const std::uint64_t units = UnitsOf(bloom);
  if (divisor != 0 && units % divisor == 0) return Status::Ok();
  constexpr std::size_t kShown = 12;
  const std::vector<std::uint64_t> divisors = DivisorsOf(units);
  std::string known;
  for (std::size_t i = 0; i < std::min(divisors.size(), kShown); ++i) {
    if (i > 0) known += ", ";
    known += std::to_string(divisors[i]);
  }
  if (divisors.size() > kShown) known += ", ...";
  return Status::InvalidArgument(
      "fold: the filter has " + std::to_string(units) + " " +
      std::string(bloom.unit.name) + ", which " + std::to_string(divisor) +
      " does not divide; what does: " + known +
      (units % 2 != 0 ? "; one planned with fold=64, as by tamis "
                        "build --plan-keys, can be halved"
                      : ""));
}

// Returns the rate after folding, or any number above `most` if it is higher.
double FoldedRateOf(const TamisBloom& bloom, std::uint64_t divisor,
                    double most) {
  if (HasBlocks(bloom)) {
    return VisitShape(bloom, [&](const auto& shape) {
      return FoldedRate(shape, BitsOf(bloom), divisor, most);
    });
  }
  const BloomParameters& parameters = bloom.parsed.parameters;
  const std::uint64_t folded_bits = parameters.bits / divisor;
  const auto bits = static_cast<double>(folded_bits);
  const double most_set = bits * std::pow(most, 1.0 / parameters.probes);
  const std::uint64_t set =
      CountFoldedBits(BitsOf(bloom), parameters.bits, divisor,
                      // One more, because the root is not exact.
                      static_cast<std::uint64_t>(std::min(bits, most_set)) + 1);
  return BloomRateFromFill(static_cast<double>(set) / bits, parameters.probes);
}

double ExactRateOf(const TamisBloom& bloom, std::uint64_t divisor) {
  return FoldedRateOf(bloom, divisor, 1.0);
}

std::uint64_t PayloadBytes(const TamisBloom& bloom, std::uint64_t bits) {
  if (HasBlocks(bloom)) return bits / 8;
  return (bits + kBitsPerWord - 1) / kBitsPerWord * (kBitsPerWord / 8);
}

// Writes into `whole`, which is all zero and of the right size.
void WriteFolded(const TamisBloom& bloom, std::uint64_t divisor,
                 std::span<char> whole) {
  auto* into =
      reinterpret_cast<unsigned char*>(whole.data() + kTamisHeaderBytes);
  const BloomParameters& parameters = bloom.parsed.parameters;
  if (HasBlocks(bloom)) {
    VisitShape(bloom, [&]<typename Shape>(const Shape& /*shape*/) {
      FoldBlocks<Shape::kBytes>(BitsOf(bloom), divisor, into);
    });
  } else {
    FoldBits(BitsOf(bloom), parameters.bits, divisor, into);
  }
  TamisHeader header = NewTamisHeader(
      bloom.kind, parameters.seed, parameters.keys.value_or(kTamisKeysUnknown));
  header.size_parameter = UnitsOf(bloom) / divisor;
  header.parameter_a = parameters.probes;
  SealTamis(whole, header);
}

Result<FoldResult> Fold(Slice filter, std::uint64_t divisor, std::string* dst) {
  Result<TamisBloom> bloom = ParseTamisBloom(filter);
  if (!bloom.ok()) return bloom.status();
  if (Status fits = CheckDivisor(*bloom, divisor); !fits.ok()) return fits;
  FoldResult result;
  result.bytes = kTamisHeaderBytes +
                 PayloadBytes(*bloom, bloom->parsed.parameters.bits / divisor);
  result.rate_before = ExactRateOf(*bloom, 1);
  result.rate_after = ExactRateOf(*bloom, divisor);
  const std::size_t start = dst->size();
  if (Status room = AppendZeros(dst, result.bytes); !room.ok()) return room;
  WriteFolded(*bloom, divisor, {dst->data() + start, dst->size() - start});
  return result;
}

Result<double> FoldedRateOf(Slice filter, std::uint64_t divisor) {
  Result<TamisBloom> bloom = ParseTamisBloom(filter);
  if (!bloom.ok()) return bloom.status();
  if (Status fits = CheckDivisor(*bloom, divisor); !fits.ok()) return fits;
  return ExactRateOf(*bloom, divisor);
}

Result<std::uint64_t> FindDivisor(Slice filter, double rate) {
  Result<TamisBloom> bloom = ParseTamisBloom(filter);
  if (!bloom.ok()) return bloom.status();
  std::vector<std::uint64_t> divisors = DivisorsOf(UnitsOf(*bloom));
  // From the largest down: folds that are far too small are rejected quickly.
  while (divisors.back() != 1 &&
         !(FoldedRateOf(*bloom, divisors.back(), rate) <= rate)) {
    divisors.pop_back();
  }
  return divisors.back();
}

}  // namespace

Result<FoldResult> FoldFilter(Slice filter, std::uint64_t divisor,
                              std::string* dst) {
  return NoThrowAppending(dst, [&] { return Fold(filter, divisor, dst); });
}

Result<double> RateWhenFolded(Slice filter, std::uint64_t divisor) {
  return NoThrow([&] { return FoldedRateOf(filter, divisor); });
}

Result<std::uint64_t> LargestDivisorFor(Slice filter, double rate) {
  return NoThrow([&] { return FindDivisor(filter, rate); });
}

}  // namespace tamis
