// SPDX-License-Identifier: Apache-2.0
#include "bench/erasures.h"

#include <algorithm>
#include <array>

#include "bench/clocks.h"
#include "bench/keys.h"
#include "tamis/mutable_filter.h"

namespace tamis::bench {
namespace {

constexpr std::size_t kChunk = 4096;  // as for queries: keys lie in cache

// Returns how many of the chunk's keys are "maybe".
std::size_t Maybes(const FilterReader& filter, const KeyChunk& chunk) {
  std::array<bool, kChunk> found = {};
  const std::span<bool> out(found.data(), chunk.keys().size());
  filter.MayContainMany(chunk.keys(), out);
  return static_cast<std::size_t>(std::count(out.begin(), out.end(), true));
}

// Checks that the keys below `erased` are absent, and the others present.
Status CheckSome(const FilterReader& filter, const Plan& plan,
                 std::uint64_t erased) {
  KeyChunk chunk(kChunk, plan.key_bytes);
  chunk.FillFrom(erased, std::min<std::uint64_t>(kChunk, plan.keys - erased));
  if (Maybes(filter, chunk) < chunk.keys().size()) {
    return Status::Corruption("a key was lost when others were erased");
  }
  chunk.FillFrom(0, std::min<std::uint64_t>(kChunk, erased));
  if (Maybes(filter, chunk) * 2 > chunk.keys().size()) {
    return Status::Corruption("erased keys are still there");
  }
  return Status::Ok();
}

}  // namespace

Result<double> TimeErasures(Slice filter, const Plan& plan) {
  auto erasable = LoadErasable(filter);
  if (!erasable.ok()) return erasable.status();
  const std::uint64_t erased =
      std::max<std::uint64_t>(1, std::min(plan.queries, plan.keys / 2));
  KeyChunk chunk(kChunk, plan.key_bytes);
  double spent = 0;
  std::uint64_t failures = 0;
  for (std::uint64_t first = 0; first < erased; first += kChunk) {
    chunk.FillFrom(first, std::min<std::uint64_t>(kChunk, erased - first));
    spent += Timed([&] {
      for (const Slice key : chunk.keys()) {
        failures += erasable->Erase(key).ok() ? 0u : 1u;
      }
    });
  }
  if (failures > 0) {
    return Status::Corruption("keys that are in could not be erased");
  }
  if (Status fine = CheckSome(**erasable, plan, erased); !fine.ok())
    return fine;
  return spent / static_cast<double>(erased);
}

}  // namespace tamis::bench
