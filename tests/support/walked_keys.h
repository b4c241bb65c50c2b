// SPDX-License-Identifier: Apache-2.0
// support/walked_keys.h -- all that a walk through an sstable finds.

#pragma once

#include <string>
#include <vector>

#include "tamis/sstable.h"

namespace tamis::testing {

struct WalkedKeys {
  std::vector<std::string> keys;  // in the order of the walk
  std::vector<std::string> hidden;
  std::vector<std::string> problems;
  SstableWalk walk;
};

// Walks through all of it.  A failure fails the running test.
WalkedKeys WalkAll(const Sstable& sstable);
WalkedKeys WalkAll(const FoundSstable& found);

}  // namespace tamis::testing
