// SPDX-License-Identifier: Apache-2.0
// tamis/line_query.h -- queries of one .tamis filter of the default kind
// ("bloom") key by key, without a virtual call, and with the address of the
// key's line beforehand: a loop that knows its keys a few steps ahead
// prefetches their lines, and waits for none.
//
//   const auto query = LineQuery::Open(bytes);      // once per filter
//   if (!query.has_value()) ...                     // use a FilterReader
//   __builtin_prefetch(query->LineOf(later));       // some keys ahead
//   if (query->MayContain(hash)) ...
//
// It gives the answers of FilterReader::MayContainHash(), with fewer
// instructions, so that more queries overlap even where nothing is prefetched.
// For keys that are at hand all at once, FilterReader::MayContainHashes() is
// simpler.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tamis/export.h"
#include "tamis/key_hash.h"
#include "tamis/slice.h"

namespace tamis {

struct WideLineProbes;  // internal: how a key probes its line

// A small value that refers to bytes that the caller owns.  Safe to share among
// threads.
class TAMIS_EXPORT LineQuery {
 public:
  // Returns a query of the filter in `bytes`, whose checksums it verifies.
  // Nothing: the bytes are damaged, of another kind or of a later version, or
  // the filter has 256 GiB or more; FilterPolicy::Open() tells which.
  // REQUIRES: `bytes` outlives the result, unchanged
  static std::optional<LineQuery> Open(Slice bytes) noexcept;

  // The seed of the hashes that it accepts.
  std::uint64_t hash_seed() const noexcept { return seed_; }

  // False only if the key of this hash was certainly never added.  A hash with
  // the wrong seed is "maybe".
  bool MayContain(KeyHash hash) const noexcept {
    return hash.seed != seed_ || check_(lines_, count_, hash.value, *probes_);
  }

  // Returns where the 64 bytes are that MayContain() reads for this hash.  With
  // the wrong seed: others of the filter.
  const unsigned char* LineOf(KeyHash hash) const noexcept {
    // Number hash * count / 2^64: in two steps of 64 bits, since there are
    // fewer than 2^32 lines.
    const std::uint64_t low = (hash.value & 0xffffffff) * count_ >> 32;
    const std::uint64_t number = ((hash.value >> 32) * count_ + low) >> 32;
    return lines_ + static_cast<std::size_t>(number) * kLineBytes;
  }

 private:
  // The kernel of this CPU that finds and checks one line: it has a third of
  // the instructions of portable code in the caller's loop.
  using Check = bool (*)(const unsigned char* lines, std::uint64_t count,
                         std::uint64_t hash,
                         const WideLineProbes& probes) noexcept;

  static constexpr std::size_t kLineBytes = 64;

  LineQuery() noexcept = default;

  const unsigned char* lines_ = nullptr;
  std::uint64_t count_ = 0;  // of lines, below 2^32
  std::uint64_t seed_ = 0;
  Check check_ = nullptr;
  const WideLineProbes* probes_ = nullptr;  // never freed
};

}  // namespace tamis
