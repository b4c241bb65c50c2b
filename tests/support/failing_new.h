// SPDX-License-Identifier: Apache-2.0
// support/failing_new.h -- memory that runs out.  A test program that uses
// anything of this has our `new` instead of its own: it throws when there is
// no memory, under address sanitizer too (whose own ends the program), and
// can be told to fail.  Not under the thread sanitizer.

#pragma once

namespace tamis::testing {

// How many more times `new` succeeds; negative: as long as there is memory.
void AllowAllocations(int count);

// Of those that FaultScope counts, the first `after` succeed, the next `count`
// fail, and all others succeed.
void FailAllocations(int after, int count);
// How many have failed since.
int FailedAllocations();

// While one lives, allocations of all threads are counted and may fail.
class FaultScope {
 public:
  FaultScope();
  ~FaultScope();
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;
};

}  // namespace tamis::testing
