// SPDX-License-Identifier: Apache-2.0
// bench/peak_memory.h -- the current and peak memory of a process.

#pragma once

#include <cstdint>

#include "bench/measure.h"

namespace tamis::bench {

// Return the resident bytes of this process: now, and at their peak.  IoError:
// the system does not report them.
Result<std::uint64_t> ResidentBytes();
Result<std::uint64_t> PeakResidentBytes();

// Bytes per key that a build takes at its highest above the filter's own size,
// keys not counted.  Builds in a separate process, so that nothing else is
// counted and nothing is left; best called while this one is small.
// REQUIRES: no other thread runs, the subject has kBuildMany or kBuildOne
Result<double> PeakOfBuild(Subject* subject, const Plan& plan);

}  // namespace tamis::bench
