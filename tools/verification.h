// SPDX-License-Identifier: Apache-2.0
// verification.h -- asks the filter of one sstable about every key that it
// stores, and about keys that it does not.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tamis/sstable.h"

namespace tamis::tools {

struct HiddenKey {
  std::string key;
  std::uint64_t offset = 0;  // of its block
};

struct Verification {
  SstableInfo info;
  SstableWalk walk;
  std::uint64_t hidden = 0;
  std::vector<HiddenKey> first_hidden;  // at most kMaxHiddenKeys
  // Absent keys, and how many of them the filter let through.
  std::uint64_t absent = 0;
  std::uint64_t absent_passed = 0;
  std::string why_unmeasured;         // if there were none
  std::vector<std::string> problems;  // the first ones
  // Not empty: the keys could not be read at all, for this reason.
  std::string why_not_verified;
  // True: its filter has another verdict, and nothing else was looked at.
  bool is_left_out = false;

  static constexpr std::size_t kMaxHiddenKeys = 100;
  static constexpr std::size_t kMaxProblems = 100;
};

// Called with the number of keys that were read since the last call.
using KeysRead = std::function<void(std::uint64_t keys)>;

// Reads the sstable once or, if its keys are not in order, twice.  Keeps one
// block in memory.  With `only`, leaves those of other verdicts out.
// ResourceExhausted: no memory.
Result<Verification> Verify(const FoundSstable& found,
                            std::optional<FilterVerdict> only,
                            const KeysRead& tell);

}  // namespace tamis::tools
