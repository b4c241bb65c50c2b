// support/failing_new.h -- memory that runs out.  A test program that uses
// anything of this has our `new` instead of its own: it throws when there is
// no memory, under address sanitizer too (whose own ends the program), and
// can be told to fail.  Not under the thread sanitizer.

#pragma once

namespace tamis::testing {

// How many more times `new` succeeds; negative: as long as there is memory.
void AllowAllocations(int count);

}  // namespace tamis::testing
