// SPDX-License-Identifier: Apache-2.0
// New filters for databases that the real LevelDB wrote: it opens them, finds
// every key, and uses the filters.

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include "table/block_file.h"
#include "table/table_index.h"
#include "tamis/env.h"
#include "tamis/sstable_rebuild.h"
#include "tests/base/temp_dir.h"
#include "tests/support/golden.h"
#include "tests/support/rebuild_crashes.h"
#include "tests/support/walked_keys.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;

using StoredEntries = std::map<std::string, std::string>;

std::string KeyAt(int i) { return "user" + std::to_string(10000 + i); }

struct Settings {
  int bits = 10;  // 0: no filter
  leveldb::CompressionType codec = leveldb::kSnappyCompression;
  std::size_t block_size = 4096;
  std::size_t file_size = std::size_t{1} << 20;
  int keys = 3000;
};

std::unique_ptr<leveldb::DB> OpenDb(const std::string& dir,
                                    const Settings& settings,
                                    const leveldb::FilterPolicy* policy) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.paranoid_checks = true;
  options.filter_policy = policy;
  options.compression = settings.codec;
  options.block_size = settings.block_size;
  options.max_file_size = settings.file_size;
  leveldb::DB* db = nullptr;
  const leveldb::Status opened = leveldb::DB::Open(options, dir, &db);
  EXPECT_TRUE(opened.ok()) << opened.ToString();
  return std::unique_ptr<leveldb::DB>(db);
}

// Tables on several levels, with overwritten and deleted keys, and writes that
// are in the log only.
StoredEntries WriteDb(const std::string& dir, const Settings& settings) {
  const std::unique_ptr<const leveldb::FilterPolicy> policy(
      settings.bits == 0 ? nullptr
                         : leveldb::NewBloomFilterPolicy(settings.bits));
  StoredEntries entries;
  auto db = OpenDb(dir, settings, policy.get());
  const auto put = [&](int from, int to, const std::string& what) {
    for (int i = from; i < to; ++i) {
      entries[KeyAt(i)] = what + std::to_string(i);
      EXPECT_TRUE(db->Put({}, KeyAt(i), entries[KeyAt(i)]).ok());
    }
  };
  put(0, settings.keys, "value ");
  db->CompactRange(nullptr, nullptr);
  for (const char* what : {"second ", "third "}) {
    put(settings.keys - 100, settings.keys + 200, what);
    entries.erase(KeyAt(17));
    EXPECT_TRUE(db->Delete({}, KeyAt(17)).ok());
    // Opened again, what is in the log becomes a table.
    db.reset();
    db = OpenDb(dir, settings, policy.get());
  }
  put(5, 10, "in the log ");
  return entries;
}

void ExpectLevelDbHasAll(const std::string& dir, const StoredEntries& entries,
                         const Settings& settings = {}) {
  const std::unique_ptr<const leveldb::FilterPolicy> policy(
      leveldb::NewBloomFilterPolicy(10));
  const auto db = OpenDb(dir, settings, policy.get());
  ASSERT_NE(db, nullptr);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  for (const auto& [key, value] : entries) {
    std::string found;
    ASSERT_TRUE(db->Get(read, key, &found).ok()) << key;
    ASSERT_EQ(found, value);
  }
  std::size_t count = 0;
  const std::unique_ptr<leveldb::Iterator> all(db->NewIterator(read));
  for (all->SeekToFirst(); all->Valid(); all->Next()) ++count;
  EXPECT_TRUE(all->status().ok());
  EXPECT_EQ(count, entries.size());
  std::string gone;
  EXPECT_TRUE(db->Get(read, KeyAt(17), &gone).IsNotFound());
}

RebuildReport Rebuild(const std::string& dir, const RebuildOptions& options) {
  auto report = RebuildFilters(dir, options);
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return report.ok() ? *std::move(report) : RebuildReport();
}

// The bytes up to the end of the last data block.
std::string DataOf(const std::string& path) {
  const auto file = DefaultEnv().OpenReadable(path, false);
  const auto footer = ReadFooter(**file);
  EXPECT_TRUE(footer.ok()) << path;
  BlockBuffer buffer;
  Slice contents;
  TableIndex index;
  EXPECT_TRUE(ReadBlock(**file, footer->index, &buffer, &contents).ok());
  EXPECT_TRUE(index.Load(KeyOrder(), contents, (*file)->size()).ok());
  const BlockHandle last = index.block(index.size() - 1);
  return ReadFile(path).substr(0, last.offset + last.size + 5);
}

void CopyFiles(const std::string& from, const std::string& to) {
  fs::copy(from, to, fs::copy_options::recursive);
}

TEST(RebuildLevelDb, TheRealOneFindsEveryKeyAndUsesTheFilters) {
  for (const Settings settings :
       {Settings{.bits = 0}, Settings{.bits = 4, .file_size = 1 << 14},
        Settings{.bits = 30, .codec = leveldb::kNoCompression},
        Settings{.block_size = 512}}) {
    SCOPED_TRACE(settings.bits);
    const TempDir dir{TempDir::InMemory()};
    const StoredEntries entries = WriteDb(dir.path(), settings);
    std::map<std::string, std::string> data;  // by the old name
    for (const auto& entry : fs::directory_iterator(dir.path())) {
      if (entry.path().extension() != ".ldb") continue;
      data[entry.path().filename()] = DataOf(entry.path());
    }
    const RebuildReport report =
        Rebuild(dir.path(), {.choice = {.bits_per_key = 12}});
    EXPECT_EQ(report.sstables.size(), data.size());
    EXPECT_EQ(report.kept_in, dir.File("tamis-rebuild"));
    for (const RebuiltSstable& row : report.sstables) {
      ASSERT_TRUE(row.after.has_value()) << row.why_skipped;
      const std::string old = fs::path(row.before.path).filename();
      EXPECT_EQ(DataOf(dir.File(row.new_file)), data.at(old));
      EXPECT_EQ(row.after->filter.probes, 8u);
      EXPECT_EQ(row.after->verdict, FilterVerdict::kOk);
      EXPECT_FALSE(fs::exists(row.before.path));
    }
    const auto listing = FindSstables(dir.path());
    ASSERT_TRUE(listing.ok());
    EXPECT_EQ(listing->problems, std::vector<std::string>());
    for (const FoundSstable& found : listing->sstables) {
      EXPECT_GE(found.level, 0);
      EXPECT_EQ(found.bytes, found.recorded_bytes);
      const WalkedKeys walked = WalkAll(found);
      EXPECT_EQ(walked.hidden, std::vector<std::string>());
      EXPECT_EQ(walked.problems, std::vector<std::string>());
    }
    ExpectLevelDbHasAll(dir.path(), entries, settings);
  }
}

TEST(RebuildLevelDb, WritesTheFilterBlockThatLevelDbWrites) {
  const TempDir ours{TempDir::InMemory()};
  const TempDir theirs{TempDir::InMemory()};
  WriteDb(ours.path(), {.bits = 0, .keys = 2000});
  WriteDb(theirs.path(), {.bits = 16, .keys = 2000});
  Rebuild(ours.path(), {.choice = {.bits_per_key = 16}});
  std::map<std::string, std::string> made;  // by the data
  for (const auto& entry : fs::directory_iterator(ours.path())) {
    if (entry.path().extension() != ".ldb") continue;
    made[DataOf(entry.path())] = ReadFile(entry.path());
  }
  std::size_t tables = 0;
  for (const auto& entry : fs::directory_iterator(theirs.path())) {
    if (entry.path().extension() != ".ldb") continue;
    ++tables;
    // The whole table, down to the footer.
    EXPECT_EQ(made[DataOf(entry.path())], ReadFile(entry.path()));
  }
  EXPECT_GE(tables, 2u);
}

// An order in which LevelDB asks filters, counted.
class RebuiltFilterCounter final : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return real_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n,
                    std::string* dst) const override {
    real_->CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key,
                   const leveldb::Slice& filter) const override {
    const bool may = real_->KeyMayMatch(key, filter);
    ++(may ? passed : ruled_out);
    return may;
  }
  mutable int passed = 0;
  mutable int ruled_out = 0;

 private:
  std::unique_ptr<const leveldb::FilterPolicy> real_{
      leveldb::NewBloomFilterPolicy(10)};
};

TEST(RebuildLevelDb, TheNewFiltersRuleAbsentKeysOutAtTheExpectedRate) {
  const TempDir dir{TempDir::InMemory()};
  WriteDb(dir.path(), {.bits = 0});
  EXPECT_FALSE(Rebuild(dir.path(), {.choice = {.rate = 0.01}}).kept_in.empty());
  const RebuiltFilterCounter policy;
  const auto db = OpenDb(dir.path(), {}, &policy);
  std::string value;
  for (int i = 0; i < 3000; ++i) {
    EXPECT_TRUE(db->Get({}, KeyAt(i) + "x", &value).IsNotFound());
  }
  EXPECT_GT(policy.ruled_out, 2500);
  EXPECT_LT(policy.passed, policy.ruled_out / 40);
}

TEST(RebuildLevelDb, OnlyThoseOfAVerdictAndNewerOnesOfLevel0GetNumbers) {
  const TempDir dir{TempDir::InMemory()};
  const StoredEntries entries = WriteDb(dir.path(), {});
  // Of two overlapping tables of level 0 the older one has a damaged filter.
  const auto listing = FindSstables(dir.path());
  ASSERT_GE(listing->sstables.size(), 3u);
  const FoundSstable& oldest = listing->sstables.front();
  ASSERT_EQ(oldest.level, 0);
  ASSERT_EQ(listing->sstables[1].level, 0);
  const std::string name = fs::path(oldest.path).filename();
  std::string bytes = dir.Read(name);
  bytes[DataOf(oldest.path).size() + 5] ^= 1;
  dir.Write(name, bytes);
  const RebuildReport report =
      Rebuild(dir.path(), {.only = {FilterVerdict::kDamaged}});
  ASSERT_EQ(report.sstables.size(), 2u);
  EXPECT_TRUE(report.sstables[0].after.has_value());
  EXPECT_TRUE(report.sstables[1].is_copied);
  EXPECT_LT(report.sstables[0].new_file, report.sstables[1].new_file);
  // The newer values win, as before.
  ExpectLevelDbHasAll(dir.path(), entries);
}

TEST(RebuildLevelDb, UndoBringsEveryByteBack) {
  const TempDir dir{TempDir::InMemory()};
  const TempDir before{TempDir::InMemory()};
  const StoredEntries entries = WriteDb(dir.path(), {.bits = 5});
  CopyFiles(dir.path(), before.path());
  Rebuild(dir.path(), {.choice = {.bits_per_key = 14}});
  // A second one would have to drop the old files.
  const auto second = RebuildFilters(dir.path(), {.choice = {.rate = 0.1}});
  EXPECT_EQ(second.status().code(), StatusCode::kAlreadyExists);
  const auto undone = UndoRebuild(dir.path());
  ASSERT_TRUE(undone.ok()) << undone.status().ToString();
  EXPECT_GE(undone->files.size(), 4u);
  EXPECT_FALSE(fs::exists(dir.File("tamis-rebuild")));
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(before.path())) {
    ++files;
    const std::string name = entry.path().filename();
    EXPECT_EQ(dir.Read(name), before.Read(name)) << name;
  }
  EXPECT_EQ(dir.Count(), files);
  EXPECT_EQ(UndoRebuild(dir.path()).status().code(), StatusCode::kNotFound);
  ExpectLevelDbHasAll(dir.path(), entries);
}

TEST(RebuildLevelDb, UndoRefusesOnceTheEngineHasWritten) {
  const TempDir dir{TempDir::InMemory()};
  StoredEntries entries = WriteDb(dir.path(), {});
  Rebuild(dir.path(), {.choice = {.bits_per_key = 14}});
  {
    const auto db = OpenDb(dir.path(), {}, nullptr);
    EXPECT_TRUE(db->Put({}, "new", "value").ok());
    entries["new"] = "value";
  }
  const auto undone = UndoRebuild(dir.path());
  EXPECT_EQ(undone.status().code(), StatusCode::kNotSupported);
  EXPECT_NE(undone.status().message().find("has changed since"),
            std::string::npos)
      << undone.status().ToString();
  ExpectLevelDbHasAll(dir.path(), entries);
}

TEST(RebuildLevelDb, WritesAWholeDatabaseElsewhere) {
  const TempDir dir{TempDir::InMemory()};
  const TempDir before{TempDir::InMemory()};
  const TempDir out{TempDir::InMemory()};
  const StoredEntries entries = WriteDb(dir.path(), {.bits = 0});
  CopyFiles(dir.path(), before.path());
  const RebuildReport report = Rebuild(
      dir.path(), {.choice = {.rate = 0.02}, .out_directory = out.File("new")});
  EXPECT_EQ(report.kept_in, "");
  ExpectLevelDbHasAll(out.File("new"), entries);
  for (const auto& entry : fs::directory_iterator(before.path())) {
    const std::string name = entry.path().filename();
    EXPECT_EQ(dir.Read(name), before.Read(name)) << name;
  }
  // It is not empty any more.
  EXPECT_EQ(RebuildFilters(dir.path(), {.choice = {.rate = 0.02},
                                        .out_directory = out.File("new")})
                .status()
                .code(),
            StatusCode::kAlreadyExists);
}

// Another process has the database open.
class OpenElsewhere {
 public:
  explicit OpenElsewhere(const std::string& dir) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::alarm(60);
      const auto db = OpenDb(dir, {}, nullptr);
      if (::write(ready[1], "x", 1) != 1) ::_exit(1);
      ::pause();
      ::_exit(0);
    }
    char byte;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  OpenElsewhere(const OpenElsewhere&) = delete;
  OpenElsewhere& operator=(const OpenElsewhere&) = delete;
  ~OpenElsewhere() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

 private:
  ::pid_t process_ = 0;
};

TEST(RebuildLevelDb, RefusesAnOpenDatabaseAndOthersThatItDoesNotKnow) {
  const TempDir dir{TempDir::InMemory()};
  WriteDb(dir.path(), {});
  const RebuildOptions options{.choice = {.bits_per_key = 14}};
  RebuildOptions dry = options;
  dry.dry_run = true;
  for (const RebuildOptions& asked : {options, dry}) {
    const OpenElsewhere other(dir.path());
    const auto refused = RebuildFilters(dir.path(), asked);
    EXPECT_EQ(refused.status().code(), StatusCode::kNotSupported);
    EXPECT_NE(refused.status().message().find("open in another process"),
              std::string::npos)
        << refused.status().ToString();
  }
  const std::size_t files = dir.Count();
  EXPECT_GT(Rebuild(dir.path(), dry).sstables.size(), 1u);
  // LevelDB has one kind.
  const RebuildReport skipped =
      Rebuild(dir.path(), {.choice = {.kind = "ribbon"}});
  EXPECT_NE(skipped.sstables.at(0).why_skipped.find("no filters of the kind"),
            std::string::npos);
  dir.Write("OPTIONS-000007", "RocksDB's");
  EXPECT_EQ(RebuildFilters(dir.path(), options).status().code(),
            StatusCode::kNotSupported);
  fs::remove(dir.File("OPTIONS-000007"));
  const auto listing = FindSstables(dir.path());
  fs::remove(listing->sstables.back().path);
  EXPECT_EQ(RebuildFilters(dir.path(), options).status().code(),
            StatusCode::kCorruption);
  EXPECT_EQ(dir.Count(), files - 1);
}

CrashTrial SmallTrial(const TempDir& dir, const StoredEntries& entries) {
  CrashTrial trial;
  trial.from = dir.path();
  trial.options.choice.bits_per_key = 12;
  trial.check = [&entries](const std::string& left) {
    ExpectLevelDbHasAll(left, entries);
  };
  return trial;
}

constexpr CrashMode kCrashModes[] = {
    CrashMode::kKillProcess, CrashMode::kDropUnsynced,
    CrashMode::kKeepRandomPrefix, CrashMode::kKeepRandomSectors};

TEST(RebuildLevelDb, ACrashAtAnyCallLeavesTheOldOrTheNew) {
  const TempDir dir{TempDir::InMemory()};
  const StoredEntries entries = WriteDb(dir.path(), {.keys = 300});
  CrashTrial trial = SmallTrial(dir, entries);
  for (const CrashMode mode : kCrashModes) {
    SCOPED_TRACE(static_cast<int>(mode));
    EXPECT_GT(CrashAtEveryCall(trial, mode), 100);
  }
}

TEST(RebuildLevelDb, ACrashAtAnyCallOfUndoingLeavesTheOldOrTheNew) {
  const TempDir dir{TempDir::InMemory()};
  const StoredEntries entries = WriteDb(dir.path(), {.keys = 300});
  CrashTrial trial = SmallTrial(dir, entries);
  trial.undo = true;
  for (const CrashMode mode :
       {CrashMode::kDropUnsynced, CrashMode::kKeepRandomPrefix}) {
    EXPECT_GT(CrashAtEveryCall(trial, mode), 20);
  }
}

TEST(RebuildLevelDb, AFailureOfAnyCallLeavesTheOldOrTheNew) {
  const TempDir dir{TempDir::InMemory()};
  const StoredEntries entries = WriteDb(dir.path(), {.keys = 300});
  CrashTrial trial = SmallTrial(dir, entries);
  EXPECT_GT(FailAtEveryCall(trial, EIO, false), 100);
  EXPECT_GT(FailAtEveryCall(trial, ENOSPC, true), 100);
  EXPECT_GT(FillTheDisk(trial), 5);
  trial.undo = true;
  EXPECT_GT(FailAtEveryCall(trial, EIO, false), 20);
}

}  // namespace
}  // namespace tamis::testing
