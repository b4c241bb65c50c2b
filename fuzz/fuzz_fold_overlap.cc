// SPDX-License-Identifier: Apache-2.0
// Filters that were built, changed and sealed again, and arbitrary bytes: what
// two of them have in common, and one of them folded.
//
// Byte 0: the policy; byte 1: how many bytes of the input are keys, of which
// each filter has a half; then the changes of the first, and what is left are
// arbitrary bytes.

#include <cmath>
#include <string>
#include <vector>

#include "fuzz/fuzz_support.h"
#include "fuzz/sealed_filter.h"
#include "tamis/fold.h"
#include "tamis/set_algebra.h"

namespace tamis::fuzz {
namespace {

constexpr std::string_view kSpecs[] = {
    "bloom:10",          "bloom:20,fold=64",      "bloom:m=4096,k=3",
    "splitblock:12",     "splitblock:m=8192,k=8", "classic:10",
    "classic:m=960,k=7", "classic:m=1000,k=3",    "ribbon:8"};

bool IsRate(double rate) { return rate >= 0 && rate <= 1; }

void CheckReason(const Status& status) {
  Check(status.ok() || !status.message().empty(), "a refusal has a reason");
}

void CheckOverlap(Slice a, Slice b) {
  const Result<Overlap> overlap = EstimateOverlap(a, b);
  CheckReason(overlap.status());
  Check(overlap.ok() == EstimateOverlap(b, a).ok(),
        "two filters fit each other both ways");
  if (!overlap.ok()) return;
  Check(overlap->keys_a >= 0 && overlap->keys_b >= 0 &&
            overlap->keys_union >= 0 && overlap->keys_in_both >= 0,
        "no number of keys is negative");
  Check(IsRate(overlap->union_rate) && IsRate(overlap->intersection_rate),
        "a rate is from 0 to 1");
}

// A folded filter rules no key out that the whole one did not.
void CheckFolded(const FilterPolicy& policy, Slice whole, Slice folded) {
  const auto before = policy.Open(whole);
  const auto after = policy.Open(folded);
  Check(before.ok() && after.ok(), "what folds, and what came of it, opens");
  for (const Slice key : QuestionsFrom(whole.substr(0, 400))) {
    Check(after.value()->MayContain(key) || !before.value()->MayContain(key),
          "a fold hides no key");
  }
}

void CheckFold(const FilterPolicy& policy, Slice filter,
               std::uint64_t divisor) {
  constexpr std::string_view kBefore = "before";
  std::string folded(kBefore);
  const Result<FoldResult> fold = FoldFilter(filter, divisor, &folded);
  const Result<double> rate = RateWhenFolded(filter, divisor);
  CheckReason(fold.status());
  Check(fold.status().code() == rate.status().code(),
        "a fold has a rate if it can be made");
  Check(folded.starts_with(kBefore), "a fold only appends");
  if (!fold.ok()) {
    Check(folded == kBefore, "a refused fold leaves its output alone");
    return;
  }
  folded.erase(0, kBefore.size());
  Check(folded.size() == fold->bytes && *rate == fold->rate_after &&
            IsRate(*rate),
        "a fold has the size and the rate that it says");
  CheckFolded(policy, filter, folded);
}

void CheckDivisor(const FilterPolicy& policy, Slice filter, double rate) {
  const Result<std::uint64_t> divisor = LargestDivisorFor(filter, rate);
  CheckReason(divisor.status());
  if (!divisor.ok()) return;
  const Result<double> after = RateWhenFolded(filter, *divisor);
  Check(after.ok(), "the largest divisor divides the filter");
  Check(*divisor == 1 || *after <= rate, "and its fold meets the rate");
  CheckFold(policy, filter, *divisor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  Input input(AsSlice(data, size));
  const auto policy = PolicyOf(kSpecs[input.TakeByte() % std::size(kSpecs)]);
  const std::vector<Slice> keys = KeysFrom(input.Take(input.TakeByte()));
  const std::span<const Slice> all(keys);
  const std::string a = Build(*policy, all.first(keys.size() / 2));
  const std::string b = Build(*policy, all.subspan(keys.size() / 2));
  if (a.empty() || b.empty()) return 0;
  const std::uint64_t divisor = input.TakeByte();
  const double rate = std::exp2(-static_cast<double>(input.TakeByte() % 32));
  const std::string changed = SealedChanges(a, &input);
  const Slice arbitrary = input.rest();

  const Slice filters[] = {a, b, changed, arbitrary};
  for (const Slice one : filters) {
    for (const Slice other : filters) CheckOverlap(one, other);
    CheckFold(*policy, one, divisor);
    CheckDivisor(*policy, one, rate);
  }
  return 0;
}

}  // namespace tamis::fuzz
