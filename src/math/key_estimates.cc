// SPDX-License-Identifier: Apache-2.0
#include "math/key_estimates.h"

#include <algorithm>
#include <cmath>

namespace tamis {

double BloomKeysDeviation(std::uint64_t bits, unsigned probes,
                          double keys) noexcept {
  const double m = static_cast<double>(bits);
  const double t = probes * keys / m;
  return m / probes * std::sqrt(std::max(0.0, std::expm1(t) - t) / m);
}

double BlockedKeysDeviation(const BlockedShape& shape, double keys) noexcept {
  // A block has s bits, of which C stay clear; its number of keys is
  // Poisson-distributed with the mean `load`.  A key hits a given bit with
  // probability h, one of two bits of a word with probability `one_of_two`, one
  // of two in different words with probability 2 h - h^2.
  const bool lines = shape.kind == BlockKind::kLine;
  const double s = lines ? 512 : 256;
  const double word = lines ? 512 : 32;  // bits that a probe chooses from
  const double probes_of_word = lines ? shape.probes : 1;
  const double h = -std::expm1(probes_of_word * std::log1p(-1 / word));
  const double one_of_two = -std::expm1(probes_of_word * std::log1p(-2 / word));
  const double load = keys / static_cast<double>(shape.blocks);
  // The variance of C over its mean squared: covariances of each bit with
  // itself, with those of its word, and with those of other words; less a term
  // because the total number of keys is fixed.
  const double variance =
      (std::expm1(load * h) +
       (word - 1) * std::expm1(load * (2 * h - one_of_two)) +
       (s - word) * std::expm1(load * h * h)) /
          s -
      load * h * h;
  // The estimate is -ln(C) / h per block, so its deviation is the relative one
  // of C, divided by h.
  return std::sqrt(std::max(0.0, variance) *
                   static_cast<double>(shape.blocks)) /
         h;
}

}  // namespace tamis
