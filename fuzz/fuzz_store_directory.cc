// SPDX-License-Identifier: Apache-2.0
// Any files as a store's directory: opened, read, written, checked, repaired.
//
// The input is a byte of switches, then files: a byte for the kind, one for
// the number, two for the length, and the bytes.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/crc32c.h"
#include "fuzz/fuzz_support.h"
#include "store/file_names.h"
#include "store/log_format.h"
#include "tamis/store.h"
#include "tests/support/memory_env.h"

namespace tamis::fuzz {
namespace {

constexpr char kDir[] = "/db";
constexpr std::size_t kMaxFiles = 20;
constexpr int kMaxSteps = 2000;

struct Switches {
  bool can_map;
  bool read_only;
  bool skip_damaged;
  bool fix_checksums;  // of logs and manifests, so that more is accepted
  bool repair_first;

  explicit Switches(unsigned byte)
      : can_map((byte & 1) != 0),
        read_only((byte & 2) != 0),
        skip_damaged((byte & 4) != 0),
        fix_checksums((byte & 8) != 0),
        repair_first((byte & 16) != 0) {}
};

// Corrects the checksum of every fragment.
void FixChecksums(std::string* log) {
  for (std::size_t at = 0; at + kLogHeaderBytes <= log->size();) {
    const std::size_t block_end = (at / kLogBlockBytes + 1) * kLogBlockBytes;
    const std::size_t length = LoadLittle<std::uint16_t>(log->data() + at + 4);
    const std::size_t end = at + kLogHeaderBytes + length;
    if (end > log->size() || end > block_end) {
      at = block_end;
      continue;
    }
    if (length > 0 || (*log)[at + 6] != 0) {
      const std::uint32_t crc = Crc32c(Slice(*log).substr(at + 6, length + 1));
      StoreLittle(log->data() + at, MaskCrc32c(crc));
    }
    at = end;
  }
}

std::string PathOf(unsigned kind, std::uint64_t number) {
  switch (kind % 8) {
    case 0:
      return LogFileName(kDir, number);
    case 1:
      return TableFileName(kDir, number);
    case 2:
      return OldTableFileName(kDir, number);
    case 3:
      return ManifestFileName(kDir, number);
    case 4:
      return TemporaryFileName(kDir, number);
    case 5:
      return InfoLogFileName(kDir);
    default:
      return CurrentFileName(kDir);
  }
}

void PutFiles(Slice bytes, const Switches& switches, testing::MemoryEnv* env) {
  Check(env->CreateDirectory(kDir).ok(), "memory has room for a directory");
  Input input(bytes);
  for (std::size_t i = 0; i < kMaxFiles && !input.empty(); ++i) {
    const unsigned kind = input.TakeByte();
    const std::uint64_t number = input.TakeByte();
    const auto length = static_cast<std::size_t>(input.TakeNumber(2));
    std::string content(input.Take(length));
    const bool is_log = kind % 8 == 0 || kind % 8 == 3;
    if (switches.fix_checksums && is_log) FixChecksums(&content);
    env->SetContents(PathOf(kind, number), std::move(content));
  }
}

void ExpectReason(const Status& status) {
  Check(status.ok() || status.message().find(kDir) != std::string::npos,
        "an error names a file");
}

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
  std::string value;
  for (const Slice key : keys) {
    const Status got = store->Get({}, key, &value);
    if (got.code() != StatusCode::kNotFound) ExpectReason(got);
  }
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
  Directory(Slice bytes, const Switches& switches)
      : env_({.can_map = switches.can_map, .tear_failed_writes = false}) {
    PutFiles(bytes, switches, &env_);
    options_.env = &env_;
    options_.read_only = switches.read_only;
    options_.skip_damaged_log_records = switches.skip_damaged;
    options_.write_buffer_bytes = std::size_t{64} << 10;
    options_.block_cache_bytes = std::size_t{64} << 10;
  }

  std::unique_ptr<Store> Open() {
    Result<std::unique_ptr<Store>> opened = Store::Open(kDir, options_);
    ExpectReason(opened.status());
    return opened.ok() ? *std::move(opened) : nullptr;
  }
  bool Repair() {
    const Result<RepairReport> dry =
        RepairStore(kDir, options_, RepairMode::kDryRun);
    const Result<RepairReport> repaired = RepairStore(kDir, options_);
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
    const Result<CheckReport> report = CheckStore(kDir, options_);
    ExpectReason(report.status());
    StoreOptions strict = options_;
    strict.read_only = true;
    strict.skip_damaged_log_records = false;
    const bool opens = Store::Open(kDir, strict).ok();
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
      Check(problem.find(kDir) != std::string::npos, "a problem names a file");
    }
  }

  void ExpectClean() {
    const Result<RepairReport> again =
        RepairStore(kDir, options_, RepairMode::kDryRun);
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
  const Switches switches(data[0]);
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
