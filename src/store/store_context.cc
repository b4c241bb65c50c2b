// SPDX-License-Identifier: Apache-2.0
#include "store/store_context.h"

#include <algorithm>
#include <utility>

#include "store/prefix_option.h"

namespace tamis {
namespace {

// Those of two memtables, within reason: so many may be flushed one right after
// the other.
std::size_t ChunksOf(const StoreOptions& options) noexcept {
  constexpr std::size_t kMost = 128;
  return std::min(2 * (options.write_buffer_bytes / Arena::kLargestChunkBytes),
                  kMost);
}

}  // namespace

StoreContext::StoreContext(std::string directory, const StoreOptions& given)
    : dir(std::move(directory)),
      options(given),
      env(given.env != nullptr ? *given.env : DefaultEnv()),
      order(*given.comparator),
      filters_fit(given.comparator->EqualMeansIdentical()),
      chunks(std::make_shared<ChunkStock>(ChunksOf(given))) {}

Status StoreContext::ChoosePrefixes() {
  Result<std::shared_ptr<const PrefixExtractor>> chosen =
      PrefixExtractorOf(options, order);
  if (!chosen.ok()) return chosen.status();
  prefixes = *std::move(chosen);
  if (!options.prefix_extractor.empty()) {
    options.prefix_extractor = prefixes->name();
  }
  return Status::Ok();
}

std::shared_ptr<Memtable> StoreContext::NewMemtable() const {
  return std::make_shared<Memtable>(order, options.write_buffer_bytes,
                                    options.filter_use == FilterUse::kOn,
                                    chunks);
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
