// SPDX-License-Identifier: Apache-2.0
// bench/clocks.h -- clocks, and what reading them costs.

#pragma once

namespace tamis::bench {

// Nanoseconds of processor time that this thread has used: the use of other
// processes does not count, though they still compete for its caches and its
// memory.
double ThreadNanoseconds() noexcept;

// Returns nanoseconds of wall time: for work that several threads share.
double WallNanoseconds() noexcept;

// How much of the time between two readings of ThreadNanoseconds() is their
// own; measured once.
double ThreadClockCost();

// Runs `work`; nanoseconds of this thread, without those of the clock.
template <typename Work>
double Timed(const Work& work) {
  const double start = ThreadNanoseconds();
  work();
  const double spent = ThreadNanoseconds() - start - ThreadClockCost();
  return spent > 0 ? spent : 0;
}

}  // namespace tamis::bench
