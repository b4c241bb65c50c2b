// SPDX-License-Identifier: Apache-2.0
// Readers and policies are shared among threads without locks; concurrent
// filters are in concurrent_test.cc.

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::PolicyOf;

TEST(ReaderThreads, ShareOneReader) {
  const auto keys = testing::NumberedKeys("key-", 2000);
  for (const char* spec :
       {"bloom:10", "splitblock:10", "classic:10", "leveldb:10", "rocksdb:10",
        "rocksdb-legacy:10", "rocksdb-ribbon:10", "cassandra:ka", "parquet:10",
        "lab:10", "md5:10"}) {
    const auto policy = PolicyOf(spec);
    const std::string bytes = testing::Build(*policy, keys);
    const auto reader = policy->Open(bytes);
    ASSERT_TRUE(reader.ok());
    std::atomic<unsigned> missed = 0;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const std::vector<Slice> batch(keys.begin(), keys.end());
        const std::unique_ptr<bool[]> out(new bool[batch.size()]);
        reader->MayContainMany(batch, {out.get(), batch.size()});
        for (std::size_t i = t; i < keys.size(); ++i) {
          if (!out[i] || !reader->MayContain(keys[i])) ++missed;
        }
        if (reader->Describe().set_bits == 0) ++missed;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(missed, 0u) << spec;
  }
}

TEST(PolicyThreads, BuildOpenAndPredictFromOnePolicy) {
  const auto policy = PolicyOf("fpr:0.01");
  const auto keys = testing::NumberedKeys("key-", 500);
  const std::string expected = testing::Build(*policy, keys);
  std::atomic<unsigned> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const auto builder = policy->NewBuilder();
        for (const std::string& key : keys) builder->Add(key);
        std::string bytes;
        if (!builder->Finish(&bytes).ok() || bytes != expected) ++wrong;
        if (policy->Predict(keys.size()).bytes != bytes.size()) ++wrong;
        if (!policy->Open(bytes).ok()) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
}

// Queries of a mutable filter may share, as long as nobody inserts.
TEST(MutableThreads, ShareQueriesBetweenInsertions) {
  const auto policy = PolicyOf("bloom:10");
  auto filter = policy->NewMutable(1000);
  ASSERT_TRUE(filter.ok());
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(filter->Insert(std::to_string(i)).ok());
  }
  std::atomic<unsigned> missed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        if (!filter->MayContain(std::to_string(i))) ++missed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(missed, 0u);
}

}  // namespace
}  // namespace tamis
