// SPDX-License-Identifier: Apache-2.0
// A real disk with sectors that cannot be read: an error that names the file,
// never a signal, and no wrong answer.  Needs root and loop devices.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_file.h"
#include "tamis/formats.h"
#include "tamis/store.h"
#include "tests/store/stores.h"
#include "tests/support/loop_disk.h"

namespace tamis::testing {
namespace {

std::string LongValue(std::uint64_t i) {
  return NumberKey(i) + std::string(92, 'v');
}

// Without a guard, unless said otherwise: a signal would end the test.
class StoreOnABadDisk : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kKeys = 20'000;
  static constexpr std::uint64_t kDiskBytes = std::uint64_t{24} << 20;

  StoreOnABadDisk() : disk_(kDiskBytes) {}

  std::string dir() const { return disk_.path() + "/db"; }

  // One table with all keys, and a log.
  void MakeStore(Compression compression) {
    StoreOptions options = StillOptions();
    options.create_if_missing = true;
    options.compression = compression;
    auto store = *Store::Open(dir(), options);
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_TRUE(store->Put({}, NumberKey(i), LongValue(i)).ok());
    }
    ASSERT_TRUE(store->Flush().ok());
    ASSERT_TRUE(store->Put({}, "in the log", "1").ok());
  }
  std::string FileWith(const std::string& part) const {
    for (const auto& file : std::filesystem::directory_iterator(dir())) {
      const std::string path = file.path().string();
      if (path.find(part, dir().size()) != std::string::npos) return path;
    }
    return "none";
  }
  // From that part of the file on nothing of it can be read.  What lies behind
  // it on the disk cannot either, but is in memory.
  void MakeUnreadable(const std::string& path, double part) {
    ASSERT_TRUE(disk_.Sync());
    const auto offset = static_cast<std::uint64_t>(
        part * static_cast<double>(std::filesystem::file_size(path)));
    const std::int64_t place = LoopDisk::PlaceOf(path, offset);
    ASSERT_GT(place, 0);
    ASSERT_TRUE(disk_.CutAt(static_cast<std::uint64_t>(place) / 4096 * 4096));
    ASSERT_TRUE(LoopDisk::Forget(path));
  }
  static void ExpectNames(const Status& status, const std::string& path) {
    EXPECT_EQ(status.code(), StatusCode::kIoError) << status.ToString();
    EXPECT_TRUE(status.message().starts_with(path)) << status.ToString();
  }
  // The files are mapped, or read; the answers are right, or errors.
  void ExpectErrorsAndNoLies(bool map);

  LoopDisk disk_;
};

void StoreOnABadDisk::ExpectErrorsAndNoLies(bool map) {
  const std::string table = FileWith(".ldb");
  auto store = Store::Open(dir(), {.read_only = true, .map_tables = map});
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  std::uint64_t found = 0;
  std::string value;
  for (std::uint64_t i = 0; i < kKeys; i += 10) {
    const Status got = store->Get({}, NumberKey(i), &value);
    if (got.ok()) {
      ++found;
      ASSERT_EQ(value, LongValue(i));
    } else {
      ExpectNames(got, table);
    }
  }
  EXPECT_GT(found, kKeys / 10 / 4);
  EXPECT_LT(found, kKeys / 10 * 9 / 10);

  const auto it = store->NewIterator();
  std::uint64_t count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ASSERT_EQ(it->value(), LongValue(count));
    ++count;
  }
  EXPECT_GT(count, kKeys / 4);
  EXPECT_LT(count, kKeys * 9 / 10);
  ExpectNames(it->status(), table);
}

// A sector in the data is bad, and what tells where things are, is not: the
// end of the table lies before the cut.
TEST_F(StoreOnABadDisk, SaysWhichTableCannotBeRead) {
  SKIP_WITHOUT_DISK(disk_);
  for (const Compression compression :
       {Compression::kNone, Compression::kSnappy}) {
    MakeStore(compression);
    // Its end is in memory, as it is after somebody has used it.
    const std::string table = FileWith(".ldb");
    const auto bytes = std::filesystem::file_size(table);
    MakeUnreadable(table, 0.5);
    auto opened = Store::Open(dir(), {.read_only = true});
    ExpectNames(opened.status(), table);

    ASSERT_TRUE(disk_.RestoreEnd());
    ASSERT_TRUE(LoopDisk::Forget(table));
    {
      auto end = *DefaultEnv().OpenReadable(table, false);
      std::string scratch;
      ASSERT_TRUE(end->Read(bytes - bytes / 5, bytes / 5, &scratch).ok());
      const std::int64_t place = LoopDisk::PlaceOf(table, bytes / 2);
      ASSERT_TRUE(disk_.CutAt(static_cast<std::uint64_t>(place) / 4096 * 4096));
    }
    for (const bool map : {true, false}) ExpectErrorsAndNoLies(map);
    auto report = CheckStore(dir());
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    ASSERT_FALSE(report->problems.empty());
    EXPECT_TRUE(report->problems[0].starts_with(table));

    ASSERT_TRUE(disk_.RestoreEnd());
    ASSERT_TRUE(LoopDisk::Forget(table));
    EXPECT_TRUE(CheckStore(dir()).value().problems.empty());
    std::filesystem::remove_all(dir());
  }
}

// It was dropped for lack of memory, and its sectors are bad by the time it is
// wanted again.
TEST_F(StoreOnABadDisk, AFilterThatCannotBeLoadedAgainHidesNoKey) {
  SKIP_WITHOUT_DISK(disk_);
  MakeStore(Compression::kNone);
  const std::string table = FileWith(".ldb");
  StoreOptions options = StillOptions();
  options.filter_memory_bytes = std::uint64_t{1} << 20;
  auto store = Store::Open(dir(), options);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  ASSERT_TRUE(store->Get(NumberKey(0)).ok());
  ASSERT_EQ(store->Stats().levels[0].filters_loaded, 1u);
  ASSERT_TRUE(store->SetFilterMemory(0).ok());
  // Filters come after the data.
  constexpr double kFilters = 0.96;
  MakeUnreadable(table, kFilters);
  ASSERT_TRUE(store->SetFilterMemory(std::nullopt).ok());
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.levels[0].filters_loaded, 0u);
  EXPECT_EQ(stats.damaged_filters, 1u);
  EXPECT_TRUE(stats.last_filter_damage.starts_with(table))
      << stats.last_filter_damage;
  std::string value;
  for (std::uint64_t i = 0; i < kKeys / 2; i += 100) {
    ASSERT_TRUE(store->Get({}, NumberKey(i), &value).ok()) << i;
    ASSERT_EQ(value, LongValue(i));
    ASSERT_EQ(store->Get({}, NumberKey(i) + "x", &value).code(),
              StatusCode::kNotFound);
  }
}

TEST_F(StoreOnABadDisk, SaysWhichLogCannotBeRead) {
  SKIP_WITHOUT_DISK(disk_);
  MakeStore(Compression::kNone);
  const std::string log = FileWith(".log");
  MakeUnreadable(log, 0);
  ExpectNames(Store::Open(dir(), {.read_only = true}).status(), log);
}

TEST_F(StoreOnABadDisk, SaysThatTheManifestCannotBeRead) {
  SKIP_WITHOUT_DISK(disk_);
  MakeStore(Compression::kNone);
  const std::string manifest = FileWith("MANIFEST-");
  MakeUnreadable(manifest, 0);
  ExpectNames(Store::Open(dir(), {.read_only = true}).status(), manifest);
  ExpectNames(CheckStore(dir()).status(), manifest);
}

// A filter that lies in a file: guarded, for nothing is read before it is
// asked.
TEST_F(StoreOnABadDisk, AFilterFileHidesNoKey) {
  SKIP_WITHOUT_DISK(disk_);
  GuardMappings();
  // Without a checksum: opening it does not read all of it.
  auto policy = *MakePolicy("leveldb:10");
  auto builder = policy->NewBuilder();
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < 500'000; ++i) keys.push_back(NumberKey(i));
  for (const std::string& key : keys) builder->Add(key);
  std::string bytes;
  ASSERT_TRUE(builder->Finish(&bytes).ok());
  ASSERT_TRUE(std::filesystem::create_directory(dir()));
  const std::string path = dir() + "/filter";
  ASSERT_TRUE(WriteFilterFile(path, bytes, IfExists::kFail).ok());
  MakeUnreadable(path, 0.5);
  auto file = FilterFile::Open(path, "leveldb:10");
  if (!file.ok()) return ExpectNames(file.status(), path);
  int hidden = 0;
  for (const std::string& key : keys) {
    hidden += file->reader().MayContain(key) ? 0 : 1;
  }
  EXPECT_EQ(hidden, 0);
  ExpectNames(file->status(), path);
}

}  // namespace
}  // namespace tamis::testing
