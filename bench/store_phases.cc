// SPDX-License-Identifier: Apache-2.0
#include "bench/store_phases.h"

#include <malloc.h>
#include <time.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bench/clocks.h"
#include "bench/store_floor.h"

namespace tamis::bench {
namespace {

constexpr std::size_t kKeysPerMultiGet = 100;
constexpr std::uint64_t kEntriesPerShortScan = 10;
// Before every timed run of reads, one of so many times fewer.
constexpr std::uint64_t kWarmUpShare = 8;
// Lookups in many tables take long, and vary little.
constexpr std::uint64_t kOverlappingShare = 10;
// LevelDB compacts tables after too many fruitless seeks: reads change the
// store, so it is read until it no longer changes, or so many times.
constexpr int kMaxWarmUps = 6;
constexpr std::uint64_t kFillSeed = 1;
constexpr std::uint64_t kMemtableSeed = 2;
constexpr std::uint64_t kReadSeed = 3;  // and the next

double ProcessNanoseconds() noexcept {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 +
         static_cast<double>(now.tv_nsec);
}

class Stopwatch {
 public:
  Sample Per(std::uint64_t operations, double idle = 0) const {
    const auto each = static_cast<double>(operations);
    return {.value = (WallNanoseconds() - wall_ - idle) / each,
            .cpu = (ProcessNanoseconds() - cpu_) / each};
  }

 private:
  double cpu_ = ProcessNanoseconds();
  double wall_ = WallNanoseconds();
};

// The number after `name` in a file of lines "name: number ...".
double NumberIn(const char* path, std::string_view name) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name)) return std::stod(line.substr(name.size()));
  }
  return 0;
}

double BytesWritten() { return NumberIn("/proc/self/io", "wchar:"); }
double PrivateBytes() {
  return NumberIn("/proc/self/status", "RssAnon:") * 1024;
}
double MappedBytes() {
  return NumberIn("/proc/self/status", "RssFile:") * 1024;
}

Sample Bytes(double bytes) { return {.value = bytes, .cpu = 0}; }

Status Wrong(std::string_view what) {
  return Status::Corruption("the store gave wrong answers: " +
                            std::string(what));
}

}  // namespace

StoreWorker::StoreWorker(const StorePlan& plan,
                         std::unique_ptr<StoreEngine> engine, std::string dir)
    : plan_(plan), engine_(std::move(engine)), root_(std::move(dir)) {}

Result<Figures> StoreWorker::Run(std::string_view phase, unsigned round) {
  using Kind = KeyKind;
  const std::uint64_t many = plan_.operations;
  const std::uint64_t few =
      std::max<std::uint64_t>(1, many / kOverlappingShare);
  const std::pair<std::string_view, Reads> reads[] = {
      {"missing", {Kind::kMissing, many}},
      {"present", {Kind::kPresent, many}},
      {"missing_two", {Kind::kMissing, many, Threads::kTwo}},
      {"present_two", {Kind::kPresent, many, Threads::kTwo}},
      {"multi_missing",
       {Kind::kMissing, many, Threads::kOne, kKeysPerMultiGet}},
      {"multi_present",
       {Kind::kPresent, many, Threads::kOne, kKeysPerMultiGet}},
      {"missing_memtable", {Kind::kMissing, many}},
      {"present_memtable", {Kind::kPresent, many}},
      {"missing_overlap", {Kind::kMissing, few}},
      {"present_overlap", {Kind::kPresent, few}},
      {"multi_missing_overlap",
       {Kind::kMissing, few, Threads::kOne, kKeysPerMultiGet}},
  };
  for (const auto& [name, how] : reads) {
    if (phase == name) return Read(name, how, round);
  }
  if (phase == "fill_seq") return FillInOrder();
  if (phase == "fill_random") return FillAtRandom();
  if (phase == "warm_up") return WarmUp();
  if (phase == "missing_floor") return Floor(round);
  if (phase == "scan") return FullScan();
  if (phase == "short_scan") return ShortScans(round);
  if (phase == "open") return Reopen(round);
  if (phase == "memory") return Memory();
  if (phase == "shape") return Shape();
  if (phase == "fill_memtable") return FillMemtable();
  if (phase == "fill_overlap") return FillOverlapping();
  if (phase == "finish") return Finish();
  return Status::InvalidArgument("no phase called " + std::string(phase));
}

StoreKeys StoreWorker::Draw(KeyKind kind, unsigned round,
                            std::uint64_t count) const {
  return StoreKeys::Shuffled({.universe = plan_.keys,
                              .kind = kind,
                              .seed = kReadSeed + static_cast<unsigned>(kind),
                              .first = round * 2 * plan_.operations,
                              .count = count});
}

Status StoreWorker::OpenAt(const std::string& name, StoreShape shape) {
  std::error_code error;
  std::filesystem::create_directories(root_, error);
  if (error) return Status::IoError(root_ + ": " + error.message());
  const std::string dir = root_ + "/" + name;
  if (Status opened = engine_->Open(dir, shape); !opened.ok()) return opened;
  dir_ = dir;
  shape_ = shape;
  return Status::Ok();
}

Status StoreWorker::CloseAndRemove() {
  if (dir_.empty()) return Status::Ok();
  engine_->Close();
  std::error_code error;
  std::filesystem::remove_all(dir_, error);
  dir_.clear();
  return error ? Status::IoError(root_ + ": " + error.message()) : Status::Ok();
}

// ---- Filling ----

Result<Figures> StoreWorker::Fill(const std::string& name,
                                  const StoreKeys& keys) {
  if (Status opened = OpenAt(name, StoreShape::kUsual); !opened.ok()) {
    return opened;
  }
  const double written_before = BytesWritten();
  const Stopwatch watch;
  Status put = engine_->Put({&keys, 0, keys.size()});
  Figures figures;
  figures[name] = watch.Per(keys.size());
  if (!put.ok()) return put;
  const Result<Settled> settled = engine_->Settle();
  if (!settled.ok()) return settled.status();
  figures[name + "_settled"] =
      watch.Per(keys.size(), settled->idle_nanoseconds);
  figures[name + "_written"] = Bytes(BytesWritten() - written_before);
  return figures;
}

Result<Figures> StoreWorker::FillInOrder() {
  const StoreKeys keys = StoreKeys::InOrder(plan_.keys);
  auto figures = Fill("fill_seq", keys);
  if (!figures.ok()) return figures;
  if (Status removed = CloseAndRemove(); !removed.ok()) return removed;
  return figures;
}

// Afterwards the store is open, everything is in tables, and all is quiet.
Result<Figures> StoreWorker::FillAtRandom() {
  const StoreKeys keys = StoreKeys::Shuffled(
      {.universe = plan_.keys, .seed = kFillSeed, .count = plan_.keys});
  auto figures = Fill("fill_random", keys);
  if (!figures.ok()) return figures;
  // Opening turns what is left in the log into a table.
  engine_->Close();
  if (Status opened = engine_->Open(dir_, shape_); !opened.ok()) return opened;
  if (const auto quiet = engine_->Settle(); !quiet.ok()) return quiet.status();
  (*figures)["disk"] = Bytes(static_cast<double>(BytesOnDisk(dir_)));
  return figures;
}

// Overwrites keys that are there, all over the range.
Result<Figures> StoreWorker::FillMemtable() {
  const StoreKeys keys = StoreKeys::Shuffled(
      {.universe = plan_.keys,
       .seed = kMemtableSeed,
       .count = std::min(plan_.keys, plan_.memtable_entries)});
  if (Status put = engine_->Put({&keys, 0, keys.size()}); !put.ok()) return put;
  return Figures{};
}

// Each table's keys are spread over the whole range.
Result<Figures> StoreWorker::FillOverlapping() {
  if (Status removed = CloseAndRemove(); !removed.ok()) return removed;
  if (Status opened = OpenAt("overlap", StoreShape::kOverlapping);
      !opened.ok()) {
    return opened;
  }
  const StoreKeys keys = StoreKeys::Shuffled(
      {.universe = plan_.keys, .seed = kFillSeed, .count = plan_.keys});
  const std::size_t tables = plan_.overlapping_tables;
  for (std::size_t i = 0; i < tables; ++i) {
    const KeySpan part{&keys, keys.size() * i / tables,
                       keys.size() * (i + 1) / tables};
    if (Status put = engine_->Put(part); !put.ok()) return put;
    if (Status flushed = engine_->Flush(); !flushed.ok()) return flushed;
  }
  const auto all = engine_->Scan({});  // fills caches
  if (!all.ok()) return all.status();
  return Figures{};
}

// ---- Reading ----

// Reads everything once, then missing keys until that changes nothing.
Result<Figures> StoreWorker::WarmUp() {
  if (const auto all = engine_->Scan({}); !all.ok()) {
    return all.status();
  }
  const Reads missing{KeyKind::kMissing, plan_.operations};
  for (int i = 0; i < kMaxWarmUps; ++i) {
    const StoreKeys keys = Draw(missing.kind, 0, missing.operations);
    const double before = BytesWritten();
    const auto read = Ask(missing, {&keys, 0, keys.size()});
    if (!read.ok()) return read.status();
    if (const auto quiet = engine_->Settle(); !quiet.ok()) {
      return quiet.status();
    }
    if (BytesWritten() == before) break;
  }
  return Figures{};
}

Result<Figures> StoreWorker::Read(std::string_view name, const Reads& reads,
                                  unsigned round) {
  if (dir_.empty()) return Status::NotSupported("there is no such store");
  const auto threads = static_cast<unsigned>(reads.threads);
  const StoreKeys keys = Draw(reads.kind, round, reads.operations * threads);
  const std::size_t some = keys.size() / kWarmUpShare;
  const auto warm = Ask(reads, {&keys, keys.size() - some, keys.size()});
  if (!warm.ok()) return warm.status();
  const Stopwatch watch;
  const Result<Seen> seen = reads.threads == Threads::kTwo
                                ? AskFromTwo(reads, keys)
                                : Ask(reads, {&keys, 0, keys.size()});
  const Sample sample = watch.Per(keys.size());
  if (!seen.ok()) return seen.status();
  const Seen right = reads.kind == KeyKind::kMissing ? Seen{} : Expected(keys);
  if (*seen != right) return Wrong(name);
  return Figures{{std::string(name), sample}};
}

Result<Seen> StoreWorker::Ask(const Reads& reads, const KeySpan& keys) {
  return reads.keys_per_call == 1
             ? engine_->Get(keys)
             : engine_->MultiGet(keys, reads.keys_per_call);
}

Result<Seen> StoreWorker::AskFromTwo(const Reads& reads,
                                     const StoreKeys& keys) {
  const std::size_t half = keys.size() / 2;
  Result<Seen> second = Seen{};
  std::jthread other([&] { second = Ask(reads, {&keys, half, keys.size()}); });
  Result<Seen> first = Ask(reads, {&keys, 0, half});
  other.join();
  if (!first.ok() || !second.ok()) return first.ok() ? second : first;
  return Seen{.values = first->values + second->values,
              .sum = first->sum + second->sum};
}

// What the same keys cost if nothing but the filters' lines is looked at.
Result<Figures> StoreWorker::Floor(unsigned round) {
  const Result<Settled> settled = engine_->Settle();
  if (!settled.ok()) return settled.status();
  if (settled->filter_bytes.empty()) {
    return Status::NotSupported("the sizes of the filters are not known");
  }
  MissFloor floor;
  Status ready = floor.Prepare(settled->filter_bytes);
  if (!ready.ok()) return ready;
  const StoreKeys keys = Draw(KeyKind::kMissing, round, plan_.operations);
  const std::size_t some = keys.size() / kWarmUpShare;
  std::uint64_t found = floor.Ask({&keys, keys.size() - some, keys.size()});
  const Stopwatch watch;
  found |= floor.Ask({&keys, 0, keys.size()});
  const Sample sample = watch.Per(keys.size());
  if (found != 0) return Wrong("the floor");
  return Figures{{"missing_floor", sample}};
}

Result<Figures> StoreWorker::FullScan() {
  const Stopwatch watch;
  const Result<Seen> seen = engine_->Scan({});
  const Sample sample = watch.Per(plan_.keys);
  if (!seen.ok()) return seen.status();
  if (*seen != Expected(StoreKeys::InOrder(plan_.keys))) {
    return Wrong("a scan");
  }
  return Figures{{"scan", sample}};
}

Result<Figures> StoreWorker::ShortScans(unsigned round) {
  const StoreKeys keys =
      Draw(KeyKind::kPresent, round,
           std::max<std::uint64_t>(1, plan_.operations / kEntriesPerShortScan));
  Seen all;
  const Stopwatch watch;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto seen = engine_->Scan(
        {.start = keys[i], .limit = {}, .most = kEntriesPerShortScan});
    if (!seen.ok()) return seen.status();
    all.values += seen->values;
  }
  const Sample sample = watch.Per(keys.size());
  // Those that begin at the last keys of all are shorter.
  if (all.values < keys.size() * (kEntriesPerShortScan - 1)) {
    return Wrong("short scans");
  }
  return Figures{{"short_scan", sample}};
}

// ---- Opening and memory ----

Result<Figures> StoreWorker::Reopen(unsigned round) {
  engine_->Close();
  const StoreKeys keys = Draw(KeyKind::kPresent, round, 1);
  const Stopwatch opening;
  Status opened = engine_->Open(dir_, shape_);
  Figures figures;
  figures["open"] = opening.Per(1);
  if (!opened.ok()) return opened;
  const Stopwatch getting;
  const auto got = engine_->Get({&keys, 0, 1});
  figures["first_get"] = getting.Per(1);
  figures["open_and_get"] = opening.Per(1);
  if (!got.ok()) return got.status();
  if (*got != Expected(keys)) return Wrong("the first key");
  return figures;
}

// What opening the store and reading from it adds to the process.
Result<Figures> StoreWorker::Memory() {
  engine_->Close();
  const StoreKeys missing = Draw(KeyKind::kMissing, 0, plan_.operations);
  const StoreKeys present = Draw(KeyKind::kPresent, 0, plan_.operations);
  ::malloc_trim(0);
  const double own = PrivateBytes();
  const double mapped = MappedBytes();
  if (Status opened = engine_->Open(dir_, shape_); !opened.ok()) return opened;
  for (const StoreKeys* keys : {&missing, &present}) {
    const auto got = engine_->Get({keys, 0, keys->size()});
    if (!got.ok()) return got.status();
  }
  return Figures{{"memory_private", Bytes(PrivateBytes() - own)},
                 {"memory_mapped", Bytes(MappedBytes() - mapped)}};
}

Result<Figures> StoreWorker::Shape() {
  const Result<Settled> settled = engine_->Settle();
  if (!settled.ok()) return settled.status();
  return Figures{
      {"sorted_runs", {.value = static_cast<double>(settled->sorted_runs)}}};
}

Result<Figures> StoreWorker::Finish() {
  if (Status removed = CloseAndRemove(); !removed.ok()) return removed;
  std::error_code error;
  std::filesystem::remove_all(root_, error);
  return Figures{};
}

}  // namespace tamis::bench
