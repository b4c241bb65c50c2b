// SPDX-License-Identifier: Apache-2.0
// One thread adds to a memtable while others read it.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tamis/line_view.h"
#include "store/memtable.h"

namespace tamis {
namespace {

constexpr Sequence kAddedEntries = 12'000;

// The key of an entry.  Most are shuffled, some rows ascend; each fourth entry
// is of a key that was there before.
std::string EntryKey(Sequence sequence) {
  const Sequence number = sequence % 4 == 3 ? sequence - 3 : sequence;
  const Sequence shuffled =
      number % 1000 < 500 ? number * 7919 % 65'537 : number;
  char key[40];
  std::snprintf(key, sizeof(key), number % 3 == 0 ? "%016u" : "%026u",
                static_cast<unsigned>(shuffled * 8 + number % 8));
  return key;
}

std::string EntryValue(Sequence sequence) {
  return EntryKey(sequence) + "/" + std::to_string(sequence);
}

// An entry is there, in the filter too, from when its number was published.
void LookUp(const Memtable& table, Sequence published,
            std::mt19937_64* random) {
  const Sequence sequence = (*random)() % published + 1;
  const std::string key = EntryKey(sequence);
  ASSERT_TRUE(table.MayContain(LineHash(key, 0)));
  std::string value;
  LookupResult result;
  table.Get(LookupKey(key, sequence), &value, &result);
  ASSERT_EQ(result.state, LookupResult::State::kValue);
  ASSERT_EQ(value, EntryValue(sequence));
  LookupResult absent;
  table.Get(LookupKey(key + "x", kMaxSequence), &value, &absent);
  ASSERT_EQ(absent.state, LookupResult::State::kAbsent);
}

// A walk meets whole entries in order, and all that were published before.
void Walk(const Memtable& table, Sequence published) {
  const KeyOrder order;
  const auto iterator = table.NewIterator();
  std::string last;
  Sequence met = 0;
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    const Slice key = iterator->key();
    ASSERT_TRUE(last.empty() || order.Compare(last, key) < 0);
    ASSERT_EQ(iterator->value(), EntryValue(SequenceOf(key)));
    if (SequenceOf(key) <= published) ++met;
    last = key;
  }
  ASSERT_EQ(met, published);
}

void StepBack(const Memtable& table, Sequence from) {
  const KeyOrder order;
  const auto iterator = table.NewIterator();
  iterator->Seek(LookupKey(EntryKey(from), from).internal());
  ASSERT_TRUE(iterator->Valid());
  ASSERT_EQ(SequenceOf(iterator->key()), from);
  for (int i = 0; i < 20 && iterator->Valid(); ++i) {
    const std::string last(iterator->key());
    iterator->Prev();
    ASSERT_TRUE(!iterator->Valid() || order.Compare(iterator->key(), last) < 0);
  }
}

void Read(const Memtable& table, const std::atomic<Sequence>& published,
          std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Sequence now = 0;
  while (now < kAddedEntries && !::testing::Test::HasFatalFailure()) {
    now = published.load(std::memory_order_acquire);
    if (now == 0) continue;
    for (int i = 0; i < 100; ++i) {
      ASSERT_NO_FATAL_FAILURE(LookUp(table, now, &random));
    }
    ASSERT_NO_FATAL_FAILURE(StepBack(table, random() % now + 1));
    ASSERT_NO_FATAL_FAILURE(Walk(table, now));
  }
}

TEST(MemtableThreads, ReadersSeeWholeEntriesInOrderWhileOneWrites) {
  Memtable table(KeyOrder(), 1 << 20, true);
  std::atomic<Sequence> published = 0;
  std::vector<std::thread> readers;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    readers.emplace_back(Read, std::cref(table), std::cref(published), seed);
  }
  for (Sequence sequence = 1; sequence <= kAddedEntries; ++sequence) {
    const std::string key = EntryKey(sequence);
    table.Add(sequence, ValueType::kValue, key, EntryValue(sequence),
              LineHash(key, 0));
    published.store(sequence, std::memory_order_release);
    if (sequence % 64 == 0) std::this_thread::yield();
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(table.entries(), kAddedEntries);
  EXPECT_GT(table.bytes(), kAddedEntries * 50);
}

}  // namespace
}  // namespace tamis
