// SPDX-License-Identifier: Apache-2.0
// table/table_range_filter.h -- the range filter of a table while it is
// written.

#pragma once

#include <memory>
#include <string>

#include "table/table_meta.h"
#include "tamis/env.h"
#include "tamis/filter.h"

namespace tamis {

// Bits per key of a range filter that a table can have; 0: none.
inline constexpr unsigned kMinRangeFilterBits = 3;
inline constexpr unsigned kMaxRangeFilterBits = 32;
constexpr bool IsRangeFilterBits(unsigned bits) noexcept {
  return bits == 0 ||
         (bits >= kMinRangeFilterBits && bits <= kMaxRangeFilterBits);
}

// Calls must match: Add* Finish, once.
//
// All keys of the table are in memory until then: 32 bytes each besides their
// own.  If the filter cannot be built, for lack of memory or because the keys
// do not suit it, the table has none.  No failure of the filter is a failure of
// its table.
class TableRangeFilterBuilder {
 public:
  // What the keys may take.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

  // 0 bits: no filter.
  explicit TableRangeFilterBuilder(unsigned bits_per_key,
                                   std::uint64_t max_bytes = kMaxBytes);

  // The user keys of the entries, in bytewise order.
  void Add(Slice user_key) {
    if (builder_ != nullptr) builder_->Add(user_key);
  }
  // True: *dst is the filter.  False: there is none, and if one was requested,
  // the problem says why.
  bool Finish(std::string* dst);

  // Why there is no filter; empty: there is one, or none was requested.
  const std::string& problem() const noexcept { return problem_; }

 private:
  std::unique_ptr<const FilterPolicy> policy_;
  std::unique_ptr<FilterBuilder> builder_;  // null: no filter
  std::string problem_;
};

class HeldRangeFilter;
class FilterRoom;
struct UnpackLimits;

// Reads and verifies the range filter of a table, by its metaindex.  Null: the
// table has none.
std::shared_ptr<const HeldRangeFilter> ReadRangeFilter(
    const ReadableFile& file, const std::vector<MetaEntry>& entries,
    const UnpackLimits& limits, FilterRoom* room);

}  // namespace tamis
