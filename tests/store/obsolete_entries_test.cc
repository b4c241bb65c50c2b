// SPDX-License-Identifier: Apache-2.0
// What a merge leaves out, no reader may miss: every key is looked up at every
// snapshot, before and after.

#include "store/obsolete_entries.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/store/versions.h"

namespace tamis {
namespace {

using testing::InternalKey;

struct OneEntry {
  std::string key;
  Sequence sequence;
  ValueType type;
};

// In the order of a merge: by key, newest first.
std::vector<OneEntry> RandomEntries(std::mt19937_64* random,
                                    Sequence most_sequence) {
  std::vector<OneEntry> entries;
  for (Sequence s = 1; s <= most_sequence; ++s) {
    entries.push_back(
        {std::string(1, static_cast<char>('a' + (*random)() % 4)), s,
         (*random)() % 3 == 0 ? ValueType::kDeletion : ValueType::kValue});
  }
  std::sort(entries.begin(), entries.end(),
            [](const OneEntry& a, const OneEntry& b) {
              return a.key != b.key ? a.key < b.key : a.sequence > b.sequence;
            });
  return entries;
}

// What a reader at that sequence sees: the number of the value; 0: none.
Sequence Seen(const std::vector<OneEntry>& entries, const std::string& key,
              Sequence at) {
  for (const OneEntry& entry : entries) {
    if (entry.key != key || entry.sequence > at) continue;
    return entry.type == ValueType::kValue ? entry.sequence : 0;
  }
  return 0;
}

std::vector<OneEntry> Filtered(const std::vector<OneEntry>& entries,
                               ObsoleteEntries* obsolete) {
  std::vector<OneEntry> kept;
  std::string last;
  bool any = false;
  for (const OneEntry& entry : entries) {
    const bool drop =
        obsolete->MayDrop(InternalKey(entry.key, entry.sequence, entry.type));
    EXPECT_EQ(obsolete->is_new_key(), !any || entry.key != last);
    last = entry.key;
    any = true;
    if (!drop) kept.push_back(entry);
  }
  return kept;
}

TEST(ObsoleteEntries, ChangesNothingThatASnapshotSees) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    // What lies below: older than all, and only under some keys.
    const std::vector<OneEntry> below = {{"b", 1, ValueType::kValue},
                                         {"d", 2, ValueType::kValue}};
    std::vector<OneEntry> entries = RandomEntries(&random, 20);
    for (OneEntry& entry : entries) entry.sequence += 5;
    std::vector<Sequence> snapshots;
    for (Sequence s = 1; s < 26; ++s) {
      if (random() % 6 == 0) snapshots.push_back(s);
    }
    ObsoleteEntries obsolete(KeyOrder(), snapshots, [](Slice key) {
      return key == "b" || key == "d";
    });
    const std::vector<OneEntry> kept = Filtered(entries, &obsolete);
    std::vector<Sequence> readers = snapshots;
    readers.push_back(kMaxSequence);
    const auto with_below = [&](std::vector<OneEntry> all) {
      all.insert(all.end(), below.begin(), below.end());
      return all;
    };
    for (const Sequence at : readers) {
      for (const std::string key : {"a", "b", "c", "d"}) {
        ASSERT_EQ(Seen(with_below(kept), key, at),
                  Seen(with_below(entries), key, at))
            << key << " at " << at;
      }
    }
  }
}

TEST(ObsoleteEntries, LeavesOneVersionPerKeyWithoutSnapshots) {
  std::mt19937_64 random(2);
  const std::vector<OneEntry> entries = RandomEntries(&random, 200);
  ObsoleteEntries keeps_deletions(KeyOrder(), {}, {});
  EXPECT_EQ(Filtered(entries, &keeps_deletions).size(), 4u);
  ObsoleteEntries at_the_bottom(KeyOrder(), {}, [](Slice) { return false; });
  for (const OneEntry& kept : Filtered(entries, &at_the_bottom)) {
    EXPECT_EQ(kept.type, ValueType::kValue);
  }
}

TEST(ObsoleteEntries, KeepsADeletionThatAnOlderSnapshotDoesNotSee) {
  ObsoleteEntries obsolete(KeyOrder(), {5}, [](Slice) { return false; });
  const auto deletion = ValueType::kDeletion;
  EXPECT_FALSE(obsolete.MayDrop(InternalKey("a", 9, deletion)));
  EXPECT_FALSE(obsolete.MayDrop(InternalKey("a", 4, ValueType::kValue)));
  EXPECT_TRUE(obsolete.MayDrop(InternalKey("a", 3, ValueType::kValue)));
  EXPECT_TRUE(obsolete.MayDrop(InternalKey("b", 5, deletion)));
  EXPECT_TRUE(obsolete.MayDrop(InternalKey("b", 2, ValueType::kValue)));
  EXPECT_FALSE(obsolete.MayDrop(InternalKey("c", 6, deletion)));
}

}  // namespace
}  // namespace tamis
