// SPDX-License-Identifier: Apache-2.0
// Databases that RocksDB itself wrote: every function of the store that takes
// a directory says what they are, and leaves names, bytes and times alone.

#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include "tamis/store.h"
#include "tests/peers/scratch_db.h"
#include "tests/support/golden.h"
#include "tests/support/in_child.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;

// Of a directory and the files in it: bytes and time of the last change.
using Trace =
    std::map<std::string, std::tuple<std::string, fs::file_time_type>>;

// LOCK is not read: closing it would give up a lock of this process on it.
Trace TraceOf(const fs::path& dir) {
  Trace trace;
  trace["."] = {"", fs::last_write_time(dir)};
  for (const auto& entry : fs::directory_iterator(dir)) {
    const std::string name = entry.path().filename();
    trace[name] = {
        name == "LOCK" || entry.is_directory() ? "" : ReadFile(entry.path()),
        entry.last_write_time()};
  }
  return trace;
}

std::vector<std::pair<std::string, Status>> EnterAll(const std::string& dir) {
  StoreOptions create;
  create.create_if_missing = true;
  StoreOptions anew = create;
  anew.error_if_exists = true;
  StoreOptions read;
  read.read_only = true;
  return {
      {"open", Store::Open(dir).status()},
      {"open, may create", Store::Open(dir, create).status()},
      {"open, must create", Store::Open(dir, anew).status()},
      {"open to read", Store::Open(dir, read).status()},
      {"check", CheckStore(dir).status()},
      {"repair", RepairStore(dir).status()},
      {"destroy", DestroyStore(dir)},
  };
}

void ExpectUntouched(const fs::path& dir) {
  const Trace before = TraceOf(dir);
  for (const auto& [door, refused] : EnterAll(dir)) {
    EXPECT_EQ(refused.code(), StatusCode::kNotSupported)
        << door << ": " << refused.ToString();
    EXPECT_TRUE(refused.message().starts_with(dir.string() +
                                              ": this is a RocksDB database"))
        << door << ": " << refused.message();
    EXPECT_EQ(refused.message().find("repair"), std::string::npos);
  }
  EXPECT_TRUE(TraceOf(dir) == before) << dir;
}

bool IsOwnName(const std::string& name) {
  return name == "IDENTITY" || name.starts_with("OPTIONS-");
}

struct Loss {
  std::string what;
  std::function<bool(const std::string& name)> is_lost;
};

const std::vector<Loss>& Losses() {
  static const auto& losses = *new std::vector<Loss>{
      {"nothing", [](const std::string&) { return false; }},
      {"CURRENT", [](const std::string& name) { return name == "CURRENT"; }},
      {"OPTIONS and IDENTITY", IsOwnName},
      {"all but tables, logs, CURRENT and the manifest",
       [](const std::string& name) {
         return IsOwnName(name) || name.starts_with("LO");
       }},
      {"these and CURRENT",
       [](const std::string& name) {
         return IsOwnName(name) || name.starts_with("LO") || name == "CURRENT";
       }},
      {"all but the tables",
       [](const std::string& name) { return !name.ends_with(".sst"); }},
      {"the tables and its own names",
       [](const std::string& name) {
         return IsOwnName(name) || name.ends_with(".sst");
       }},
  };
  return losses;
}

// A copy of the directory for each loss.
void ExpectUntouchedWhateverIsLost(const fs::path& database) {
  for (const Loss& loss : Losses()) {
    SCOPED_TRACE("lost: " + loss.what);
    const ScratchDir scratch;
    for (const auto& entry : fs::directory_iterator(database)) {
      const std::string name = entry.path().filename();
      if (!entry.is_regular_file() || loss.is_lost(name)) continue;
      fs::copy_file(entry.path(), scratch.path() / name);
    }
    ExpectUntouched(scratch.path());
  }
}

std::unique_ptr<rocksdb::DB> OpenRocksDb(const fs::path& dir,
                                         const rocksdb::Options& options) {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status opened = rocksdb::DB::Open(options, dir, &db);
  EXPECT_TRUE(opened.ok()) << opened.ToString();
  return std::unique_ptr<rocksdb::DB>(db);
}

rocksdb::Options NewDatabase() {
  rocksdb::Options options;
  options.create_if_missing = true;
  return options;
}

// Three tables, and a log with what is in none.
std::unique_ptr<rocksdb::DB> Fill(const fs::path& dir,
                                  const rocksdb::Options& options) {
  auto db = OpenRocksDb(dir, options);
  for (int i = 0; i < 400; ++i) {
    EXPECT_TRUE(db->Put({}, "key" + std::to_string(1000 + i), "value").ok());
    if (i % 100 != 99 || i > 300) continue;
    EXPECT_TRUE(db->Flush({}).ok());
  }
  return db;
}

void ExpectHoldsAll(const fs::path& dir) {
  const auto db = OpenRocksDb(dir, {});
  std::string value;
  for (int i = 0; i < 400; ++i) {
    ASSERT_TRUE(db->Get({}, "key" + std::to_string(1000 + i), &value).ok());
  }
}

TEST(RocksDbDatabase, IsRecognisedAndLeftAloneWhateverIsLostOfIt) {
  const ScratchDir scratch;
  Fill(scratch.path(), NewDatabase()).reset();
  ExpectUntouchedWhateverIsLost(scratch.path());
  ExpectUntouched(scratch.path());
  ExpectHoldsAll(scratch.path());
}

TEST(RocksDbDatabase, IsRecognisedWithTheOldestTablesThatItStillWrites) {
  rocksdb::Options options = NewDatabase();
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 2;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  const ScratchDir scratch;
  Fill(scratch.path(), options).reset();
  ExpectUntouchedWhateverIsLost(scratch.path());
}

TEST(RocksDbDatabase, IsRecognisedWithPlainTables) {
  rocksdb::Options options = NewDatabase();
  options.allow_mmap_reads = true;
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
  options.table_factory.reset(rocksdb::NewPlainTableFactory());
  const ScratchDir scratch;
  Fill(scratch.path(), options).reset();
  ExpectUntouchedWhateverIsLost(scratch.path());
}

TEST(RocksDbDatabase, IsRecognisedWhenItIsNewAndEmpty) {
  const ScratchDir scratch;
  OpenRocksDb(scratch.path(), NewDatabase()).reset();
  ExpectUntouched(scratch.path());
}

// Whoever closes LOCK in this process gives up RocksDB's lock on it.
TEST(RocksDbDatabase, ThatIsOpenInThisProcessKeepsItsLock) {
  const ScratchDir scratch;
  const auto db = Fill(scratch.path(), NewDatabase());
  for (const bool own_names : {true, false}) {
    SCOPED_TRACE(own_names);
    for (const auto& entry : fs::directory_iterator(scratch.path())) {
      if (!own_names && IsOwnName(entry.path().filename())) {
        fs::remove(entry.path());
      }
    }
    for (const auto& [door, refused] : EnterAll(scratch.path())) {
      EXPECT_EQ(refused.code(), StatusCode::kNotSupported) << door;
      EXPECT_EQ(InChild([&] {
                  const int fd =
                      ::open((scratch.path() / "LOCK").c_str(), O_RDWR);
                  struct flock whole_file = {};
                  whole_file.l_type = F_WRLCK;
                  return ::fcntl(fd, F_SETLK, &whole_file) == 0 ? 1 : 0;
                }),
                0)
          << door;
    }
  }
}

TEST(RocksDbDatabase, OfTheCorpusIsRecognisedAndLeftAlone) {
  const auto corpus = CorpusPath("rocksdb-databases");
  if (!corpus) GTEST_SKIP() << "no corpus";
  int databases = 0;
  for (const auto& entry : fs::directory_iterator(*corpus)) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path());
    ++databases;
    ExpectUntouchedWhateverIsLost(entry.path());
  }
  EXPECT_GT(databases, 0);
}

}  // namespace
}  // namespace tamis::testing
