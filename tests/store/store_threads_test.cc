// SPDX-License-Identifier: Apache-2.0
// Many threads at one store.  Run under ThreadSanitizer.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::SmallOptions;
using testing::TestStore;

constexpr std::uint64_t kPairs = 300;
constexpr auto kTime = std::chrono::milliseconds(400);

// A value that tells if it is not whole: a number, again and again.
std::string RepeatedNumber(std::uint64_t number) {
  std::string value;
  for (int i = 0; i < 8; ++i) value += NumberKey(number);
  return value;
}
bool IsWhole(const std::string& value) {
  if (value.size() != 64) return false;
  for (std::size_t i = 8; i < 64; ++i) {
    if (value[i] != value[i % 8]) return false;
  }
  return true;
}

std::string LeftKey(std::uint64_t pair) { return "l" + NumberKey(pair); }
std::string RightKey(std::uint64_t pair) { return "r" + NumberKey(pair); }

// Threads that do something until the time is over.
class Crowd {
 public:
  void Add(int threads, const std::function<void(std::mt19937_64*)>& act) {
    for (int i = 0; i < threads; ++i) {
      const auto seed = static_cast<std::uint64_t>(threads_.size() + 1);
      threads_.emplace_back([this, act, seed] {
        std::mt19937_64 random(seed);
        while (!is_over_.load(std::memory_order_relaxed) &&
               !::testing::Test::HasFailure()) {
          act(&random);
        }
      });
    }
  }
  void Wait() {
    std::this_thread::sleep_for(kTime);
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

// Both keys of a pair get the same value, in one batch, or none.
void WritePair(Store* store, std::mt19937_64* random) {
  const std::uint64_t pair = (*random)() % kPairs;
  const std::uint64_t number = (*random)() % 100'000'000;
  WriteBatch batch;
  if (number % 8 == 0) {
    batch.Delete(LeftKey(pair));
    batch.Delete(RightKey(pair));
  } else {
    batch.Put(LeftKey(pair), RepeatedNumber(number));
    batch.Put(RightKey(pair), RepeatedNumber(number));
  }
  const Status written = store->Write({.sync = number % 16 == 1}, batch);
  ASSERT_TRUE(written.ok()) << written.ToString();
}

void ExpectSame(const Status& left, const Status& right,
                const std::string& left_value, const std::string& right_value) {
  ASSERT_EQ(left.code(), right.code())
      << left.ToString() << ", " << right.ToString();
  if (!left.ok()) {
    ASSERT_EQ(left.code(), StatusCode::kNotFound) << left.ToString();
    return;
  }
  ASSERT_TRUE(IsWhole(left_value)) << left_value;
  ASSERT_EQ(left_value, right_value);
}

void ReadPairBySnapshot(Store* store, std::mt19937_64* random) {
  const auto snapshot = store->GetSnapshot();
  const ReadOptions options{.snapshot = snapshot.get()};
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t pair = (*random)() % kPairs;
    std::string left;
    std::string right;
    const Status left_status = store->Get(options, LeftKey(pair), &left);
    const Status right_status = store->Get(options, RightKey(pair), &right);
    ExpectSame(left_status, right_status, left, right);
  }
}

void ReadPairAtOnce(Store* store, std::mt19937_64* random) {
  const std::uint64_t pair = (*random)() % kPairs;
  const std::string left = LeftKey(pair);
  const std::string right = RightKey(pair);
  const std::array<Slice, 2> keys = {left, right};
  std::array<std::string, 2> values;
  std::array<Status, 2> statuses;
  store->MultiGet({}, keys, values, statuses);
  ExpectSame(statuses[0], statuses[1], values[0], values[1]);
}

// An iterator sees one moment: as many left keys as right ones, equal values.
void WalkOver(Store* store, std::mt19937_64* random) {
  const auto it = store->NewIterator();
  std::vector<std::pair<std::string, std::string>> lefts;
  std::size_t rights = 0;
  const auto visit = [&] {
    const std::string pair(it->key().substr(1));
    if (it->key().front() == 'l') {
      lefts.emplace_back(pair, it->value());
      return;
    }
    ASSERT_LT(rights, lefts.size());
    ASSERT_EQ(lefts[rights].first, pair);
    ASSERT_EQ(lefts[rights].second, it->value());
    ++rights;
  };
  const bool turns = (*random)() % 2 == 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    visit();
    if (::testing::Test::HasFailure()) return;
    if (!turns || (*random)() % 32 != 0) continue;
    const std::string here(it->key());
    it->Prev();
    if (!it->Valid()) {
      it->SeekToFirst();
    } else {
      it->Next();
    }
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(it->key(), here);
  }
  ASSERT_TRUE(it->status().ok()) << it->status().ToString();
  ASSERT_EQ(rights, lefts.size());
}

TEST(StoreThreads, SeeBothKeysOfABatchOrNeither) {
  TestStore store(SmallOptions());
  Store* s = &*store;
  Crowd crowd;
  crowd.Add(3, [s](auto* random) { WritePair(s, random); });
  crowd.Add(2, [s](auto* random) { ReadPairBySnapshot(s, random); });
  crowd.Add(1, [s](auto* random) { ReadPairAtOnce(s, random); });
  crowd.Add(2, [s](auto* random) { WalkOver(s, random); });
  crowd.Wait();
  EXPECT_GT(store->Stats().flushes, 0u);
}

TEST(StoreThreads, ReadWhileOthersFlushAndCompact) {
  TestStore store(SmallOptions());
  Store* s = &*store;
  Crowd crowd;
  crowd.Add(2, [s](auto* random) { WritePair(s, random); });
  crowd.Add(2, [s](auto* random) { ReadPairBySnapshot(s, random); });
  crowd.Add(1, [s](auto* random) { WalkOver(s, random); });
  crowd.Add(1, [s](auto* random) {
    const Status done = (*random)() % 2 == 0 ? s->Flush() : s->WaitForQuiet();
    ASSERT_TRUE(done.ok()) << done.ToString();
  });
  crowd.Add(2, [s](auto*) {
    const Status compacted = s->Compact();
    ASSERT_TRUE(compacted.ok()) << compacted.ToString();
  });
  crowd.Add(1, [s](auto*) {
    const StoreStats stats = s->Stats();
    const FilterCounts all = stats.filters();
    ASSERT_EQ(all.probes,
              all.absent + all.true_positives + all.false_positives);
    ASSERT_TRUE(s->Property("tamis.sstables").ok());
    const std::array<KeyRange, 1> whole = {KeyRange{}};
    (void)s->ApproximateSizes(whole);
    (void)s->Explain({}, LeftKey(1));
  });
  crowd.Wait();
  const auto checked = CheckStore(TestStore::dir(), store.options());
  ASSERT_TRUE(checked.ok());
  for (const std::string& problem : checked->problems) ADD_FAILURE() << problem;
}

// What a thread wrote it sees at once, and later values only rise.
TEST(StoreThreads, NeverSeeAnOlderValueAfterANewerOne) {
  TestStore store(SmallOptions());
  std::array<std::atomic<std::uint64_t>, 8> written{};
  Store* s = &*store;
  Crowd crowd;
  for (std::uint64_t i = 0; i < written.size(); i += 4) {
    crowd.Add(1, [s, i, &written](auto* random) {
      const std::uint64_t key = i + (*random)() % 4;
      const std::uint64_t next = written[key].load() + 1;
      ASSERT_TRUE(s->Put({}, NumberKey(key), RepeatedNumber(next)).ok());
      written[key].store(next);
      ASSERT_TRUE(
          s->Put({}, "filler" + NumberKey(next), RepeatedNumber(next)).ok());
    });
  }
  crowd.Add(3, [s, &written](auto* random) {
    const std::uint64_t key = (*random)() % written.size();
    const std::uint64_t least = written[key].load();
    std::string value;
    const Status got = s->Get({}, NumberKey(key), &value);
    if (least == 0) return;
    ASSERT_TRUE(got.ok()) << got.ToString();
    ASSERT_TRUE(IsWhole(value));
    ASSERT_GE(std::stoull(value.substr(0, 8)), least);
  });
  crowd.Wait();
}

// Whatever the writer flushes and removes meanwhile: a reader sees all that was
// written before it opened the store.
TEST(StoreThreads, OpenForReadingBesideAWriter) {
  TestStore store(SmallOptions());
  std::atomic<std::uint64_t> written{0};
  Store* s = &*store;
  StoreOptions options = store.options();
  options.read_only = true;
  Crowd crowd;
  crowd.Add(1, [s, &written](auto*) {
    const std::uint64_t next = written.load() + 1;
    ASSERT_TRUE(s->Put({}, NumberKey(next % 2000), RepeatedNumber(next)).ok());
    written.store(next);
    if (next % 100 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  crowd.Add(2, [&](auto* random) {
    const std::uint64_t last = written.load();
    const auto reader = Store::Open(TestStore::dir(), options);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    for (int i = 0; i < 20 && last > 0; ++i) {
      const std::uint64_t number =
          last - (*random)() % std::min<std::uint64_t>(last, 1000);
      std::string value;
      const Status got = reader->Get({}, NumberKey(number % 2000), &value);
      ASSERT_TRUE(got.ok()) << got.ToString() << " " << number << "/" << last;
      ASSERT_TRUE(IsWhole(value));
      ASSERT_GE(std::stoull(value.substr(0, 8)), number);
    }
  });
  crowd.Wait();
}

TEST(StoreThreads, OpenAndCloseManyStoresAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 6; ++round) {
        TestStore store(SmallOptions());
        for (std::uint64_t key = 0; key < 300; ++key) {
          store.Put(NumberKey(key), RepeatedNumber(key));
        }
        if (round % 2 == 0) store.Reopen();
        ASSERT_EQ(store.Get(NumberKey(7)), RepeatedNumber(7));
        ASSERT_EQ(store.Get(NumberKey(300)), "(none)");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Threads come and go: each reads a little, and its slot serves the next.
TEST(StoreThreads, MayBeManyThatEachReadALittle) {
  TestStore store(SmallOptions());
  for (std::uint64_t i = 0; i < 500; ++i) {
    store.Put(NumberKey(i), RepeatedNumber(i));
  }
  for (int round = 0; round < 10; ++round) {
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < 8; ++i) {
      threads.emplace_back([&store, i] {
        ASSERT_EQ(store.Get(NumberKey(i * 50)), RepeatedNumber(i * 50));
      });
    }
    store.Put("round", std::to_string(round));
    store.Flush();
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(store->Stats().lookups, 80u);
  EXPECT_EQ(store->Stats().lookups_found, 80u);
}

}  // namespace
}  // namespace tamis
