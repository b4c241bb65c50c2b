// SPDX-License-Identifier: Apache-2.0
// bench/boost_filters.h -- filters of Boost.Bloom behind a narrow interface:
// its headers choose their instructions when they are compiled, so
// boost_filters.cc has compiler flags of its own, and little else in it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tamis::bench {

// Takes hashes, of which all bits look random.
class BoostFilter {
 public:
  virtual ~BoostFilter() = default;

  virtual void InsertEach(std::span<const std::uint64_t> hashes) = 0;
  virtual void InsertMany(std::span<const std::uint64_t> hashes) = 0;
  // Both write whether hashes[i] may be in to out[i].  REQUIRES: `out` is as
  // long as `hashes`
  virtual void AskEach(std::span<const std::uint64_t> hashes,
                       std::span<bool> out) const = 0;
  virtual void AskMany(std::span<const std::uint64_t> hashes,
                       std::span<bool> out) const = 0;
  virtual std::uint64_t bytes() const = 0;
};

enum class BoostKind {
  kMultiblock,  // multiblock<std::uint64_t, 6>: six bits, each in its word
  kFast,        // fast_multiblock64<8>: a bit in each word of a line, by SIMD
};

// A filter of so many bits, in huge pages, without hashes.
// REQUIRES: BoostHere() == BoostPresence::kYes
std::unique_ptr<BoostFilter> NewBoostFilter(BoostKind kind, std::uint64_t bits);

enum class BoostPresence {
  kNoHeaders,  // when this program was built
  kOtherCpu,   // the program's code of Boost needs instructions of another CPU
  kYes,
};
BoostPresence BoostHere();

// Whether many hashes can be passed in one call: since Boost 1.90.
bool BoostTakesMany();

}  // namespace tamis::bench
