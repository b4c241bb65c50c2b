// SPDX-License-Identifier: Apache-2.0
// parquet_listing.h -- the filters in a Parquet file, for `tamis inspect`.

#pragma once

#include <string>
#include <vector>

#include "json.h"
#include "tamis/filter.h"
#include "tamis/parquet.h"
#include "verdict.h"

namespace tamis::tools {

struct ListedFilter {
  ParquetFilterPlace place;
  FilterInfo info;
  Verdict verdict;     // also "damaged"
  std::string remark;  // why damaged, or why unknown
};

struct ParquetListing {
  std::string path;
  std::uint64_t bytes = 0;
  std::string damage;  // not empty: of the footer; there are no filters then
  std::vector<ListedFilter> filters;

  // True if the footer or a filter is damaged, or a filter is saturated.
  bool is_bad() const;
};

// REQUIRES: `file` outlives the listing, unchanged
// NotSupported: its footer is encrypted.
Status ListParquet(const std::string& path, Slice file,
                   ParquetListing* listing);

std::string ToText(const ParquetListing& listing);
Json ToJson(const ParquetListing& listing);

}  // namespace tamis::tools
