// SPDX-License-Identifier: Apache-2.0
// bench/store_phases.h -- the phases of a benchmark for one store.  Each store
// has a separate process, which runs these.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bench/store_engine.h"
#include "bench/store_keys.h"
#include "tamis/result.h"

namespace tamis::bench {

struct StorePlan {
  std::uint64_t keys = 10'000'000;
  std::uint64_t operations = 1'000'000;  // of each sort of reads, per round
  std::uint64_t memtable_entries = 200'000;
  unsigned overlapping_tables = 100;
  EngineSettings settings;
};

struct Sample {
  double value = 0;  // nanoseconds on the wall, or bytes, or a number
  double cpu = 0;    // nanoseconds of all the process's threads; 0 of others
};
using Figures = std::map<std::string, Sample>;  // by name, see store_report.h

// Runs one phase after the other on one store, in the order of
// MeasureStores().
class StoreWorker {
 public:
  // Everything goes below `dir`, which need not be there.
  StoreWorker(const StorePlan& plan, std::unique_ptr<StoreEngine> engine,
              std::string dir);

  // InvalidArgument: no such phase.  NotSupported: not with this store.
  // Corruption: the store answered wrongly.
  Result<Figures> Run(std::string_view phase, unsigned round);

 private:
  enum class Threads : unsigned { kOne = 1, kTwo = 2 };
  struct Reads {
    KeyKind kind;
    std::uint64_t operations;
    Threads threads = Threads::kOne;
    std::size_t keys_per_call = 1;
  };

  Result<Figures> FillInOrder();
  Result<Figures> FillAtRandom();
  Result<Figures> WarmUp();
  Result<Figures> Floor(unsigned round);
  Result<Figures> FullScan();
  Result<Figures> ShortScans(unsigned round);
  Result<Figures> Reopen(unsigned round);
  Result<Figures> Memory();
  Result<Figures> Shape();
  Result<Figures> FillMemtable();
  Result<Figures> FillOverlapping();
  Result<Figures> Finish();
  Result<Figures> Read(std::string_view name, const Reads& reads,
                       unsigned round);

  Result<Figures> Fill(const std::string& name, const StoreKeys& keys);
  Result<Seen> Ask(const Reads& reads, const KeySpan& keys);
  Result<Seen> AskFromTwo(const Reads& reads, const StoreKeys& keys);
  Status OpenAt(const std::string& name, StoreShape shape);
  Status CloseAndRemove();
  StoreKeys Draw(KeyKind kind, unsigned round, std::uint64_t count) const;

  StorePlan plan_;
  std::unique_ptr<StoreEngine> engine_;
  std::string root_;
  std::string dir_;  // of the store that is open; empty: none is
  StoreShape shape_ = StoreShape::kUsual;
};

}  // namespace tamis::bench
