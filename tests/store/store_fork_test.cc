// SPDX-License-Identifier: Apache-2.0
// A child that was forked while a store was open has a copy of it, and whatever
// it does with the copy, its parent's store is as before.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/base/temp_dir.h"
#include "tests/store/stores.h"
#include "tests/support/in_child.h"

namespace tamis::testing {
namespace {

// Without LOCK: closing it would give up this process's lock on it.
std::map<std::string, std::string> FilesIn(const std::string& dir) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    if (entry.path().filename() == "LOCK") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename()] =
        std::string(std::istreambuf_iterator<char>(in), {});
  }
  return files;
}

class StoreFork : public ::testing::Test {
 protected:
  void SetUp() override {
    options_ = StillOptions();
    options_.create_if_missing = true;
    auto store = Store::Open(path_, options_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = *std::move(store);
    for (std::uint64_t i = 0; i < 500; ++i) PutNumber(i, "a");
    ASSERT_TRUE(store_->Flush().ok());
    for (std::uint64_t i = 0; i < 500; ++i) PutNumber(i, "b");
    // The background removes a log that is in a table.
    ASSERT_TRUE(store_->WaitForQuiet().ok());
  }
  void PutNumber(std::uint64_t number, Slice value) {
    const Status put = store_->Put({}, NumberKey(number), value);
    ASSERT_TRUE(put.ok()) << put.ToString();
  }
  // The parent writes on, closes, and finds all of it.
  void ExpectUnharmed() {
    for (std::uint64_t i = 500; i < 1000; ++i) PutNumber(i, "b");
    ASSERT_TRUE(store_->Put({.sync = true}, "last", "b").ok());
    EXPECT_EQ(InChild([&] {
                return Store::Open(path_, options_).status().code() ==
                               StatusCode::kIoError
                           ? 0
                           : 1;
              }),
              0)
        << "the lock is gone";
    store_.reset();
    const auto report = CheckStore(path_, options_);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(report->problems, std::vector<std::string>());
    store_ = *Store::Open(path_, options_);
    std::string value;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      ASSERT_TRUE(store_->Get({}, NumberKey(i), &value).ok()) << i;
      ASSERT_EQ(value, "b");
    }
    EXPECT_TRUE(store_->Get({}, "last", &value).ok());
  }

  TempDir dir_;
  std::string path_ = dir_.File("db");
  StoreOptions options_;
  std::unique_ptr<Store> store_;
};

TEST_F(StoreFork, TheCopyOfAChildIsDestroyedWithoutATrace) {
  const auto before = FilesIn(path_);
  EXPECT_EQ(InChild([&] {
              store_.reset();
              return 0;
            }),
            0);
  EXPECT_TRUE(FilesIn(path_) == before);
  ExpectUnharmed();
}

// More than 4 MiB in memory is written to a table when a store is closed.
TEST_F(StoreFork, TheCopyIsNotFlushedHoweverLargeItIs) {
  const std::string value(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(store_->Put({}, "large" + std::to_string(i), value).ok());
  }
  const auto before = FilesIn(path_);
  EXPECT_EQ(InChild([&] {
              store_.reset();
              return 0;
            }),
            0);
  EXPECT_TRUE(FilesIn(path_) == before);
  ExpectUnharmed();
}

TEST_F(StoreFork, AChildMayReadButWhatWritesIsRefused) {
  EXPECT_EQ(InChild([&] {
              std::string value;
              if (!store_->Get({}, NumberKey(7), &value).ok()) return 1;
              if (value != "b") return 2;
              const auto it = store_->NewIterator();
              it->Seek(NumberKey(499));
              return it->Valid() && it->value() == "b" ? 0 : 3;
            }),
            0);
  const auto before = FilesIn(path_);
  EXPECT_EQ(InChild([&] {
              WriteBatch batch;
              batch.Put("key", "value");
              const Status all[] = {store_->Put({}, "key", "value"),
                                    store_->Delete({}, "key"),
                                    store_->Write({}, batch),
                                    store_->Flush(),
                                    store_->Compact(),
                                    store_->WaitForQuiet()};
              int code = 0;
              for (const Status& status : all) {
                ++code;
                if (status.code() != StatusCode::kInvalidArgument ||
                    status.message().find("process") == std::string::npos) {
                  return code;
                }
              }
              return 0;
            }),
            0);
  EXPECT_TRUE(FilesIn(path_) == before);
  ExpectUnharmed();
}

TEST_F(StoreFork, AChildRemovesNoTableThatItsParentStillReads) {
  auto it = store_->NewIterator();
  ASSERT_TRUE(store_->Compact().ok());  // the iterator alone has the old tables
  const auto before = FilesIn(path_);
  EXPECT_EQ(InChild([&] {
              it.reset();
              return 0;
            }),
            0);
  EXPECT_TRUE(FilesIn(path_) == before);
  it->SeekToFirst();
  EXPECT_TRUE(it->Valid());
  it.reset();
  EXPECT_LT(FilesIn(path_).size(), before.size());  // now they go
  ExpectUnharmed();
}

TEST_F(StoreFork, SnapshotsOfAChildGoWithoutWaiting) {
  auto snapshot = store_->GetSnapshot();
  EXPECT_EQ(InChild([&] {
              snapshot.reset();
              return 0;
            }),
            0);
  snapshot.reset();
  ExpectUnharmed();
}

}  // namespace
}  // namespace tamis::testing
