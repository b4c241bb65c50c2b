// SPDX-License-Identifier: Apache-2.0
// Filters that grow under many threads.  These run under the thread sanitizer,
// too, which sees every access that is not ordered.

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/filters.h"
#include "tests/support/specs.h"

namespace tamis {
namespace {

using testing::PolicyOf;

class ConcurrentFilters : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr std::size_t kWriters = 3;
  static constexpr std::size_t kKeys = 6000;

  const std::unique_ptr<const FilterPolicy> policy_ = PolicyOf(GetParam());
  const std::vector<std::string> keys_ = testing::NumberedKeys("key-", kKeys);
  const std::vector<Slice> slices_{keys_.begin(), keys_.end()};

  std::unique_ptr<ConcurrentFilter> NewFilter() const {
    auto filter = policy_->NewConcurrent(kKeys);
    EXPECT_TRUE(filter.ok()) << filter.status().ToString();
    return filter.ok() ? *std::move(filter) : nullptr;
  }
  std::string SavedBytes(const MutableFilter& filter) const {
    std::string saved;
    EXPECT_TRUE(filter.Save(&saved).ok());
    return saved;
  }
};

// The blocked kinds at usual sizes, and where all threads meet: one block.
INSTANTIATE_TEST_SUITE_P(Specs, ConcurrentFilters,
                         ::testing::Values("bloom:10", "bloom:m=512,k=32",
                                           "splitblock:10,seed=3",
                                           "splitblock:m=256,k=8", "rocksdb:10",
                                           "rocksdb:m=512,k=1", "parquet:10"),
                         [](const auto& test) {
                           return testing::TestNameOf(test.param);
                         });

// Every thread has a third of the keys, half of them inserted one by one and
// half in batches; nothing that any of them set may be lost.
TEST_P(ConcurrentFilters, DisjointKeysOfManyThreadsGiveTheBuildersBytes) {
  const auto filter = NewFilter();
  ASSERT_NE(filter, nullptr);
  std::atomic<unsigned> failed = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kWriters; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < kKeys / 2; i += kWriters) {
        if (!filter->Insert(keys_[i]).ok()) ++failed;
      }
      constexpr std::size_t kShare = kKeys / 2 / kWriters;
      const std::span<const Slice> rest(slices_.data() + kKeys / 2 + t * kShare,
                                        kShare);
      if (!filter->InsertMany(rest).ok()) ++failed;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0u);
  for (const std::string& key : keys_) ASSERT_TRUE(filter->MayContain(key));
  EXPECT_EQ(filter->Describe().keys, kKeys);
  EXPECT_EQ(SavedBytes(*filter), testing::Build(*policy_, keys_));
}

// Threads that write to the same words at the same time.  A bit that is set by
// reading and writing instead of at once gets lost, if rarely: so there are
// many rounds, each on a fresh filter of one block.
TEST_P(ConcurrentFilters, NoBitIsLostWhereThreadsMeet) {
  constexpr std::size_t kRounds = 3000;
  const std::vector<std::string> few(keys_.begin(), keys_.begin() + 12);
  std::vector<std::unique_ptr<ConcurrentFilter>> filters;
  for (std::size_t i = 0; i < kRounds; ++i) {
    filters.push_back(*policy_->NewConcurrent(few.size()));
  }
  std::atomic<std::size_t> arrived = 0;
  const auto work = [&](std::size_t t) {
    for (std::size_t round = 0; round < kRounds; ++round) {
      ++arrived;
      // Spinning, so that both go on in the same moment; but not for ever
      // where they share one CPU.
      for (unsigned spins = 0; arrived < 2 * (round + 1); ++spins) {
        if (spins > 10'000) std::this_thread::yield();
      }
      for (std::size_t i = t; i < few.size(); i += 2) {
        (void)filters[round]->Insert(few[i]).ok();
      }
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  const std::string expected = testing::Build(*policy_, few);
  for (const auto& filter : filters) ASSERT_EQ(SavedBytes(*filter), expected);
}

// All threads insert all keys: the same words, at the same time.
TEST_P(ConcurrentFilters, EqualKeysOfManyThreadsGiveTheSameBits) {
  const auto filter = NewFilter();
  ASSERT_NE(filter, nullptr);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kWriters; ++t) {
    threads.emplace_back([&] {
      for (const Slice key : slices_) (void)filter->Insert(key).ok();
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto alone = policy_->NewMutable(kKeys);
  ASSERT_TRUE(alone.ok());
  for (std::size_t round = 0; round < kWriters; ++round) {
    ASSERT_TRUE(alone->InsertMany(slices_).ok());
  }
  // Keys that are inserted three times are counted three times.
  EXPECT_EQ(SavedBytes(*filter), SavedBytes(**alone));
}

// Whoever sees that an insertion is over finds its key at once, one by one
// and in a batch, while more keys come.
TEST_P(ConcurrentFilters, AnInsertedKeyIsFoundByWhoKnowsOfIt) {
  const auto filter = NewFilter();
  ASSERT_NE(filter, nullptr);
  std::atomic<std::size_t> inserted = 0;
  std::atomic<unsigned> missed = 0;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (const std::string& key : keys_) {
      (void)filter->Insert(key).ok();
      inserted.fetch_add(1, std::memory_order_release);
    }
  });
  for (std::size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (std::size_t known = 0; known < kKeys;) {
        known = inserted.load(std::memory_order_acquire);
        if (known == 0) continue;
        if (!filter->MayContain(keys_[known - 1])) ++missed;
        const std::size_t batch = std::min<std::size_t>(known, 40);
        bool out[40] = {};
        filter->MayContainMany({&slices_[known - batch], batch}, {out, batch});
        for (std::size_t i = 0; i < batch; ++i) {
          if (!out[i]) ++missed;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(missed, 0u);
}

// Save() and Describe() beside insertions: what was in before is in the bytes.
TEST_P(ConcurrentFilters, SavesWhileOthersInsert) {
  const auto filter = NewFilter();
  ASSERT_NE(filter, nullptr);
  std::atomic<std::size_t> inserted = 0;
  std::atomic<unsigned> missed = 0;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (const std::string& key : keys_) {
      (void)filter->Insert(key).ok();
      inserted.fetch_add(1, std::memory_order_release);
    }
  });
  threads.emplace_back([&] {
    for (std::size_t known = 0; known < kKeys;) {
      known = inserted.load(std::memory_order_acquire);
      std::string saved;
      if (!filter->Save(&saved).ok()) ++missed;
      const auto reader = policy_->Open(saved);
      if (!reader.ok()) {
        ++missed;
        continue;
      }
      for (std::size_t i = 0; i < known; i += 1 + known / 50) {
        if (!reader->MayContain(keys_[i])) ++missed;
      }
      const FilterInfo info = filter->Describe();
      if (info.set_bits > info.bits || info.keys > kKeys) ++missed;
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(missed, 0u);
  EXPECT_EQ(SavedBytes(*filter), testing::Build(*policy_, keys_));
}

}  // namespace
}  // namespace tamis
