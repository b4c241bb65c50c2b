// SPDX-License-Identifier: Apache-2.0
// bench/report.h -- the figures of one process, for people and for programs.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/goals.h"
#include "bench/machine.h"
#include "bench/measure.h"

namespace tamis::bench {

struct Report {
  Machine machine;
  std::string kernels;        // the kernel set that was used
  std::string skipped;        // why RocksDB is not among the subjects, or empty
  std::string boost_skipped;  // the same of Boost.Bloom
  std::vector<Run> runs;
};

std::string ToText(const Report& report);
std::string ToJson(const Report& report);

double BitsPerKey(const Row& row, std::uint64_t keys);

// Returns the space overhead over the lower bound at its rate: 0.44 for the
// best Bloom filter.  0 if the rate was too low to be measured.
double Overhead(const Row& row, std::uint64_t keys);

}  // namespace tamis::bench
