// SPDX-License-Identifier: Apache-2.0
// sstable/filter_sum.h -- adds up the filters of one sstable, and judges them.

#pragma once

#include <cstdint>
#include <string>

#include "tamis/filter.h"
#include "tamis/sstable.h"

namespace tamis {

// Adds filters one after the other.
class FilterSum {
 public:
  // `weight`: how often this filter is queried, in relation to the others.
  void Add(const FilterInfo& info, std::uint64_t bytes, double weight);
  // A filter that answers "maybe" to everything, because its bytes are wrong
  // or reserved.
  void AddUnusable(std::uint64_t bytes, double weight, bool is_damage,
                   const std::string& why);

  // Sets what was added; `name` and settings stay as they are.
  void Finish(SstableFilterInfo* filter) const;

  // The number of filters that are damaged, and that are reserved.
  std::uint64_t damaged() const noexcept { return damaged_; }
  std::uint64_t reserved() const noexcept { return reserved_; }
  const std::string& why() const noexcept { return why_; }
  bool is_legacy() const noexcept { return is_legacy_; }

 private:
  SstableFilterInfo sum_;
  double rates_ = 0;
  double weights_ = 0;
  std::uint64_t damaged_ = 0;
  std::uint64_t reserved_ = 0;
  std::uint64_t empty_ = 0;
  bool lacks_keys_ = false;  // of some part the number is unknown
  bool is_legacy_ = false;
  std::string why_;
};

// What a verdict is about besides the sums.
struct VerdictInput {
  bool expects_filter = true;  // it has keys
  bool is_ignored = false;     // the engine does not use the filter
};

// Sets info->verdict and info->wasted_bytes by the filter, and adds remarks.
void Judge(const FilterSum& sum, const VerdictInput& input, SstableInfo* info);

// Sets the verdict kUnreadable and that remark.
void MarkUnreadable(const std::string& why, SstableInfo* info);

}  // namespace tamis
