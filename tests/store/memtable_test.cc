// SPDX-License-Identifier: Apache-2.0
#include "store/memtable.h"

#include <string>

#include <gtest/gtest.h>

#include "formats/tamis/line_view.h"

namespace tamis {
namespace {

using State = LookupResult::State;
constexpr std::size_t kExpectedBytes = 1 << 20;

void Put(Memtable* table, Sequence sequence, Slice key, Slice value) {
  table->Add(sequence, ValueType::kValue, key, value, LineHash(key, 0));
}
void Delete(Memtable* table, Sequence sequence, Slice key) {
  table->Add(sequence, ValueType::kDeletion, key, {}, LineHash(key, 0));
}

// The value, "(deleted)" or "(absent)".
std::string Get(const Memtable& table, Slice key,
                Sequence sequence = kMaxSequence) {
  std::string value = "untouched";
  LookupResult result;
  table.Get(LookupKey(key, sequence), &value, &result);
  if (result.state == State::kValue) return value;
  EXPECT_EQ(value, "untouched");
  return result.state == State::kDeletion ? "(deleted)" : "(absent)";
}

TEST(Memtable, IsEmptyAtFirst) {
  const Memtable table(KeyOrder(), kExpectedBytes, true);
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.entries(), 0u);
  EXPECT_EQ(Get(table, "key"), "(absent)");
  EXPECT_EQ(table.filter_rate(), 0.0);
}

TEST(Memtable, FindsTheNewestEntryThatIsNotNewer) {
  Memtable table(KeyOrder(), kExpectedBytes, true);
  Put(&table, 10, "key", "old");
  Delete(&table, 20, "key");
  Put(&table, 30, "key", "new");
  Put(&table, 40, "kez", "other");
  EXPECT_EQ(Get(table, "key"), "new");
  EXPECT_EQ(Get(table, "key", 29), "(deleted)");
  EXPECT_EQ(Get(table, "key", 20), "(deleted)");
  EXPECT_EQ(Get(table, "key", 19), "old");
  EXPECT_EQ(Get(table, "key", 9), "(absent)");
  EXPECT_EQ(Get(table, "ke"), "(absent)");
  EXPECT_EQ(Get(table, "key "), "(absent)");
  EXPECT_EQ(table.entries(), 4u);
  EXPECT_FALSE(table.empty());
}

TEST(Memtable, NeedsNoPlaceForTheValue) {
  Memtable table(KeyOrder(), kExpectedBytes, false);
  Put(&table, 1, "key", "value");
  LookupResult result;
  table.Get(LookupKey("key", 1), nullptr, &result);
  EXPECT_EQ(result.state, State::kValue);
}

TEST(Memtable, ForgetsWhatAnEarlierLookupFound) {
  const Memtable table(KeyOrder(), kExpectedBytes, false);
  LookupResult result;
  result.state = State::kValue;
  table.Get(LookupKey("key", 1), nullptr, &result);
  EXPECT_EQ(result.state, State::kAbsent);
}

TEST(Memtable, WalksOverItsEntriesInOrder) {
  Memtable table(KeyOrder(), kExpectedBytes, true);
  Put(&table, 1, "b", "1");
  Put(&table, 2, "a", "2");
  Put(&table, 3, "b", "3");
  std::string seen;
  const auto iterator = table.NewIterator();
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    seen += std::string(UserKeyOf(iterator->key())) + "=" +
            std::string(iterator->value()) + " ";
  }
  EXPECT_EQ(seen, "a=2 b=3 b=1 ");
}

TEST(Memtable, CountsTheFiltersMemory) {
  const Memtable without(KeyOrder(), kExpectedBytes, false);
  const Memtable with(KeyOrder(), kExpectedBytes, true);
  EXPECT_FALSE(without.has_filter());
  EXPECT_EQ(without.filter_rate(), 1.0);
  EXPECT_TRUE(with.has_filter());
  // About ten bits for each 64 bytes.
  EXPECT_GE(with.bytes(), without.bytes() + kExpectedBytes / 64 * 10 / 8);
  EXPECT_LE(with.bytes(), without.bytes() + kExpectedBytes / 64 * 11 / 8);
}

TEST(MemtableFilter, NeverForgetsAnAddedKey) {
  for (const std::size_t bytes : {0u, 1000u, 1u << 20}) {
    const auto filter = MemtableFilter::New(bytes);
    ASSERT_NE(filter, nullptr);
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t hash = LineHash("k" + std::to_string(i), 0);
      filter->Prefetch(hash);
      filter->Add(hash);
    }
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t hash = LineHash("k" + std::to_string(i), 0);
      ASSERT_TRUE(filter->MayContain(hash)) << i;
    }
  }
}

TEST(MemtableFilter, ErrsAsOftenAsItSays) {
  constexpr std::uint64_t kKeys = kExpectedBytes / 64;
  constexpr int kAsked = 200'000;
  const auto filter = MemtableFilter::New(kExpectedBytes);
  EXPECT_FALSE(filter->MayContain(LineHash("any", 0)));
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    filter->Add(LineHash("k" + std::to_string(i), 0));
  }
  int errors = 0;
  for (int i = 0; i < kAsked; ++i) {
    errors += filter->MayContain(LineHash("x" + std::to_string(i), 0)) ? 1 : 0;
  }
  EXPECT_LT(filter->RateAt(kKeys), 0.012);
  EXPECT_NEAR(errors / (kAsked * filter->RateAt(kKeys)), 1.0, 0.1);
}

}  // namespace
}  // namespace tamis
