// SPDX-License-Identifier: Apache-2.0
// LevelDB opens directories whose log and manifest we wrote, and we read its
// logs.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include "base/coding.h"
#include "store/file_names.h"
#include "store/log_reader.h"
#include "store/log_writer.h"
#include "store/version_edit.h"
#include "tests/peers/scratch_db.h"
#include "tests/support/golden.h"

namespace tamis::testing {
namespace {

using Values = std::map<std::string, std::string>;

constexpr std::uint64_t kLogNumber = 3;

// Lengths of values: around what fits into a block, what is never cut, and
// what leaves little of a block.
std::vector<std::size_t> Lengths() {
  std::vector<std::size_t> lengths = {0, 1, 100, 4000, 4096, 5000, 200'000, 3};
  for (std::size_t i = 0; i < 40; ++i) {
    lengths.push_back(32'700 + i);  // every rest of a block, 0 included
    lengths.push_back(i * 97);
  }
  for (std::size_t i = 0; i < 60; ++i) lengths.push_back(i * 131 % 4090);
  return lengths;
}

std::string LoggedKey(std::size_t i) { return "key" + std::to_string(i); }

std::string LoggedValue(std::size_t i, std::size_t length) {
  return std::string(length, static_cast<char>('a' + i % 26));
}

// One put, as LevelDB's log holds it.
std::string PutBatch(std::uint64_t sequence, Slice key, Slice value) {
  std::string batch;
  AppendFixed64(&batch, sequence);
  AppendFixed32(&batch, 1);
  batch += '\x01';
  AppendLengthPrefixed(&batch, key);
  AppendLengthPrefixed(&batch, value);
  return batch;
}

std::unique_ptr<LogWriter> CreateLog(const std::string& path) {
  auto file = DefaultEnv().Create(path, WriteKind::kLog);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  return std::make_unique<LogWriter>(*std::move(file));
}

// A store without tables whose log is kLogNumber.
void WriteManifest(const std::string& dir) {
  std::filesystem::create_directories(dir);
  VersionEdit edit;
  edit.comparator = "leveldb.BytewiseComparator";
  edit.log_number = kLogNumber;
  edit.previous_log_number = 0;
  edit.next_file_number = 4;
  edit.last_sequence = 0;
  std::string record;
  edit.AppendTo(&record);
  const auto manifest = CreateLog(ManifestFileName(dir, 2));
  ASSERT_TRUE(manifest->Add(record).ok());
  ASSERT_TRUE(manifest->Close().ok());
  const Status set = SetCurrent(DefaultEnv(), dir, 2);
  ASSERT_TRUE(set.ok()) << set.ToString();
}

Values WriteLog(LogWriter* log, const std::vector<std::size_t>& cuts = {}) {
  Values values;
  std::uint64_t sequence = 1;
  for (const std::size_t length : Lengths()) {
    const auto i = static_cast<std::size_t>(sequence);
    values[LoggedKey(i)] = LoggedValue(i, length);
    const Status added = log->Add(
        PutBatch(sequence++, LoggedKey(i), values[LoggedKey(i)]), cuts);
    EXPECT_TRUE(added.ok()) << added.ToString();
  }
  return values;
}

// What LevelDB finds, where nothing may be wrong.
Values ReadWithLevelDb(const std::string& dir, bool reuse_logs = false) {
  leveldb::Options options;
  options.paranoid_checks = true;
  options.reuse_logs = reuse_logs;
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = leveldb::DB::Open(options, dir, &opened);
  EXPECT_TRUE(status.ok()) << status.ToString();
  if (!status.ok()) return {};
  const std::unique_ptr<leveldb::DB> db(opened);
  Values values;
  const std::unique_ptr<leveldb::Iterator> it(db->NewIterator({}));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    values[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(it->status().ok());
  return values;
}

TEST(LevelDbLog, LevelDbReadsTheLogWeWrote) {
  const ScratchDir scratch;
  const std::string dir = scratch.path() / "db";
  WriteManifest(dir);
  const auto log = CreateLog(LogFileName(dir, kLogNumber));
  const Values values = WriteLog(log.get());
  ASSERT_TRUE(log->Close().ok());
  EXPECT_EQ(ReadWithLevelDb(dir), values);
}

TEST(LevelDbLog, LevelDbReadsRecordsThatAreCutAnywhere) {
  const ScratchDir scratch;
  const std::string dir = scratch.path() / "db";
  WriteManifest(dir);
  const auto log = CreateLog(LogFileName(dir, kLogNumber));
  const Values values = WriteLog(log.get(), {1, 7, 20, 21, 300, 4000, 33'000});
  ASSERT_TRUE(log->Close().ok());
  EXPECT_EQ(ReadWithLevelDb(dir), values);
}

// Writes a log in a process that is killed before it can close it.
void WriteLogAndDie(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto log = CreateLog(path);
    WriteLog(log.get());
    ::kill(::getpid(), SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(LevelDbLog, LevelDbReadsTheLogOfAWriterThatWasKilled) {
  const ScratchDir scratch;
  const std::string dir = scratch.path() / "db";
  WriteManifest(dir);
  const std::string path = LogFileName(dir, kLogNumber);
  ASSERT_NO_FATAL_FAILURE(WriteLogAndDie(path));
  EXPECT_EQ(ReadFile(path).back(), '\0');
  const auto expected = CreateLog(scratch.path() / "expected");
  EXPECT_EQ(ReadWithLevelDb(dir), WriteLog(expected.get()));
}

// It then writes on behind the zeros.
TEST(LevelDbLog, LevelDbMayGoOnWithTheLogOfAWriterThatWasKilled) {
  const ScratchDir scratch;
  const std::string dir = scratch.path() / "db";
  WriteManifest(dir);
  const std::string path = LogFileName(dir, kLogNumber);
  ASSERT_NO_FATAL_FAILURE(WriteLogAndDie(path));
  const std::size_t size = ReadFile(path).size();
  const auto expected = CreateLog(scratch.path() / "expected");
  Values values = WriteLog(expected.get());
  {
    leveldb::Options options;
    options.reuse_logs = true;
    leveldb::DB* opened = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, dir, &opened).ok());
    const std::unique_ptr<leveldb::DB> db(opened);
    ASSERT_TRUE(db->Put({}, "later", "value").ok());
    values["later"] = "value";
  }
  ASSERT_GT(ReadFile(path).size(), size) << "it did not go on";
  EXPECT_EQ(ReadWithLevelDb(dir, true), values);
}

TEST(LevelDbLog, LevelDbPassesOverARecordThatIsCutOff) {
  const ScratchDir scratch;
  const std::string dir = scratch.path() / "db";
  WriteManifest(dir);
  const std::string path = LogFileName(dir, kLogNumber);
  const auto log = CreateLog(path);
  const Values values = WriteLog(log.get());
  const std::uint64_t whole = log->bytes();
  ASSERT_TRUE(log->Add(PutBatch(1000, "cut", std::string(70'000, 'x'))).ok());
  const std::uint64_t all = log->bytes();
  ASSERT_TRUE(log->Close().ok());
  for (const std::uint64_t size : {all - 1, all - 40'000, whole + 8}) {
    std::filesystem::remove_all(scratch.path() / "cut");
    std::filesystem::copy(dir, scratch.path() / "cut");
    std::filesystem::resize_file(
        LogFileName(scratch.path() / "cut", kLogNumber), size);
    EXPECT_EQ(ReadWithLevelDb(scratch.path() / "cut"), values) << size;
  }
}

TEST(LevelDbLog, WeReadTheLogLevelDbWrote) {
  const ScratchDir scratch;
  const std::string dir = scratch.path() / "db";
  std::vector<std::string> expected;
  {
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = std::size_t{64} << 20;  // nothing is flushed
    leveldb::DB* opened = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, dir, &opened).ok());
    const std::unique_ptr<leveldb::DB> db(opened);
    std::uint64_t sequence = 1;
    for (const std::size_t length : Lengths()) {
      const auto i = static_cast<std::size_t>(sequence);
      const std::string value = LoggedValue(i, length);
      expected.push_back(PutBatch(sequence++, LoggedKey(i), value));
      ASSERT_TRUE(db->Put({}, LoggedKey(i), value).ok());
    }
  }
  const std::string log = ReadFile(LogFileName(dir, kLogNumber));
  LogReader reader(log);
  std::vector<std::string> found;
  for (Slice record; reader.Next(&record);) found.emplace_back(record);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(reader.damage(), "");
  EXPECT_TRUE(reader.ended_clean());
  EXPECT_EQ(reader.end_of_record(), log.size());
}

TEST(LevelDbLog, WeReadAndRewriteTheManifestLevelDbWrote) {
  const ScratchDir scratch;
  const std::string dir = scratch.path() / "db";
  {
    leveldb::Options options;
    options.create_if_missing = true;
    leveldb::DB* opened = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, dir, &opened).ok());
    const std::unique_ptr<leveldb::DB> db(opened);
    for (int round = 0; round < 6; ++round) {  // adds, removes, pointers
      for (std::size_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(db->Put({}, LoggedKey(i), LoggedValue(i, 100)).ok());
      }
      db->CompactRange(nullptr, nullptr);
    }
  }
  const auto current = ReadCurrent(DefaultEnv(), dir);
  ASSERT_TRUE(current.ok()) << current.status().ToString();
  const std::string manifest = ReadFile(*current);
  LogReader reader(manifest);
  std::size_t added = 0;
  std::size_t removed = 0;
  for (Slice record; reader.Next(&record);) {
    const auto edit = VersionEdit::Parse(record);
    ASSERT_TRUE(edit.ok()) << edit.status().ToString();
    added += edit->added.size();
    removed += edit->removed.size();
    std::string again;
    edit->AppendTo(&again);
    EXPECT_EQ(ToHex(again), ToHex(record));
  }
  EXPECT_EQ(reader.damage(), "");
  EXPECT_GT(added, 5u);
  EXPECT_GT(removed, 5u);
}

}  // namespace
}  // namespace tamis::testing
