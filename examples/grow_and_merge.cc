// SPDX-License-Identifier: Apache-2.0
// Mutable filters, a union of two of them, and a batch of queries.  Both are
// made by one policy for the same planned size, so that they have equal
// parameters: only such filters can be merged.

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "tamis/filter.h"

namespace {

using tamis::Slice;

tamis::Status MergeTwoShifts(const tamis::FilterPolicy& policy,
                             std::string* both) {
  constexpr std::uint64_t kPlanned = 1000;
  std::array<std::string, 2> saved;
  const std::array<Slice, 2> seen = {"early", "late"};
  for (std::size_t i = 0; i < saved.size(); ++i) {
    auto filter = policy.NewMutable(kPlanned);
    if (!filter.ok()) return filter.status();
    tamis::Status status = filter->Insert(seen[i]);
    if (status.ok()) status = filter->Save(&saved[i]);
    if (!status.ok()) return status;
  }
  const std::array<Slice, 2> inputs = {saved[0], saved[1]};
  return policy.Combine(inputs, tamis::SetOperation::kUnion, both);
}

}  // namespace

int main() {
  const auto policy = tamis::MakePolicy("fpr:0.001,seed=42");
  if (!policy.ok()) return 1;
  std::string both;
  const tamis::Status merged = MergeTwoShifts(**policy, &both);
  if (!merged.ok()) {
    std::puts(merged.ToString().c_str());
    return 1;
  }
  const auto filter = policy->Open(both);
  if (!filter.ok()) return 1;

  const std::array<Slice, 4> keys = {"early", "never", "late", "ever"};
  std::array<bool, keys.size()> maybe = {};
  filter->MayContainMany(keys, maybe);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::printf("%s: %s\n", keys[i].data(), maybe[i] ? "maybe" : "no");
  }
  const bool rest = maybe[1] || maybe[3];
  return maybe[0] && maybe[2] && !rest ? 0 : 1;
}
