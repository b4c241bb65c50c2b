// SPDX-License-Identifier: Apache-2.0
// policy/filter_opener.h -- opens filters by the name that is stored beside
// them.

#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "tamis/filter.h"

namespace tamis {

// Opens filters of one name (FilterPolicy::name()).  A small value.
class FilterOpener {
 public:
  // As that policy does.  REQUIRES: `policy` outlives the opener
  FilterOpener(const FilterPolicy& policy) noexcept
      : name_(policy.name()), policy_(&policy) {}

  // As every policy of that name does: reading needs no settings.
  // Nothing: the name is unknown.
  static std::optional<FilterOpener> ForName(std::string_view name) noexcept;

  std::string_view name() const noexcept { return name_; }

  // As FilterPolicy::Open().
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const {
    return policy_ != nullptr ? policy_->Open(bytes) : open_(bytes);
  }

 private:
  using OpenFn = Result<std::unique_ptr<const FilterReader>> (*)(Slice bytes);

  FilterOpener(std::string_view name, OpenFn open) noexcept
      : name_(name), open_(open) {}

  std::string_view name_;
  const FilterPolicy* policy_ = nullptr;  // null: open_ is the way
  OpenFn open_ = nullptr;
};

}  // namespace tamis
