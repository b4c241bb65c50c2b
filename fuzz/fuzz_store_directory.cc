// SPDX-License-Identifier: Apache-2.0
// Any files as a store's directory: opened, read, written, checked, repaired.
// fuzz/store_files.h says what an input is.

#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/fuzz_support.h"
#include "fuzz/store_files.h"
#include "tamis/store.h"
#include "tests/support/memory_env.h"

namespace tamis::fuzz {
namespace {

constexpr int kMaxSteps = 2000;
constexpr std::size_t kExplained = 16;  // one key of so many

void Walk(Store* store) {
  const auto it = store->NewIterator();
  std::string last;
  int steps = 0;
  for (it->SeekToFirst(); it->Valid() && steps < kMaxSteps; it->Next()) {
    Check(steps == 0 || last < it->key(), "an iterator gives keys in order");
    last = it->key();
    ++steps;
  }
  if (!it->Valid()) ExpectReason(it->status());
  it->SeekToLast();
  for (; it->Valid() && steps > 0; it->Prev()) --steps;
  if (!it->Valid()) ExpectReason(it->status());
}

void Read(Store* store, std::span<const Slice> keys) {
  Walk(store);
  std::vector<std::string> values(keys.size());
  std::vector<Status> statuses(keys.size(), Status::Ok());
  store->MultiGet({}, keys, values, statuses);
  std::string value;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Status got = store->Get({}, keys[i], &value);
    if (got.code() != StatusCode::kNotFound) ExpectReason(got);
    Check(statuses[i].code() == got.code() && (!got.ok() || values[i] == value),
          "MultiGet() is Get() for each");
    if (i % kExplained != 0) continue;
    const Explanation told = store->Explain({}, keys[i]);
    Check(
        told.status.code() == got.code() && (!got.ok() || told.value == value),
        "Explain() ends as Get() does");
  }
  for (const Slice name : keys.last(5)) {
    const std::string text = "tamis.num-files-at-level" + std::string(name);
    Check(!store->Property(text).ok() || !name.empty(), "a level has a number");
    (void)store->Property(name);
  }
  const KeyRange ranges[] = {KeyRange::All(), KeyRange::Before(keys[0])};
  Check(store->ApproximateSizes(ranges).size() == std::size(ranges),
        "every range has a size");
  (void)store->Stats().ToText();
}

// What is written can be read.
bool Write(Store* store) {
  WriteBatch batch;
  batch.Put("new", "value");
  batch.Delete("key");
  const Status written = store->Write({.sync = true}, batch);
  ExpectReason(written);
  if (!written.ok()) return false;
  std::string value;
  Check(store->Get({}, "new", &value).ok() && value == "value",
        "what was written is there");
  Check(store->Get({}, "key", &value).code() == StatusCode::kNotFound,
        "what was deleted is not there");
  return true;
}

class Directory {
 public:
  Directory(Slice bytes, const StoreSwitches& switches)
      : env_({.can_map = switches.can_map, .tear_failed_writes = false}) {
    PutFiles(bytes, switches, &env_);
    options_.env = &env_;
    options_.read_only = switches.read_only;
    options_.skip_damaged_log_records = switches.skip_damaged;
    options_.write_buffer_bytes = std::size_t{64} << 10;
    options_.block_cache_bytes = std::size_t{64} << 10;
  }

  std::unique_ptr<Store> Open() {
    Result<std::unique_ptr<Store>> opened = Store::Open(kStoreDir, options_);
    ExpectReason(opened.status());
    return opened.ok() ? *std::move(opened) : nullptr;
  }
  bool Repair() {
    const Result<RepairReport> dry =
        RepairStore(kStoreDir, options_, RepairMode::kDryRun);
    const Result<RepairReport> repaired = RepairStore(kStoreDir, options_);
    ExpectReason(repaired.status());
    Check(dry.ok() == repaired.ok(), "a dry run tells what will be");
    if (!dry.ok()) return false;
    Check(dry->lost == repaired->lost &&
              dry->may_come_back.size() == repaired->may_come_back.size() &&
              dry->was_clean == repaired->was_clean,
          "a dry run tells what will be");
    return true;
  }
  // CheckStore() finds at least the problems that opening finds.
  void CheckAll() {
    const Result<CheckReport> report = CheckStore(kStoreDir, options_);
    ExpectReason(report.status());
    StoreOptions strict = options_;
    strict.read_only = true;
    strict.skip_damaged_log_records = false;
    const bool opens = Store::Open(kStoreDir, strict).ok();
    if (!report.ok()) {
      // Opening reads no data blocks, so it does not see those that cannot be
      // unpacked here or claim too much.
      const StatusCode code = report.status().code();
      Check(!opens || code == StatusCode::kNotSupported ||
                code == StatusCode::kResourceExhausted,
            "what opens can be checked");
      return;
    }
    Check(opens || !report->problems.empty(),
          "what does not open has a problem");
    for (const std::string& problem : report->problems) {
      Check(problem.find(kStoreDir) != std::string::npos,
            "a problem names a file");
    }
  }

  void ExpectClean() {
    const Result<RepairReport> again =
        RepairStore(kStoreDir, options_, RepairMode::kDryRun);
    Check(again.ok() && again->was_clean, "what was repaired is well");
  }

  // Read, write, close, open, read.
  void Use(std::span<const Slice> keys) {
    auto store = Open();
    if (store == nullptr) return;
    Read(store.get(), keys);
    if (options_.read_only) return;
    const bool wrote = Write(store.get());
    ExpectReason(store->Flush());
    ExpectReason(store->Compact());
    store.reset();
    store = Open();
    if (!wrote) return;
    Check(store != nullptr, "what could be written to opens again");
    std::string value;
    const Status got = store->Get({}, "new", &value);
    if (got.code() != StatusCode::kNotFound) ExpectReason(got);
    Check(got.code() != StatusCode::kNotFound, "what was written stays");
  }

 private:
  testing::MemoryEnv env_;
  StoreOptions options_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0 || size > (std::size_t{128} << 10)) return 0;
  const StoreSwitches switches(data[0]);
  const Slice bytes = AsSlice(data + 1, size - 1);
  const std::vector<Slice> keys = QuestionsFrom(bytes.substr(0, 400));
  Directory directory(bytes, switches);
  directory.CheckAll();
  if (!switches.repair_first) directory.Use(keys);
  if (directory.Repair()) {
    Check(directory.Open() != nullptr, "what was repaired opens");
    directory.CheckAll();
    directory.ExpectClean();
    directory.Use(keys);
  }
  return 0;
}

}  // namespace tamis::fuzz
