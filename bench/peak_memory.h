// SPDX-License-Identifier: Apache-2.0
// bench/peak_memory.h -- how much memory a process holds, and held at most.

#pragma once

#include <cstdint>

#include "bench/measure.h"

namespace tamis::bench {

// Bytes of this process that lie in memory: now, and the most there ever were.
// IoError: the system does not say.
Result<std::uint64_t> ResidentBytes();
Result<std::uint64_t> PeakResidentBytes();

// Bytes per key that a build takes at its highest above the filter's own size,
// keys not counted.  Builds in a process of its own, so that nothing else is
// counted and nothing stays behind; best called while this one is small.
// REQUIRES: no other thread runs, the subject has kBuildMany or kBuildOne
Result<double> PeakOfBuild(Subject* subject, const Plan& plan);

}  // namespace tamis::bench
