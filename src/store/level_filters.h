// SPDX-License-Identifier: Apache-2.0
// store/level_filters.h -- the filters of new tables: of which kind and size,
// level by level.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "store/wanted_shape.h"
#include "tamis/filter.h"
#include "tamis/status.h"
#include "tamis/store_options.h"
#include "tamis/store_stats.h"

namespace tamis {

// The spec of the filters of a level's new tables; "": none.
// REQUIRES: options.filter_policy is null
const std::string& FilterTextOf(const StoreOptions& options,
                                int level) noexcept;

// Thread-safe once the store is open.
class LevelFilters {
 public:
  struct Choice {
    std::shared_ptr<const FilterPolicy> policy;  // null: no filter
    WantedShape wanted;
  };

  // Refuses filters that no table could have, instead of leaving them out
  // later.  InvalidArgument: the message names the option.
  static Status Check(const StoreOptions& options);

  // Makes the policies, with that seed where a spec names none.
  // `filters_fit`: filters work with the comparator; if not, there are none.
  // REQUIRES: Check(options) was ok
  Status Choose(const StoreOptions& options, bool filters_fit,
                std::uint64_t seed);

  // From now on new tables have filters of these specs, one for each level; "":
  // none.  Tables with filters of about those sizes are as wanted.
  // REQUIRES: Choose() has chosen specs of the options
  Status Plan(const StoreOptions& options,
              const std::array<std::string, kStoreLevels>& specs)
      TAMIS_EXCLUDES(mutex_);
  // Those of the options again.
  void Forget() noexcept TAMIS_EXCLUDES(mutex_);

  std::shared_ptr<const Choice> at(int level) const TAMIS_EXCLUDES(mutex_);
  // The policy of the first level that has one by the options; null: none has.
  // It lives as long as this.
  const FilterPolicy* first() const noexcept;

 private:
  using Choices = std::array<std::shared_ptr<const Choice>, kStoreLevels>;

  std::uint64_t seed_ = 0;
  Choices chosen_;
  mutable Mutex mutex_;
  // Null: as chosen.
  Choices planned_ TAMIS_GUARDED_BY(mutex_);
};

}  // namespace tamis
