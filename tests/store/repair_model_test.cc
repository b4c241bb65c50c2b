// SPDX-License-Identifier: Apache-2.0
// RepairStore() against a model.  Random histories are killed, with scans and
// snapshots open, and damaged.  Of what is left on the disk the test knows
// every entry, so it knows what the repaired store must hold.  For longer:
//
//   TAMIS_SOAK_SECONDS=600 tests_store --gtest_filter='StoreRepairModel.*'
//
// and TAMIS_SOAK_SEED=N repeats one seed.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "store/batch_access.h"
#include "store/file_names.h"
#include "store/log_reader.h"
#include "store/manifest.h"
#include "table/block.h"
#include "table/block_cursor.h"
#include "table/block_file.h"
#include "table/table_index.h"
#include "tamis/store.h"
#include "tests/store/batch_history.h"
#include "tests/store/stores.h"
#include "tests/support/memory_env.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

// The newest entry of each key.
class Newest {
 public:
  void Add(Slice key, Sequence sequence, bool is_value, Slice value) {
    Entry& entry = entries_[std::string(key)];
    if (entry.seen && entry.sequence >= sequence) return;
    entry = {true, sequence, is_value, std::string(value)};
  }
  Contents ToContents() const {
    Contents contents;
    for (const auto& [key, entry] : entries_) {
      if (entry.is_value) contents[key] = entry.value;
    }
    return contents;
  }

 private:
  struct Entry {
    bool seen = false;
    Sequence sequence = 0;
    bool is_value = false;
    std::string value;
  };
  std::map<std::string, Entry> entries_;
};

// The entries of those blocks of a table that the damage has left as they were.
void AddTable(const std::string& whole, const std::string& damaged,
              Newest* newest) {
  const StringSource file(whole);
  const Result<Footer> footer = ReadFooter(file);
  ASSERT_TRUE(footer.ok());
  BlockBuffer index_buffer;
  Slice contents;
  ASSERT_TRUE(ReadBlock(file, footer->index, &index_buffer, &contents).ok());
  TableIndex index;
  ASSERT_TRUE(index.Load(KeyOrder(), contents, whole.size()).ok());
  for (std::size_t i = 0; i < index.size(); ++i) {
    const BlockHandle handle = index.block(i);
    const auto at = static_cast<std::size_t>(handle.offset);
    const auto size = static_cast<std::size_t>(handle.size) + 5;
    if (at + size > damaged.size() ||
        damaged.compare(at, size, whole, at, size) != 0) {
      continue;
    }
    BlockBuffer buffer;
    ASSERT_TRUE(ReadBlock(file, handle, &buffer, &contents).ok());
    Block block;
    ASSERT_TRUE(Block::Parse(contents, &block));
    BlockCursor cursor;
    cursor.Reset(block);
    for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
      newest->Add(UserKeyOf(cursor.key()), SequenceOf(cursor.key()),
                  TypeOf(cursor.key()) == ValueType::kValue, cursor.value());
    }
  }
}

void AddLog(const std::string& bytes, Newest* newest) {
  LogReader reader(bytes);
  Slice record;
  while (reader.Next(&record)) {
    Sequence sequence = BatchAccess::SequenceOfContents(record);
    ASSERT_TRUE(
        ForEachChange(record, [&](ValueType type, Slice key, Slice value) {
          newest->Add(key, sequence++, type == ValueType::kValue, value);
        }).ok());
  }
}

// A store, killed, and all that was ever in it.
class History {
 public:
  explicit History(std::uint64_t seed) : random_(seed) {
    options_ = SmallOptions();
    options_.create_if_missing = true;
    options_.env = &env_;
    options_.write_buffer_bytes = std::size_t{2048} << random_() % 4;
    options_.block_bytes = std::size_t{256} << random_() % 4;
    options_.level1_bytes = std::uint64_t{8192} << random_() % 3;
    options_.level0_compact_at = static_cast<unsigned>(1 + random_() % 4);
    options_.automatic_compaction = random_() % 3 > 0;
    options_.level0_stop_at = 1000;
    options_.level0_slow_at = 1000;
    options_.compression = static_cast<Compression>(random_() % 3);
  }

  void Live(int operations) {
    for (int life = 0; life < 2; ++life) {
      Result<std::unique_ptr<Store>> opened = Store::Open("/db", options_);
      ASSERT_TRUE(opened.ok()) << opened.status().ToString();
      for (int i = 0; i < operations; ++i) Step(opened.value().get());
      ASSERT_TRUE(opened->WaitForQuiet().ok());
      env_.Crash(CrashMode::kKillProcess);
      pins_.clear();
      snapshots_.clear();
      opened.value().reset();
      env_.Restart();
    }
    files_ = FilesOf(&env_);
  }

  const Files& files() const { return files_; }
  const StoreOptions& options() const { return options_; }
  const Contents& truth() const { return truth_; }
  // True: somebody has once written this.
  bool WasWritten(const std::string& key, const std::string& value) const {
    return written_.contains({key, value});
  }
  std::uint64_t Chance(std::uint64_t n) { return random_() % n; }

 private:
  void Step(Store* store) {
    const std::uint64_t what = Chance(1000);
    const std::string key = "key" + std::to_string(Chance(150));
    if (what < 600) {
      std::string value = std::to_string(random_());
      value.append(Chance(100), 'v');
      ASSERT_TRUE(store->Put({}, key, value).ok());
      truth_[key] = value;
      written_.emplace(key, value);
    } else if (what < 900) {
      ASSERT_TRUE(store->Delete({}, key).ok());
      truth_.erase(key);
    } else if (what < 920) {
      ASSERT_TRUE(store->Flush().ok());
    } else if (what < 930) {
      ASSERT_TRUE(store->Compact().ok());
    } else if (what < 960 && pins_.size() < 8) {
      pins_.push_back(store->NewIterator());
      pins_.back()->SeekToFirst();
    } else if (what < 970) {
      snapshots_.push_back(store->GetSnapshot());
    } else if (what < 980) {
      snapshots_.clear();
    } else if (what < 985) {
      pins_.clear();
    }
  }

  std::mt19937_64 random_;
  MemoryEnv env_;
  StoreOptions options_;
  Contents truth_;
  std::set<std::pair<std::string, std::string>> written_;
  std::vector<std::unique_ptr<Iterator>> pins_;
  std::vector<std::unique_ptr<const Snapshot>> snapshots_;
  Files files_;
};

struct Repaired {
  RepairReport report;
  Contents contents;
};

// The files, repaired: it opens, and nothing is wrong with it.
Repaired RepairOf(const Files& files, StoreOptions options) {
  Repaired repaired;
  MemoryEnv env;
  PutFiles(files, &env);
  options.env = &env;
  const Result<RepairReport> dry =
      RepairStore("/db", options, RepairMode::kDryRun);
  EXPECT_TRUE(dry.ok()) << dry.status().ToString();
  for (const auto& [path, bytes] : files) {
    EXPECT_TRUE(env.Contents(path) == bytes) << path;
  }
  const Result<RepairReport> report = RepairStore("/db", options);
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  if (!dry.ok() || !report.ok()) return repaired;
  EXPECT_EQ(dry->lost, report->lost);
  EXPECT_EQ(dry->may_come_back.size(), report->may_come_back.size());
  repaired.report = *report;
  options.create_if_missing = false;
  Result<std::unique_ptr<Store>> store = Store::Open("/db", options);
  EXPECT_TRUE(store.ok()) << store.status().ToString();
  if (!store.ok()) return repaired;
  repaired.contents = ContentsOf(store.value().get());
  ExpectHolds(store.value().get(), repaired.contents);
  store.value().reset();
  ExpectSound(&env);
  return repaired;
}

std::uint64_t NumberOf(const std::string& path) {
  const auto parsed = ParseFileName(path.substr(4));
  return parsed ? parsed->number : 0;
}

std::string ManifestOf(const Files& files) {
  for (const auto& [path, bytes] : files) {
    if (path.starts_with("/db/MANIFEST")) return path;
  }
  return "";
}

// What the manifest says, undamaged.
ManifestState StateOf(const Files& files) {
  MemoryEnv env;
  PutFiles(files, &env);
  Result<ManifestState> state = ReadManifest(env, "/db");
  EXPECT_TRUE(state.ok()) << state.status().ToString();
  return state.ok() ? *std::move(state) : ManifestState();
}

// Of the live files, as the manifest said before anything was damaged.
Contents LiveContents(const Files& whole, const Files& damaged) {
  const ManifestState state = StateOf(whole);
  Newest newest;
  for (const auto& level : state.files) {
    for (const FileMetadata& metadata : level) {
      const std::string path = TableFileName("/db", metadata.number);
      const auto left = damaged.find(path);
      if (left != damaged.end()) {
        AddTable(whole.at(path), left->second, &newest);
      }
    }
  }
  for (const auto& [path, bytes] : damaged) {
    if (path.ends_with(".log") && NumberOf(path) >= state.log_number) {
      AddLog(bytes, &newest);
    }
  }
  return newest.ToContents();
}

// Of all tables and logs there are.
Contents AllContents(const Files& files) {
  Newest newest;
  for (const auto& [path, bytes] : files) {
    if (path.ends_with(".ldb")) AddTable(bytes, bytes, &newest);
    if (path.ends_with(".log")) AddLog(bytes, &newest);
  }
  return newest.ToContents();
}

// A bit, a page, or the end of some tables.
Files DamageTables(History* history) {
  Files files = history->files();
  for (auto& [path, bytes] : files) {
    if (!path.ends_with(".ldb") || history->Chance(3) > 0) continue;
    const std::size_t at = history->Chance(bytes.size());
    switch (history->Chance(4)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << history->Chance(8)));
        break;
      case 1: {
        const std::size_t page = at / 512 * 512;
        const std::size_t end = std::min(bytes.size(), page + 512);
        std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(page),
                  bytes.begin() + static_cast<std::ptrdiff_t>(end), '\0');
        break;
      }
      case 2:
        bytes.resize(at);
        break;
      default:  // two places, and the index is lost
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
        bytes[at / 2] = static_cast<char>(bytes[at / 2] ^ 1);
        bytes.back() = static_cast<char>(bytes.back() ^ 1);
    }
  }
  return files;
}

void ExpectOnlyWhatWasWritten(const History& history,
                              const Contents& contents) {
  for (const auto& [key, value] : contents) {
    ASSERT_TRUE(history.WasWritten(key, value)) << key;
  }
}

void TryUndamaged(const History& history) {
  const Repaired as_it_is = RepairOf(history.files(), history.options());
  EXPECT_TRUE(as_it_is.report.was_clean);
  EXPECT_TRUE(as_it_is.contents == history.truth());
  Files files = history.files();
  files.erase("/db/CURRENT");
  const Repaired without_current = RepairOf(files, history.options());
  EXPECT_FALSE(without_current.report.was_clean);
  EXPECT_TRUE(without_current.report.lost.empty());
  EXPECT_TRUE(without_current.report.may_come_back.empty());
  EXPECT_TRUE(without_current.contents == history.truth());
}

void TryDamagedTables(History* history) {
  const Files files = DamageTables(history);
  const Repaired repaired = RepairOf(files, history->options());
  const Contents expected = LiveContents(history->files(), files);
  EXPECT_TRUE(repaired.contents == expected)
      << repaired.contents.size() << " keys, not " << expected.size();
  EXPECT_TRUE(repaired.report.may_come_back.empty());
  ExpectOnlyWhatWasWritten(*history, repaired.contents);
}

void TryWithoutManifest(const History& history) {
  Files files = history.files();
  files.erase(ManifestOf(files));
  const Repaired repaired = RepairOf(files, history.options());
  EXPECT_TRUE(repaired.contents == AllContents(files));
  EXPECT_FALSE(repaired.report.may_come_back.empty());
}

void TryPartOfManifest(History* history) {
  Files files = history->files();
  std::string& manifest = files[ManifestOf(files)];
  const std::size_t at = history->Chance(manifest.size());
  if (history->Chance(2) == 0) {
    manifest.resize(at);
  } else {
    manifest[at] = static_cast<char>(manifest[at] ^ 1);
  }
  const Repaired repaired = RepairOf(files, history->options());
  // Nothing is lost; what is there besides may be, if it was said.
  for (const auto& [key, value] : history->truth()) {
    const auto found = repaired.contents.find(key);
    ASSERT_TRUE(found != repaired.contents.end()) << key;
    ASSERT_TRUE(found->second == value) << key;
  }
  ExpectOnlyWhatWasWritten(*history, repaired.contents);
  if (repaired.report.may_come_back.empty()) {
    EXPECT_EQ(repaired.contents.size(), history->truth().size());
  }
}

// A log may have lost any of its records, and with them what was deleted.
void TryDamagedLogs(History* history) {
  Files files = history->files();
  for (auto& [path, bytes] : files) {
    if (!path.ends_with(".log") || bytes.empty()) continue;
    const std::size_t at = history->Chance(bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << history->Chance(8)));
  }
  const Repaired repaired = RepairOf(files, history->options());
  ExpectOnlyWhatWasWritten(*history, repaired.contents);
}

void TrySeed(std::uint64_t seed, int operations) {
  History history(seed);
  history.Live(operations);
  if (::testing::Test::HasFailure()) return;
  TryUndamaged(history);
  TryWithoutManifest(history);
  for (int i = 0; i < 4; ++i) {
    TryDamagedTables(&history);
    TryPartOfManifest(&history);
    TryDamagedLogs(&history);
  }
}

TEST(StoreRepairModel, HoldsWhatCanBeReadAndNothingElse) {
  using Clock = std::chrono::steady_clock;
  const std::uint64_t seconds = NumberFrom("TAMIS_SOAK_SECONDS", 0);
  const std::uint64_t only = NumberFrom("TAMIS_SOAK_SEED", 0);
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::uint64_t seed = only > 0 ? only : 1;
  if (only == 0 && seconds > 0) seed = std::random_device()() * 1000ull + 1;
  for (std::uint64_t tried = 1;; ++tried, ++seed) {
    TrySeed(seed, 300);
    ASSERT_FALSE(HasFailure()) << "TAMIS_SOAK_SEED=" << seed;
    if (seconds > 0 && tried % 100 == 0) {
      std::printf("%llu seeds, the last %llu\n",
                  static_cast<unsigned long long>(tried),
                  static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
    if (only > 0 || (seconds == 0 && tried == 6)) break;
    if (seconds > 0 && Clock::now() >= end) break;
  }
}

}  // namespace
}  // namespace tamis::testing
