// SPDX-License-Identifier: Apache-2.0
// store/wanted_shape.h -- how new tables are written, and whether an existing
// one matches.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "table/table_traits.h"
#include "tamis/filter.h"
#include "tamis/store_options.h"

namespace tamis {

class WantedShape {
 public:
  WantedShape() = default;
  // A filter as the options name it.
  struct Filter {
    std::shared_ptr<const FilterPolicy> policy;  // null: none
    std::string text;  // its spec, unless it is options.filter_policy
  };
  // `seed` is the filter's, unless its spec names another.  `filters_fit`:
  // filters work with the comparator.
  static WantedShape Of(const StoreOptions& options, const Filter& filter,
                        bool filters_fit, std::uint64_t seed);

  // A table is as wanted if its filter is of the kind, and of nearly the size:
  // what is planned changes with the tree.
  void AcceptNearSizes() noexcept { accepts_near_sizes_ = true; }

  // For TableWriteOptions::properties.
  const std::string& properties() const noexcept { return properties_; }

  // Returns true if rewriting the table would change nothing that the options
  // require.  A table whose filter could not be built would not get it now.
  bool IsOf(const TableTraits& table) const;

 private:
  bool HasSameProperties(const TableTraits& table) const;
  bool LooksTheSame(const TableTraits& table) const;
  bool HasSameFilter(const FilterInfo& info) const;
  bool HasSamePrefixes(const TableTraits& table) const;

  std::string properties_;
  std::shared_ptr<const FilterPolicy> filter_;
  std::optional<std::uint64_t> seed_;  // nothing: the spec names one
  bool wants_leveldb_filter_ = false;
  bool wants_block_filter_ = false;
  bool wants_range_filter_ = false;
  std::string prefixes_;  // the name of their extractor; empty: none
  bool accepts_near_sizes_ = false;
  Compression compression_ = Compression::kNone;
};

}  // namespace tamis
