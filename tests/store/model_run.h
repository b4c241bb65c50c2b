// SPDX-License-Identifier: Apache-2.0
// store/model_run.h -- random operations on a store and on a std::map, whose
// answers must be the same.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tamis/filter_files.h"
#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis::testing {

// What differs fails the running test.  The same seed makes the same
// operations, whatever the options.
class ModelRun {
 public:
  ModelRun(const StoreOptions& options, std::uint64_t seed);

  // Stops early where something went wrong.
  void Run(int operations);
  // Of all answers so far, in order.
  std::uint64_t answers() const { return answers_; }
  StoreStats stats() { return store_->Stats(); }

 private:
  using Model = std::map<std::string, std::string>;
  struct OldMoment {
    std::unique_ptr<const Snapshot> snapshot;
    Model model;
  };
  struct Walk {
    std::unique_ptr<Iterator> iterator;
    Model model;
    Model::const_iterator at;  // where the iterator should stand
  };

  std::uint64_t Chance(std::uint64_t n) { return random_() % n; }
  std::string RandomKey();
  std::string RandomValue();
  void Note(Slice answer);

  void Step();
  void ChangeFilterMemory();
  void PutOrDelete();
  void WriteBatchOf(std::uint64_t count);
  void Look();
  void LookMany();
  void TakeOrDropSnapshot();
  void BeginOrEndWalk();
  void MoveWalk(Walk* walk);
  void ExpectStandsRight(const Walk& walk);
  void CompactRange();
  void Reopen();
  void MakeFilters();
  // A moment by chance, the present one included; null: the present.
  const OldMoment* RandomMoment();

  std::mt19937_64 random_;
  TestStore store_;
  Model model_;
  std::vector<OldMoment> moments_;
  std::vector<std::unique_ptr<Walk>> walks_;
  std::uint64_t answers_ = 0;
  unsigned made_filters_ = 0;  // how often
};

}  // namespace tamis::testing
