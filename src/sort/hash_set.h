// SPDX-License-Identifier: Apache-2.0
// sort/hash_set.h -- the set of the keys' 64-bit hashes, collected while their
// number is unknown, then returned sorted, without duplicates, in ranges.
// Filters that solve equations are built from it.
//
// Hashes are partitioned into 256 parts by their upper bits as they arrive.
// Seal() sorts part by part, each in cache.  They take 8 bytes each.
//
// With a memory limit, a part that has used its 256th of it goes to a temporary
// file, and Seal() then sorts from file to file.  A good hash fills all parts
// evenly, and the limit is met for up to about a billion hashes per 64 MiB.
// Beyond that, or if most distinct hashes fall into few parts (repeats are
// dropped as they arrive), the largest part takes as much memory as it needs,
// and is sorted more slowly.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "tamis/result.h"

namespace tamis {

struct KeyHashSetOptions {
  std::uint64_t memory_bytes = 0;  // 0: no limit; see BuildOptions
  std::string temporary_folder;    // empty: $TMPDIR, or /var/tmp
  // Used by Seal() and ForEachRange(), fewer if the memory limit requires it.
  // With two or more, one of them partitions what is pushed, from some hundred
  // thousand hashes on.
  unsigned threads = 1;
};

class KeyHashSet {
 public:
  explicit KeyHashSet(KeyHashSetOptions options);
  ~KeyHashSet();
  KeyHashSet(const KeyHashSet&) = delete;
  KeyHashSet& operator=(const KeyHashSet&) = delete;

  // Adds hashes in any order, with duplicates.  An error (no memory, no space
  // for the temporary file) is kept, and returned by Seal().
  // REQUIRES: before Seal()
  void Push(std::span<const std::uint64_t> hashes) noexcept;
  void Push(std::uint64_t hash) noexcept { Push({&hash, 1}); }

  // Sorts, and drops duplicates.  `progress`, if any, is called with the
  // fraction done, from 0 to 1, by one thread at a time.  ResourceExhausted,
  // IoError: some hashes are missing, so the caller must give up.
  Status Seal(const std::function<void(double)>& progress = {});

  // The number of distinct hashes.  REQUIRES: Seal() was ok
  std::uint64_t size() const noexcept;

  // Bytes that went to the temporary file before sorting; 0 if all fits into
  // memory.
  std::uint64_t spilled_bytes() const noexcept;

  // Calls visit(i, hashes) once for every i < count, with the hashes h for
  // which cut(i) <= h < cut(i + 1), ascending; cut(0) counts as 0 and
  // cut(count) as 2^64, and cut is called for neither.  Up to options.threads
  // threads call it, in any order; `hashes` is valid until visit returns.  May
  // be called again.  A range must fit into memory together with its
  // neighbours: at most about a hundredth of the hashes, or a few MiB.
  // IoError: the temporary file failed; some i were not visited.  REQUIRES:
  // Seal() was ok; cut is ascending and safe to call from several threads
  using Cut = std::function<std::uint64_t(std::size_t i)>;
  using Visit =
      std::function<void(std::size_t i, std::span<const std::uint64_t>)>;
  Status ForEachRange(std::size_t count, const Cut& cut, const Visit& visit);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tamis
