// SPDX-License-Identifier: Apache-2.0
// table/parted_filter.h -- a filter whose parts are read when they are asked
// for, and kept in a cache with those of other filters.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/pooled_memory.h"
#include "table/filter_parts.h"
#include "table/part_cache.h"
#include "tamis/env.h"
#include "tamis/result.h"

namespace tamis {

// What a filter in parts answers.
struct PartAnswer {
  // False: its part cannot be used; the key may be there.
  bool is_known = false;
  bool is_absent = false;  // certainly
  bool was_read = false;   // from the file, because it was not in memory
  // The part was found to be damaged, as the n-th of this filter; 0: it was
  // not, or that was known.
  std::uint64_t damaged = 0;
};

// Safe to share among threads.
class PartedFilter {
 public:
  // Keeps what the top block says, and no part.  ResourceExhausted: there is no
  // memory.  REQUIRES: the cache outlives it
  static Result<std::unique_ptr<const PartedFilter>> Open(
      const FilterPartsTop& top, std::shared_ptr<const ReadableFile> file,
      PartCache& cache);

  // Reads the part of that hash if it is not in the cache.  Where that fails,
  // nothing is known of the key.
  // REQUIRES: the hash has the seed of the filter; for the cache, a guard of
  // the store's readers
  PartAnswer Ask(std::uint64_t hash) const noexcept;

  // Hints: Ask() will be called so.  The second one uses what the first has
  // prefetched.
  [[gnu::always_inline]] void Prefetch(std::uint64_t hash) const noexcept {
    __builtin_prefetch(&places_[AimOf(hash).part]);
  }
  void WillAsk(std::uint64_t hash) const noexcept;

  const FilterPartsTop& top() const noexcept { return top_; }
  // The memory that it takes, without parts.
  std::size_t bytes() const noexcept { return BytesOf(top_); }
  static std::size_t BytesOf(const FilterPartsTop& top) noexcept {
    return sizeof(PartedFilter) +
           static_cast<std::size_t>(top.part_count()) *
               (sizeof(std::uint32_t) + sizeof(PartCache::Frame));
  }

 private:
  using Place = std::atomic<PartCache::Frame>;
  // In place of a frame: the part is damaged.
  static constexpr PartCache::Frame kDamaged = ~PartCache::Frame{0};
  static_assert(kDamaged > PartCache::kMaxFrame);

  struct Aim {
    std::size_t part;
    std::size_t line;  // in the part
  };

  PartedFilter(const FilterPartsTop& top,
               std::shared_ptr<const ReadableFile> file, PartCache& cache);
  Aim AimOf(std::uint64_t hash) const noexcept;
  PartAnswer Read(const Aim& aim, std::uint64_t hash) const noexcept;
  PartAnswer Answer(const unsigned char* line,
                    std::uint64_t hash) const noexcept;

  PooledVector<char> checksums_;
  FilterPartsTop top_;  // a view of the checksums
  const std::shared_ptr<const ReadableFile> file_;
  PartCache& cache_;
  const std::uint64_t first_number_;
  mutable std::atomic<std::uint64_t> damaged_{0};
  // Of each part; what the cache has there may be another part meanwhile.
  mutable PooledVector<Place> places_;
};

}  // namespace tamis
