// SPDX-License-Identifier: Apache-2.0
// Range filters of arbitrary keys against a sorted set, and range filters that
// were changed here and there under checksums that are right.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "formats/tamis/container.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/sealed_filter.h"

namespace tamis::fuzz {
namespace {

void CheckRanges(const FilterReader& reader, std::vector<Slice> keys,
                 std::span<const Slice> ends) {
  std::sort(keys.begin(), keys.end());
  for (const Slice lo : ends) {
    for (const Slice hi : ends) {
      const auto at = std::lower_bound(keys.begin(), keys.end(), lo);
      const bool holds = at != keys.end() && *at <= hi;
      const bool maybe = reader.MayContainRange(lo, hi);
      Check(maybe || !holds, "a range with a key is never ruled out");
      Check(maybe || lo <= hi, "ends in the wrong order are maybe");
    }
  }
}

// No key is between a place and where a scan may skip to from there.
void CheckSkips(const FilterReader& reader, std::vector<Slice> keys,
                std::span<const Slice> places) {
  std::sort(keys.begin(), keys.end());
  std::string to;
  for (const Slice from : places) {
    const auto next = std::lower_bound(keys.begin(), keys.end(), from);
    const bool forward = reader.SkipForward(from, &to);
    Check(!forward || from <= Slice(to), "a skip forward is not back");
    Check(next == keys.end() || (forward && Slice(to) <= *next),
          "a skip forward passes no key");
    const auto after = std::upper_bound(keys.begin(), keys.end(), from);
    const bool backward = reader.SkipBackward(from, &to);
    Check(!backward || Slice(to) <= from, "a skip backward is not forward");
    Check(after == keys.begin() || (backward && *(after - 1) <= Slice(to)),
          "a skip backward passes no key");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  Input input(AsSlice(data, size));
  const auto policy =
      PolicyOf(input.TakeByte() % 2 == 0 ? "range:8" : "range:20");
  const std::vector<Slice> keys = KeysFrom(input.Take(input.TakeByte()));
  const std::vector<Slice> others = KeysFrom(input.Take(input.TakeByte()));
  const std::string built = Build(*policy, keys);
  if (built.empty()) return 0;
  CheckHolds(*policy, built, keys);
  std::vector<Slice> ends = keys;
  ends.insert(ends.end(), others.begin(), others.end());
  const auto reader = policy->Open(built);
  CheckRanges(**reader, keys, ends);
  CheckSkips(**reader, keys, ends);
  const std::string sealed = SealedChanges(built, &input);
  CheckOpen(*policy, sealed);
  const auto changed = policy->Open(sealed);
  if (changed.ok()) {
    CheckRanges(**changed, {}, ends);
    CheckSkips(**changed, {}, ends);
  }
  return 0;
}

}  // namespace tamis::fuzz
