// SPDX-License-Identifier: Apache-2.0
// store/wanted_shape.h -- how new tables are to be written, and whether one
// that is there was written so.

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
  // `filter` is the policy that the options ask for, null: none; `seed` the
  // one it was given, unless its text names another.  `filters_fit`: the
  // comparator lets tables have filters at all.
  static WantedShape Of(const StoreOptions& options,
                        const std::shared_ptr<const FilterPolicy>& filter,
                        bool filters_fit, std::uint64_t seed);

  // For TableWriteOptions::properties.
  const std::string& properties() const noexcept { return properties_; }

  // True: rewriting the table would change nothing that is asked for.  One
  // that could not get its filter would not get it now.
  bool IsOf(const TableTraits& table) const;

 private:
  bool HasSameProperties(const TableTraits& table) const;
  bool LooksTheSame(const TableTraits& table) const;
  bool HasSameFilter(const FilterInfo& info) const;

  std::string properties_;
  std::shared_ptr<const FilterPolicy> filter_;
  std::optional<std::uint64_t> seed_;  // nothing: the text names one
  bool wants_leveldb_filter_ = false;
  Compression compression_ = Compression::kNone;
};

}  // namespace tamis
