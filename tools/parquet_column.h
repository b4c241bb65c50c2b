// SPDX-License-Identifier: Apache-2.0
// parquet_column.h -- the filters that a Parquet file has for one column, one
// per row group, queried as if they were one.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tamis/filter.h"

namespace tamis::tools {

struct ColumnChoice {
  std::string column;                      // its path, joined by dots
  std::optional<std::uint64_t> row_group;  // nothing: all of them
};

class ColumnFilter final : public FilterReader {
 public:
  // NotFound: the file has no filter for that column, or not in that row
  // group; the message names those that have.
  // Corruption, NotSupported: as FindParquetFilters().
  // REQUIRES: `file` outlives the result, unchanged
  static Result<std::unique_ptr<ColumnFilter>> Open(Slice file,
                                                    const ColumnChoice& choice);

  // True if the filter of any row group says "maybe", or cannot be queried.
  bool MayContain(Slice key) const noexcept override;
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override;
  // Empty: there are several filters.
  FilterInfo Describe() const override { return {}; }

  // Parquet's name of the column's type.
  const std::string& physical_type() const { return physical_type_; }
  // Why every key is "maybe"; empty: they are not.
  const std::string& always_maybe() const { return always_maybe_; }

 private:
  ColumnFilter() = default;

  std::unique_ptr<const FilterPolicy> policy_;
  std::vector<std::unique_ptr<const FilterReader>> readers_;
  std::string physical_type_;
  std::string always_maybe_;
};

}  // namespace tamis::tools
