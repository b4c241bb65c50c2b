// SPDX-License-Identifier: Apache-2.0
// Files of an open store lose their end: whoever reads it hears of it by an
// error that names the file, and the process lives.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/comparator.h"
#include "tamis/env.h"
#include "tamis/store.h"
#include "tests/base/temp_dir.h"
#include "tests/store/stores.h"

namespace tamis::testing {
namespace {

constexpr std::uint64_t kCutKeys = 3000;

StoreOptions GuardedOptions() {
  StoreOptions options = StillOptions();
  options.create_if_missing = true;
  options.compression = Compression::kNone;
  options.guard_mappings = true;
  return options;
}

std::string ValueOf(std::uint64_t i) {
  return std::string(100, static_cast<char>('a' + i % 26));
}

// A store in a real directory, with all keys in one table.
class CutStore {
 public:
  explicit CutStore(const StoreOptions& options = GuardedOptions()) {
    store_ = *Store::Open(path(), options);
    for (std::uint64_t i = 0; i < kCutKeys; ++i) {
      EXPECT_TRUE(store_->Put({}, NumberKey(i), ValueOf(i)).ok());
    }
    EXPECT_TRUE(store_->Flush().ok());
    table_ = Newest(".ldb");
    std::string value;  // opens the table
    EXPECT_TRUE(Get(0, &value).ok());
  }

  Store* operator->() { return store_.get(); }
  void Close() { store_.reset(); }
  std::string path() const { return dir_.File("db"); }
  const std::string& table() const { return table_; }
  // The newest file that ends so.
  std::string Newest(const std::string& ending) const {
    std::string found;
    for (const auto& file : std::filesystem::directory_iterator(path())) {
      const std::string name = file.path().string();
      if (name.ends_with(ending)) found = std::max(found, name);
    }
    return found;
  }

  // Every block is verified once.
  void ReadAll() {
    const auto it = store_->NewIterator();
    std::uint64_t count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
    EXPECT_EQ(count, kCutKeys);
  }
  // Only its first block is left, and of that a page.
  void CutTable() { std::filesystem::resize_file(table_, 4096); }
  Status Get(std::uint64_t i, std::string* value) {
    return store_->Get({}, NumberKey(i), value);
  }

 private:
  TempDir dir_;
  std::unique_ptr<Store> store_;
  std::string table_;
};

void ExpectNames(const Status& status, const std::string& path) {
  EXPECT_EQ(status.code(), StatusCode::kIoError) << status.ToString();
  EXPECT_TRUE(status.message().starts_with(path)) << status.ToString();
}

class StoreWithACutTable : public ::testing::TestWithParam<bool> {
 protected:
  StoreWithACutTable() {
    // True: the blocks were read before, and are looked at in the mapping.
    if (GetParam()) store_.ReadAll();
  }
  CutStore store_;
};

INSTANTIATE_TEST_SUITE_P(ReadBefore, StoreWithACutTable, ::testing::Bool());

TEST_P(StoreWithACutTable, GetNamesIt) {
  store_.CutTable();
  std::string value;
  for (std::uint64_t i = kCutKeys - 1; i > 100; i -= 100) {
    ExpectNames(store_.Get(i, &value), store_.table());
  }
}

TEST(StoreWithACompressedTable, GetNamesItWhenItIsCut) {
  StoreOptions options = GuardedOptions();
  options.compression = Compression::kSnappy;
  options.block_cache_bytes = 0;
  options.block_bytes = std::size_t{64} << 10;
  CutStore store(options);
  store.ReadAll();
  std::filesystem::resize_file(store.table(), 0);
  std::string value;
  for (std::uint64_t i = kCutKeys - 1; i > 100; i -= 100) {
    ExpectNames(store.Get(i, &value), store.table());
  }
}

TEST_P(StoreWithACutTable, GetStillFindsWhatIsLeft) {
  std::filesystem::resize_file(store_.table(), 200'000);
  std::string value;
  ExpectNames(store_.Get(kCutKeys - 1, &value), store_.table());
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(store_.Get(i, &value).ok()) << i;
    found += value == ValueOf(i) ? 1u : 0u;
  }
  EXPECT_EQ(found, 1000u);
}

TEST_P(StoreWithACutTable, MultiGetNamesIt) {
  store_.CutTable();
  std::vector<std::string> numbers;
  for (std::uint64_t i = 0; i < kCutKeys; i += 50) {
    numbers.push_back(NumberKey(i));
  }
  const std::vector<Slice> keys(numbers.begin(), numbers.end());
  std::vector<std::string> values(keys.size());
  std::vector<Status> statuses(keys.size());
  store_->MultiGet({}, keys, values, statuses);
  for (std::size_t i = 2; i < keys.size(); ++i) {
    ExpectNames(statuses[i], store_.table());
  }
}

TEST_P(StoreWithACutTable, IteratorsNameIt) {
  store_.CutTable();
  const auto forwards = store_->NewIterator();
  std::uint64_t count = 0;
  for (forwards->SeekToFirst(); forwards->Valid(); forwards->Next()) {
    ASSERT_EQ(forwards->value(), ValueOf(count));
    ++count;
  }
  EXPECT_LT(count, 100u);
  ExpectNames(forwards->status(), store_.table());

  const auto backwards = store_->NewIterator();
  backwards->SeekToLast();
  EXPECT_FALSE(backwards->Valid());
  ExpectNames(backwards->status(), store_.table());

  const auto seeking = store_->NewIterator();
  seeking->Seek(NumberKey(kCutKeys / 2));
  EXPECT_FALSE(seeking->Valid());
  ExpectNames(seeking->status(), store_.table());
}

TEST_P(StoreWithACutTable, AnIteratorThatStoodThereNamesIt) {
  for (const bool forwards : {true, false}) {
    CutStore store;
    if (GetParam()) store.ReadAll();
    const auto it = store->NewIterator();
    it->Seek(NumberKey(kCutKeys / 2));
    ASSERT_TRUE(it->Valid());
    store.CutTable();
    forwards ? it->Next() : it->Prev();
    for (int i = 0; it->Valid() && i < 100; ++i) {
      forwards ? it->Next() : it->Prev();
    }
    EXPECT_FALSE(it->Valid());
    ExpectNames(it->status(), store.table());
    // For good, wherever it goes; another one reads what is left.
    it->SeekToFirst();
    ExpectNames(it->status(), store.table());
  }
}

TEST_P(StoreWithACutTable, AnIteratorSaysThatWhatItShowsMayBeZeros) {
  const auto it = store_->NewIterator();
  it->Seek(NumberKey(kCutKeys / 2));
  ASSERT_TRUE(it->Valid());
  EXPECT_TRUE(it->status().ok());
  EXPECT_EQ(it->value(), ValueOf(kCutKeys / 2));
  store_.CutTable();
  const std::string shown(it->value());
  ExpectNames(it->status(), store_.table());
  EXPECT_EQ(shown, std::string(100, '\0'));
}

// What was shown from one table was wrong; going to another must not hide it.
TEST(StoreWithManyTables, AnIteratorDoesNotForgetWhatItShowed) {
  StoreOptions options = GuardedOptions();
  options.table_bytes = std::uint64_t{64} << 10;
  CutStore store(options);
  ASSERT_TRUE(store->Compact().ok());
  store.ReadAll();
  const auto it = store->NewIterator();
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  std::vector<std::string> tables;
  for (const auto& file : std::filesystem::directory_iterator(store.path())) {
    if (file.path().extension() == ".ldb") tables.push_back(file.path());
  }
  ASSERT_GT(tables.size(), 2u);
  const std::string first = *std::min_element(tables.begin(), tables.end());
  std::filesystem::resize_file(first, 0);
  EXPECT_EQ(std::string(it->value()), std::string(100, '\0'));
  it->Seek(NumberKey(kCutKeys - 1));
  EXPECT_FALSE(it->Valid());
  ExpectNames(it->status(), first);
}

TEST_P(StoreWithACutTable, CompactFailsAndKeepsWhatWasThere) {
  std::ifstream in(store_.table(), std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  ASSERT_TRUE(store_->Put({}, NumberKey(0), "newer").ok());
  ASSERT_TRUE(store_->Put({}, NumberKey(kCutKeys - 1), "newer").ok());
  ASSERT_TRUE(store_->Flush().ok());
  store_.CutTable();
  ExpectNames(store_->Compact(), store_.table());
  store_.Close();

  std::ofstream(store_.table(), std::ios::binary) << content;
  auto again = *Store::Open(store_.path(), GuardedOptions());
  std::string value;
  for (std::uint64_t i = 1; i < kCutKeys - 1; ++i) {
    ASSERT_TRUE(again->Get({}, NumberKey(i), &value).ok()) << i;
    ASSERT_EQ(value, ValueOf(i));
  }
  EXPECT_TRUE(again->Get({}, NumberKey(0), &value).ok());
  EXPECT_EQ(value, "newer");
}

// A compaction whose input loses its end while it is read.
TEST(StoreWithATableBeingCut, IsNotReplacedByZeros) {
  for (int round = 0; round < 5; ++round) {
    CutStore store;
    store.ReadAll();
    for (std::uint64_t i = 0; i < kCutKeys; i += 2) {
      ASSERT_TRUE(store->Delete({}, NumberKey(i)).ok());
    }
    ASSERT_TRUE(store->Flush().ok());
    const std::string table = store.table();
    std::thread cutter([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(300 * round));
      std::error_code ignored;  // it may be gone already
      std::filesystem::resize_file(table, 8192, ignored);
    });
    const Status compacted = store->Compact();
    cutter.join();
    if (!compacted.ok()) {
      ExpectNames(compacted, table);
      continue;
    }
    std::string value;
    for (std::uint64_t i = 1; i < kCutKeys; i += 2) {
      ASSERT_TRUE(store.Get(i, &value).ok()) << i;
      ASSERT_EQ(value, ValueOf(i));
    }
  }
}

// By bytes, but calls somebody before keys are compared.
class NosyOrder final : public Comparator {
 public:
  std::string_view name() const noexcept override {
    return BytewiseComparator().name();
  }
  int Compare(Slice a, Slice b) const noexcept override {
    if (on_compare) on_compare(a);
    return a.compare(b);
  }
  bool EqualMeansIdentical() const noexcept override { return true; }

  std::function<void(Slice)> on_compare;
};

// The last value of a table turns to zeros after its block was verified, and
// before it is copied.  No page is lost, so nothing but a copy helps.
TEST(StoreWithATableBeingCut, WithinAPageIsCompactedAsItWasVerified) {
  NosyOrder order;
  StoreOptions options = GuardedOptions();
  options.comparator = &order;
  CutStore store(options);
  ASSERT_TRUE(store->Delete({}, NumberKey(0)).ok());
  ASSERT_TRUE(store->Put({}, NumberKey(2), "newer").ok());
  ASSERT_TRUE(store->Flush().ok());
  std::ifstream in(store.table(), std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  const std::string last = ValueOf(kCutKeys - 1);
  const std::size_t place = content.rfind(last);
  ASSERT_NE(place, std::string::npos);
  ASSERT_LT(place % 4096, 4096 - last.size()) << "it lies in one page";

  std::atomic<bool> is_cut{false};
  order.on_compare = [&](Slice key) {
    if (key != NumberKey(kCutKeys - 3) || is_cut.exchange(true)) return;
    std::filesystem::resize_file(store.table(), place + 10);
  };
  EXPECT_TRUE(store->Compact().ok());
  order.on_compare = nullptr;
  EXPECT_TRUE(is_cut.load());
  std::string value;
  ASSERT_TRUE(store.Get(kCutKeys - 1, &value).ok());
  EXPECT_EQ(value, last);
}

// An iterator that verifies each time has a copy, too.
TEST(StoreWithATableBeingCut, WithinAPageIsShownAsItWasVerified) {
  CutStore store;
  const auto it = store->NewIterator({.verify_checksums = true});
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  std::filesystem::resize_file(store.table(), 10);
  EXPECT_EQ(it->value(), ValueOf(0));
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), ValueOf(1));
}

// With the signal blocked a fault would end the process all the same.
TEST(StoreOfAThreadThatBlocksSignals, LetsFaultsThroughInItsOwnThreads) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &all, &before), 0);
  NosyOrder order;
  std::atomic<bool> is_watched{false};
  std::atomic<int> in_others{0};
  std::atomic<int> blocked{0};
  const std::thread::id caller = std::this_thread::get_id();
  order.on_compare = [&](Slice /*key*/) {
    if (!is_watched || std::this_thread::get_id() == caller) return;
    sigset_t now;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
    ++in_others;
    blocked += sigismember(&now, SIGBUS);
  };
  StoreOptions options = GuardedOptions();
  options.comparator = &order;
  options.automatic_compaction = true;
  options.level0_compact_at = 2;
  {
    CutStore store(options);
    is_watched = true;
    for (const std::uint64_t i : {5u, 6u}) {
      EXPECT_TRUE(store->Put({}, NumberKey(0), "newer").ok());
      EXPECT_TRUE(store->Put({}, NumberKey(i), "newer").ok());
      EXPECT_TRUE(store->Flush().ok());
    }
    EXPECT_TRUE(store->WaitForQuiet().ok());
    EXPECT_GT(store->Stats().compactions, 0u);
    is_watched = false;
  }
  EXPECT_GT(in_others.load(), 0);
  EXPECT_EQ(blocked.load(), 0);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(StoreWithACutLog, SaysSoAndBeginsAnother) {
  CutStore store;
  ASSERT_TRUE(store->Put({}, "a", "before").ok());
  const std::string log = store.Newest(".log");
  std::filesystem::resize_file(log, 0);
  ExpectNames(store->Put({}, "b", "lost"), log);
  EXPECT_TRUE(store->Put({}, "c", "after").ok());
  // What was in the log that was cut is safe once it is in a table.
  EXPECT_TRUE(store->Flush().ok());
  EXPECT_TRUE(store->Put({.sync = true}, "d", "after").ok());
  store.Close();
  auto again = *Store::Open(store.path(), GuardedOptions());
  std::string value;
  EXPECT_TRUE(again->Get({}, "a", &value).ok()) << "the memtable had it";
  EXPECT_TRUE(again->Get({}, "c", &value).ok());
  EXPECT_TRUE(again->Get({}, "d", &value).ok());
  EXPECT_EQ(again->Get({}, "b", &value).code(), StatusCode::kNotFound);
}

TEST(StoreWithACutLog, ConfirmsNoSyncedWriteThatIsNotThere) {
  CutStore store;
  ASSERT_TRUE(store->Put({}, "a", "before").ok());
  // Within a page nothing faults, and what is written there is lost.
  const std::string log = store.Newest(".log");
  std::filesystem::resize_file(log, 10);
  ExpectNames(store->Put({.sync = true}, "b", "lost"), log);
  EXPECT_TRUE(store->Flush().ok());
  EXPECT_TRUE(store->Put({.sync = true}, "c", "after").ok());
}

// ---- Beside a writer, in other processes

// Writes until it is killed, small records and long ones: a long one cuts off
// what was allocated ahead.
[[noreturn]] void WriteForEver(const std::string& dir) {
  StoreOptions options;
  options.create_if_missing = true;
  options.write_buffer_bytes = std::size_t{1} << 30;  // one log, no tables
  auto store = Store::Open(dir, options);
  if (!store.ok()) std::_Exit(3);
  for (int i = 0;; ++i) {
    const bool is_long = i % 20 == 0;
    if (!(*store)
             ->Put({}, NumberKey(static_cast<std::uint64_t>(i)),
                   std::string(is_long ? 5000 : 50, 'x'))
             .ok()) {
      std::_Exit(4);
    }
    if (i == 50'000) ::pause();
  }
}

// 0: all is well.
int OpenToRead(const std::string& dir) {
  StoreOptions options;
  options.read_only = true;
  return Store::Open(dir, options).ok() ? 0 : 1;
}
int Check(const std::string& dir) {
  auto report = CheckStore(dir);
  return report.ok() && report->problems.empty() ? 0 : 2;
}

TEST(StoreBesideAWriter, IsReadAndCheckedWithoutSignalOrError) {
  const TempDir folder;
  const std::string dir = folder.File("db");
  const pid_t writer = ::fork();
  if (writer == 0) WriteForEver(dir);
  while (OpenToRead(dir) != 0) ::usleep(1000);
  for (int i = 0; i < 60; ++i) {
    const pid_t reader = ::fork();
    if (reader == 0) {
      std::_Exit(i % 3 == 0 ? Check(dir) : OpenToRead(dir));
    }
    int status = 0;
    ASSERT_EQ(::waitpid(reader, &status, 0), reader);
    EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << i;
  }
  int status = 0;
  EXPECT_EQ(::waitpid(writer, &status, WNOHANG), 0) << "the writer has ended";
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
}

}  // namespace
}  // namespace tamis::testing
