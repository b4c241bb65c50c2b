// Memory that runs out on demand, in this test program.

#pragma once

namespace tamis::testing {

// How many more times `new` succeeds; negative: always.
extern int allocations_left;

}  // namespace tamis::testing
