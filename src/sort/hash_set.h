// SPDX-License-Identifier: Apache-2.0
// sort/hash_set.h -- the set of the keys' 64-bit hashes, collected while
// nobody knows how many there will be, then given back sorted, without
// duplicates, in ranges: what filters that solve equations are built from.
//
// Hashes are spread into 256 parts by their upper bits as they come.  Seal()
// sorts part by part, each in cache.  They take 8 bytes each.
//
// With a limit of memory, a part that has filled its 256th of it goes to a
// temporary file, and Seal() then sorts from there to there.  The hashes of
// an honest hash fill all parts alike, and the limit holds up to about a
// billion of them per 64 MiB of it.  Beyond, or if most of them fall into few
// parts (different ones: the same ones over and over are dropped as they come),
// the largest part takes as much memory as it needs, and is sorted more slowly.

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
  // That Seal() and ForEachRange() use, fewer if the limit of memory says so.
  // With two or more, one of them spreads what is pushed, from some hundred
  // thousand hashes on.
  unsigned threads = 1;
};

class KeyHashSet {
 public:
  explicit KeyHashSet(KeyHashSetOptions options);
  ~KeyHashSet();
  KeyHashSet(const KeyHashSet&) = delete;
  KeyHashSet& operator=(const KeyHashSet&) = delete;

  // In any order, with duplicates.  An error (no memory, no room for the
  // temporary file) is kept, and comes back from Seal().
  // REQUIRES: before Seal()
  void Push(std::span<const std::uint64_t> hashes) noexcept;
  void Push(std::uint64_t hash) noexcept { Push({&hash, 1}); }

  // Sorts, and drops duplicates.  `progress`, if any, gets the part done, from
  // 0 to 1, by one thread at a time.  ResourceExhausted, IoError: some are
  // missing, so give up.
  Status Seal(const std::function<void(double)>& progress = {});

  // Different hashes.  REQUIRES: Seal() was ok
  std::uint64_t size() const noexcept;

  // What went to the temporary file before it was sorted; 0 as long as all
  // fits into memory.
  std::uint64_t spilled_bytes() const noexcept;

  // visit(i, hashes) for every i < count: the hashes d with
  // cut(i) <= d < cut(i + 1), ascending; cut(0) counts as 0 and cut(count) as
  // 2^64, and neither is asked for.  By up to options.threads threads at a
  // time, in any order; i is visited once, and `hashes` is valid and writable
  // by nobody else only until visit returns.  May be called again. A range must
  // fit into memory together with its neighbours: at most about a hundredth of
  // the hashes, or a few MiB. IoError: the temporary file; some i were not
  // visited. REQUIRES: Seal() was ok; cut is ascending and safe to call from
  // threads
  using Cut = std::function<std::uint64_t(std::size_t i)>;
  using Visit =
      std::function<void(std::size_t i, std::span<const std::uint64_t>)>;
  Status ForEachRange(std::size_t count, const Cut& cut, const Visit& visit);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tamis
