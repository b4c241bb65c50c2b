// SPDX-License-Identifier: Apache-2.0
#include "store/store_context.h"

#include <utility>

namespace tamis {

StoreContext::StoreContext(std::string directory, const StoreOptions& given)
    : dir(std::move(directory)),
      options(given),
      env(given.env != nullptr ? *given.env : DefaultEnv()),
      order(*given.comparator),
      filters_fit(given.comparator->EqualMeansIdentical()) {}

std::shared_ptr<Memtable> StoreContext::NewMemtable() const {
  return std::make_shared<Memtable>(order, options.write_buffer_bytes,
                                    options.filter_use == FilterUse::kOn);
}

Status StoreContext::BeingClosed() const {
  return Status::IoError(dir + ": the store is being closed");
}

CompactionLimits StoreContext::Limits() const noexcept {
  return {.level1_bytes = options.level1_bytes,
          .level_growth = options.level_growth,
          .level0_tables = options.level0_compact_at,
          .table_bytes = options.table_bytes};
}

}  // namespace tamis
