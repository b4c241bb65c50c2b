// SPDX-License-Identifier: Apache-2.0
// what_if_tables.h -- what other filters would cost, for every step of a
// slider.
//
// `tamis report` writes these tables into its page, so that a slider of the
// page chooses among answers of the library and no formula is written twice.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "json.h"
#include "tamis/result.h"
#include "tamis/sstable_whatif.h"

namespace tamis::tools {

// The steps of the two sliders.
std::vector<double> BitsOfSteps();
// Memory for so many keys in so many sstables and sorted runs, from nothing to
// 20 bits per key; of many runs from as much as gives each a filter.
std::vector<std::uint64_t> MemoryOfSteps(double keys, std::size_t sstables,
                                         std::size_t runs);

// The tables of sstables that one lookup goes through, all of one engine, as
// docs/command/report.md explains the page: how many keys they have, what they
// cost now, and for each kind of filter what it costs at each step.
// Unmeasured sstables keep their filters.
// NotSupported: there are no such tables, and why.
Result<Json> WhatIfTables(std::span<const SstableInfo> sstables,
                          unsigned threads);

}  // namespace tamis::tools
