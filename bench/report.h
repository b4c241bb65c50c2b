// bench/report.h -- the figures of one process, for people and for programs.

#pragma once

#include <span>
#include <string>

#include "bench/measure.h"

namespace tamis::bench {

// The CPU as the operating system names it.
std::string CpuName();

// REQUIRES, for both: the subjects are the same in all runs.
std::string ToText(std::span<const Run> runs);
std::string ToJson(std::span<const Run> runs);

// What a filter costs above the fewest bits that any can have at its rate:
// 0.44 for the best Bloom filter.  0 if the rate was too low to be measured.
double Overhead(const Row& row, std::uint64_t keys);

}  // namespace tamis::bench
