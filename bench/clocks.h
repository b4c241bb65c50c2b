// SPDX-License-Identifier: Apache-2.0
// bench/clocks.h -- what time is read from, and what reading it costs.

#pragma once

namespace tamis::bench {

// Nanoseconds of processor time that this thread has used: what others take
// of the machine meanwhile does not count, though they still compete for its
// caches and its memory.
double ThreadNanoseconds() noexcept;

// Nanoseconds on the wall: for work that several threads share.
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
