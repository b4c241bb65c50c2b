// SPDX-License-Identifier: Apache-2.0
// A process that writes to a store is killed at any moment, again and again:
// what it was told is written is there, whole, and the store is sound.
//
//   TAMIS_SOAK_SECONDS=600 tests_peers --gtest_filter='StoreKilled.*'

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/peers/child_process.h"
#include "tests/peers/scratch_db.h"
#include "tests/peers/store_pair.h"
#include "tests/support/filter_choices.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 3;

// What the child tells, in memory that outlives it.
struct Told {
  std::atomic<std::uint64_t> is_opening;
  std::atomic<std::uint64_t> is_writing;
  std::array<std::atomic<std::uint64_t>, kThreads> written;  // batches
};

class SharedPage {
 public:
  explicit SharedPage(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(::ftruncate(fd, sizeof(Told)), 0);
    void* const page = ::mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE,
                              MAP_SHARED, fd, 0);
    ::close(fd);
    EXPECT_NE(page, MAP_FAILED);
    told_ = static_cast<Told*>(page);
  }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  ~SharedPage() { ::munmap(told_, sizeof(Told)); }

  Told* operator->() const { return told_; }

 private:
  Told* told_ = nullptr;
};

// ---- What is written: batch n of a thread is always the same ----

std::string KeyOf(std::size_t thread, const std::string& rest) {
  return "thread" + std::to_string(thread) + "-" + rest;
}

std::string NumberKeyOf(std::size_t thread) { return KeyOf(thread, "number"); }

std::string ValueOf(std::uint64_t number, std::uint64_t slot) {
  std::mt19937_64 random(number * 1000 + slot);
  std::size_t size = random() % 300;
  if (random() % 200 == 0) size = random() % 20'000;
  if (random() % 5000 == 0) size = random() % 300'000;
  std::string value = std::to_string(number) + ":";
  while (value.size() < size) value += std::to_string(random());
  return value;
}

Changes BatchOf(std::size_t thread, std::uint64_t number) {
  constexpr std::uint64_t kSlots = 200;
  std::mt19937_64 random(number * kThreads + thread);
  Changes changes;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::uint64_t slot = random() % kSlots;
    changes.push_back({KeyOf(thread, std::to_string(slot)), {}});
    if (random() % 4 != 0) changes.back().value = ValueOf(number, slot);
  }
  // In the middle, so that no half of the batch has the number right.
  changes.insert(changes.begin() + static_cast<std::ptrdiff_t>(random() % 4),
                 {NumberKeyOf(thread), std::to_string(number)});
  return changes;
}

StoreOptions CrashOptions(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  StoreOptions options;
  options.create_if_missing = true;
  options.write_buffer_bytes = std::size_t{8} << (10 + random() % 4);
  options.table_bytes = std::uint64_t{8} << (10 + random() % 4);
  options.level1_bytes = std::uint64_t{32} << (10 + random() % 3);
  options.level0_compact_at = 2 + static_cast<unsigned>(random() % 3);
  options.compression =
      random() % 2 == 0 ? Compression::kNone : Compression::kSnappy;
  ChooseFilters(random(), &options);
  return options;
}

// ---- The child ----

void WriteForEver(Store* store, const SharedPage& told, std::size_t thread) {
  std::string text;
  std::uint64_t number = 0;
  if (store->Get({}, NumberKeyOf(thread), &text).ok()) {
    number = std::stoull(text);
  }
  while (!::testing::Test::HasFailure()) {
    ++number;
    Apply(BatchOf(thread, number), store, number % 300 == 0);
    told->written[thread].store(number);
  }
}

TEST(StoreKilled, DISABLED_WritesUntilKilled) {
  const std::string argument = ChildArgument();
  if (argument.empty()) GTEST_SKIP() << "to be started by another test only";
  const std::size_t colon = argument.find(':');
  const std::uint64_t seed = std::stoull(argument.substr(0, colon));
  const std::string dir = argument.substr(colon + 1);
  const SharedPage told(dir + ".told");
  told->is_opening.store(1);
  const auto store = OpenOurs(dir, CrashOptions(seed));
  ASSERT_NE(store, nullptr);
  told->is_writing.store(1);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { WriteForEver(store.get(), told, i); });
  }
  for (std::thread& thread : threads) thread.join();
}

// ---- The parent ----

class Killer {
 public:
  explicit Killer(std::uint64_t seed) : seed_(seed), random_(seed) {}

  // One child's life, and what is found after it.
  void Round() {
    SCOPED_TRACE("TAMIS_SOAK_SEED=" + std::to_string(seed_) + ", round " +
                 std::to_string(++rounds_));
    RunChild();
    if (!fs::exists(dir_ / "CURRENT")) return;  // killed before it was made
    ExpectSound(dir_);
    tables_ = std::max(tables_, CountFiles(dir_, ".ldb"));
    const bool by_them = rounds_ % 4 == 0;
    const ScratchDir scratch;
    if (by_them) CopyDirectory(dir_, scratch.path() / "copy");
    StoreOptions options = CrashOptions(seed_);
    // Else it is the child that recovers, and may be killed at it.
    options.read_only = random_() % 2 == 0;
    const auto store = OpenOurs(dir_, options);
    ASSERT_NE(store, nullptr);
    ASSERT_NO_FATAL_FAILURE(FollowTo(store.get()));
    ExpectHolds(store.get(), contents_);
    if (!by_them || ::testing::Test::HasFailure()) return;
    const auto db = OpenTheirs(scratch.path() / "copy", Paranoid());
    ASSERT_NE(db, nullptr);
    ExpectHolds(db.get(), contents_);
  }
  std::uint64_t batches() const { return batches_; }
  std::size_t tables() const { return tables_; }  // the most that were there

 private:
  void RunChild() {
    told_->is_opening.store(0);
    told_->is_writing.store(0);
    ChildProcess child("StoreKilled.DISABLED_WritesUntilKilled",
                       std::to_string(seed_) + ":" + dir_.string());
    // One in four is killed while it opens, the others after some writes.
    if (random_() % 4 == 0) {
      WaitFor([this] { return told_->is_opening.load() != 0; });
    } else {
      const std::uint64_t wanted = TotalTold() + random_() % 1500;
      WaitFor([&] { return told_->is_writing.load() != 0; });
      WaitFor([&] { return TotalTold() >= wanted; });
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 3000));
    ASSERT_TRUE(child.Kill()) << "it ended by itself";
  }

  std::uint64_t TotalTold() const {
    std::uint64_t total = 0;
    for (const auto& written : told_->written) total += written.load();
    return total;
  }
  static void WaitFor(const std::function<bool()>& sign) {
    const auto end = SteadyClock::now() + std::chrono::seconds(5);
    while (!sign() && SteadyClock::now() < end) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  // The contents as they must be for the numbers that are in the store.
  void FollowTo(Store* store) {
    for (std::size_t i = 0; i < kThreads; ++i) {
      std::string text = "0";
      const Status got = store->Get({}, NumberKeyOf(i), &text);
      ASSERT_TRUE(got.ok() || got.code() == StatusCode::kNotFound);
      const std::uint64_t found = std::stoull(text);
      const std::uint64_t told = told_->written[i].load();
      ASSERT_GE(found, told) << "a write was lost";
      ASSERT_LE(found, std::max(told, followed_[i]) + 1);
      for (; followed_[i] < found; ++followed_[i], ++batches_) {
        Apply(BatchOf(i, followed_[i] + 1), &contents_);
      }
    }
  }

  const std::uint64_t seed_;
  std::mt19937_64 random_;
  const ScratchDir scratch_;
  const fs::path dir_ = scratch_.path() / "db";
  const SharedPage told_{dir_.string() + ".told"};
  Contents contents_;
  std::array<std::uint64_t, kThreads> followed_ = {};
  std::uint64_t batches_ = 0;
  std::size_t tables_ = 0;
  int rounds_ = 0;
};

TEST(StoreKilled, KeepsWhatWasAcknowledged) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Killer killer(seed);
    for (int i = 0; i < 5 && !HasFailure(); ++i) killer.Round();
    EXPECT_GT(killer.batches(), 100u);
    EXPECT_GT(killer.tables(), 1u) << "it was killed before it flushed";
  }
}

TEST(StoreKilled, KeepsWhatWasAcknowledgedForManySeeds) {
  const char* const text = std::getenv("TAMIS_SOAK_SECONDS");
  if (text == nullptr) GTEST_SKIP() << "TAMIS_SOAK_SECONDS is not set";
  const auto end = SteadyClock::now() + std::chrono::seconds(std::atoi(text));
  std::uint64_t seed = std::random_device()();
  if (const char* only = std::getenv("TAMIS_SOAK_SEED")) {
    seed = std::strtoull(only, nullptr, 10);
  }
  int rounds = 0;
  std::uint64_t batches = 0;
  while (SteadyClock::now() < end && !HasFailure()) {
    Killer killer(seed++);
    for (int i = 0; i < 25 && !HasFailure(); ++i, ++rounds) killer.Round();
    batches += killer.batches();
  }
  std::printf("%d kills, %llu batches, the last seed %llu\n", rounds,
              static_cast<unsigned long long>(batches),
              static_cast<unsigned long long>(seed - 1));
}

}  // namespace
}  // namespace tamis::testing
