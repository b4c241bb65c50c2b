// SPDX-License-Identifier: Apache-2.0
// tamis/filter_budget.h -- divides memory over the filters of a tree, so that
// lookups read as little as possible in vain.
//
// A lookup asks every sorted run of a tree (each table of level 0, and each
// further level) until one has the key.  A run that does not have it is read in
// vain if its filter gives a false positive, whether it is large or small; but
// bits for a small run cost less memory.  So the smallest runs should have the
// best filters. docs/design/9-memory-budget.md has the formulas.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/result.h"

namespace tamis {

// One sorted run.
struct FilterRun {
  std::uint64_t keys = 0;  // distinct ones
  // How often a lookup asks this run for a key that it does not have: 1 if all
  // lookups are of missing keys.  Only the proportions matter.
  double asked = 1.0;
  // Of its filters: "bloom" (cache-local) or "ribbon"; or of another engine:
  // "leveldb", "rocksdb", "rocksdb-ribbon" or "cassandra".
  std::string kind = "bloom";
};

// What one run gets.
struct FilterShare {
  // Everything stored; 0: no filter.
  double bits_per_key = 0;
  double rate = 1.0;        // of false positives
  std::uint64_t bytes = 0;  // for all keys of the run
  std::string spec;         // for MakePolicy(); empty: no filter
};

// What all runs get.
struct FilterDivision {
  std::vector<FilterShare> shares;  // in the order of the runs
  std::uint64_t bytes = 0;          // of all
  // Runs that a lookup reads in vain: the sum of `asked` times the rate.
  double needless_reads = 0;
};

// Returns the division of at most `bytes` with the fewest needless reads.  A
// run gets no filter, or one of 3 to 24 bits per key.
// InvalidArgument: an unknown kind, or `asked` is negative or not a number.
// ResourceExhausted: there is no memory.
TAMIS_EXPORT Result<FilterDivision> DivideFilterMemory(
    std::span<const FilterRun> runs, std::uint64_t bytes);

// Returns the division in which all runs have the same bits per key, as engines
// have them, for comparison.  Errors as above.
TAMIS_EXPORT Result<FilterDivision> DivideFilterMemoryEqually(
    std::span<const FilterRun> runs, std::uint64_t bytes);

}  // namespace tamis
