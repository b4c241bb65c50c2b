// SPDX-License-Identifier: Apache-2.0
#include "lookups.h"

#include <chrono>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace demo {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Xorshift: the same keys in every run.
std::uint64_t Next(std::uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

struct Reads {
  double tables = 0;
  double blocks = 0;
};

Reads ReadsSoFar(const tamis::Store& store) {
  Reads reads;
  for (const tamis::LevelStats& level : store.Stats().levels) {
    reads.tables += static_cast<double>(level.tables_read);
    reads.blocks += static_cast<double>(level.blocks_read);
  }
  return reads;
}

}  // namespace

std::string KeyOf(std::uint64_t i) { return fmt::format("user{:012}", i); }

tamis::Status Load(const std::string& dir, const tamis::StoreOptions& options,
                   std::uint64_t keys, unsigned tables) {
  auto store = tamis::Store::Open(dir, options);
  if (!store.ok()) return store.status();
  const std::string value(100, 'v');
  tamis::WriteBatch batch;
  for (std::uint64_t first = 0; first < tables; ++first) {
    for (std::uint64_t i = first; i < keys; i += tables) {
      batch.Put(KeyOf(2 * i), value);
      if (batch.count() < 1000) continue;
      tamis::Status written = store->Write({}, batch);
      if (!written.ok()) return written;
      batch.Clear();
    }
    tamis::Status written = store->Write({}, batch);
    if (written.ok()) written = store->Flush();
    if (!written.ok()) return written;
    batch.Clear();
  }
  return tamis::Status::Ok();
}

Cost Measure(tamis::Store& store, std::uint64_t keys, bool present,
             double seconds) {
  // The first rounds open tables and load filters: they are not measured.
  constexpr std::uint64_t kWarmUp = 64;
  constexpr std::size_t kGroup = 256;  // keys made before the clock starts
  std::uint64_t random = 88172645463325252;
  std::string value;
  std::vector<std::string> group(kGroup);
  Cost cost;
  double spent = 0;
  Reads before;
  for (std::uint64_t round = 0; spent < seconds; ++round) {
    for (std::string& key : group) {
      key = KeyOf(2 * (Next(&random) % keys) + (present ? 0 : 1));
    }
    if (round == kWarmUp / (kGroup / 64)) before = ReadsSoFar(store);
    const Clock::time_point start = Clock::now();
    std::uint64_t wrong = 0;
    for (const std::string& key : group) {
      wrong += store.Get({}, key, &value).ok() == present ? 0u : 1u;
    }
    cost.wrong += wrong;
    if (round < kWarmUp / (kGroup / 64)) continue;
    spent += SecondsSince(start);
    cost.lookups += kGroup;
  }
  const Reads after = ReadsSoFar(store);
  const auto n = static_cast<double>(cost.lookups);
  cost.tables_read = (after.tables - before.tables) / n;
  cost.blocks_read = (after.blocks - before.blocks) / n;
  cost.microseconds = spent / n * 1e6;
  return cost;
}

}  // namespace demo
