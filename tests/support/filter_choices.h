// SPDX-License-Identifier: Apache-2.0
// support/filter_choices.h -- random settings of filters, for suites whose
// results must not depend on them.

#pragma once

#include <cstdint>
#include <iterator>
#include <random>

#include "tamis/store_options.h"

namespace tamis::testing {

// Sets everything that StoreOptions has of filters as follows from the seed.
// Half of the time each of them stays at its default.
inline void ChooseFilters(std::uint64_t seed, StoreOptions* options) {
  std::mt19937_64 random(seed);
  const auto one_in = [&](unsigned count) { return random() % count == 0; };
  if (one_in(2)) {
    constexpr std::uint64_t kLimits[] = {0,    1,      300,     1000,
                                         3000, 20'000, 1u << 30};
    options->filter_memory_bytes = kLimits[random() % std::size(kLimits)];
  }
  if (one_in(4)) options->filter = one_in(2) ? "ribbon:8" : "";
  if (one_in(4))
    options->filter_per_level = {"bloom:14", "bloom:8", "ribbon:6"};
  if (one_in(2)) options->expect_hits = true;
  if (one_in(2)) options->leveldb_filter_bits = 0;
  if (one_in(2)) options->level0_route_at = static_cast<unsigned>(random() % 4);
  if (one_in(2)) options->filter_seed = FilterSeed::kFixed;
  if (one_in(2)) {
    constexpr unsigned kBits[] = {1, 4, 10, 64};
    options->block_filter_bits = kBits[random() % std::size(kBits)];
  }
  if (one_in(2)) {
    constexpr unsigned kBits[] = {3, 6, 8, 16};
    options->range_filter_bits = kBits[random() % std::size(kBits)];
  }
  constexpr FilterLoading kLoading[] = {FilterLoading::kWhenFirstAsked,
                                        FilterLoading::kAtOpening,
                                        FilterLoading::kInBackground};
  options->filter_loading = kLoading[random() % std::size(kLoading)];
  if (one_in(2)) options->filter_files = true;
  if (one_in(2)) {
    options->filter_parts_above = one_in(2) ? 1 : 0;
    // So that there is memory for some parts.
    if (one_in(2)) options->filter_memory_bytes = 80'000;
  }
  if (one_in(2)) {
    constexpr const char* kExtractors[] = {"fixed=1", "fixed=4", "delimiter=y",
                                           "delimiter=1,count=2"};
    options->prefix_extractor = kExtractors[random() % std::size(kExtractors)];
  }
}

}  // namespace tamis::testing
