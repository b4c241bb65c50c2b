// SPDX-License-Identifier: Apache-2.0
// One block: what is built is walked over and searched; what is damaged is
// noticed.

#include "table/block.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "table/block_builder.h"
#include "table/block_cursor.h"
#include "table/block_search.h"
#include "table/shared_prefix.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

std::string BuildBlock(const Entries& entries, unsigned interval) {
  BlockBuilder builder(interval);
  std::string last;
  for (const Entry& entry : entries) {
    const std::string key = entry.internal();
    builder.Add(key, entry.value, SharedPrefix(last, key));
    last = key;
  }
  const std::size_t promised = builder.bytes();
  std::string block = builder.Finish();
  EXPECT_EQ(promised, block.size());
  return block;
}

// Two letters, the lower of them the type byte that trailers begin with, and
// sometimes several versions: keys run into each other's trailers.
Entries Entangled(unsigned seed) {
  std::mt19937_64 random(seed);
  std::set<std::string> keys;
  for (int i = 0; i < 60; ++i) {
    std::string key;
    for (auto size = random() % 6; size > 0; --size) {
      key.push_back(static_cast<char>(random() % 2));
    }
    keys.insert(key);
  }
  Entries entries;
  for (const std::string& key : keys) {
    for (Sequence sequence = 1 + random() % 3; sequence > 0; --sequence) {
      entries.push_back(
          {key, sequence, ValueType::kValue, std::to_string(entries.size())});
    }
  }
  return entries;
}

std::string Find(const Block& block, Slice user_key, Sequence sequence) {
  const BlockFind found =
      FindInBlock(block, KeyOrder(), LookupKey(user_key, sequence));
  if (found.state == BlockFind::State::kDamaged) return "damaged";
  if (found.state == BlockFind::State::kAbsent) return "absent";
  return std::string("value ").append(found.value);
}

TEST(BlockSearch, FindsWhatACursorFinds) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Entries entries = Entangled(seed);
    const std::string bytes = BuildBlock(entries, seed % 17 + 1);
    Block block;
    ASSERT_TRUE(Block::Parse(bytes, &block));
    for (const Entry& entry : entries) {
      for (const Sequence sequence : {0u, 1u, 2u, 3u, 4u}) {
        for (const char* behind : {"", "\1", "\1\1", "\2"}) {
          const std::string key = entry.user_key + behind;
          ASSERT_EQ(Find(block, key, sequence),
                    Expected(KeyOrder(), entries, key, sequence));
        }
      }
    }
  }
}

// Keys with common beginnings that are longer than what a cursor has memory for
// at first, or as long.
Entries Long(unsigned seed) {
  std::mt19937_64 random(seed);
  std::set<std::string> keys;
  for (int i = 0; i < 40; ++i) {
    std::string key(random() % 3 * 40, 'k');
    for (auto size = random() % 30; size > 0; --size) {
      key.push_back("ab"[random() % 2]);
    }
    keys.insert(key);
  }
  Entries entries;
  for (const std::string& key : keys) {
    entries.push_back({key, 2, ValueType::kValue, key.substr(0, 3)});
  }
  return entries;
}

// Seeks, then walks to the end; both must be as in a list of the entries.
void SeekAndWalk(const Block& block, const Entries& entries, Slice target,
                 bool with_hint) {
  const KeyOrder order;
  BlockCursor cursor;
  cursor.Reset(block);
  if (with_hint) cursor.WillSeek(order, target);
  cursor.Seek(order, target);
  for (const Entry& entry : entries) {
    if (order.Compare(entry.internal(), target) < 0) continue;
    ASSERT_TRUE(cursor.valid());
    ASSERT_EQ(cursor.key(), entry.internal());
    ASSERT_EQ(cursor.value(), entry.value);
    cursor.Next();
  }
  ASSERT_FALSE(cursor.valid());
  ASSERT_FALSE(cursor.damaged());
}

TEST(BlockCursor, SeeksToTheFirstEntryAtOrAfterAKey) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const Entries& entries : {Entangled(seed), Long(seed)}) {
      const std::string bytes = BuildBlock(entries, seed % 17 + 1);
      Block block;
      ASSERT_TRUE(Block::Parse(bytes, &block));
      for (const Entry& entry : entries) {
        for (const char* behind : {"", "\1", "a", "k"}) {
          const LookupKey target(entry.user_key + behind, seed % 4);
          SeekAndWalk(block, entries, target.internal(), seed % 2 == 0);
        }
      }
    }
  }
}

TEST(BlockBuilder, BeginsAnewAfterFinish) {
  BlockBuilder builder(4);
  builder.Add("first", "1", 0);
  const std::string first = builder.Finish();
  EXPECT_TRUE(builder.empty());
  builder.Add("first", "1", 3);  // a block's first key is always whole
  EXPECT_EQ(builder.Finish(), first);
}

TEST(BlockBuilder, WritesAnEmptyBlockAsLevelDbDoes) {
  BlockBuilder builder(16);
  EXPECT_EQ(builder.Finish(), std::string("\0\0\0\0\1\0\0\0", 8));
  EXPECT_EQ(builder.Finish(), std::string("\0\0\0\0\1\0\0\0", 8));
}

TEST(Block, ThatCannotBeOneIsRefused) {
  Block block;
  EXPECT_FALSE(Block::Parse("", &block));
  EXPECT_FALSE(Block::Parse("abc", &block));
  EXPECT_FALSE(Block::Parse(Slice("\2\0\0\0", 4), &block)) << "no restarts";
  EXPECT_FALSE(Block::Parse(Slice("entry\0\0\0\0", 9), &block))
      << "entries that no restart leads to";
  EXPECT_TRUE(Block::Parse(Slice("\0\0\0\0", 4), &block));
}

// Whatever is changed: each step ends, within the bytes, in an entry, at the
// end, or with damaged().
TEST(BlockCursor, SurvivesEveryChangedByte) {
  const Entries entries = Entangled(3);
  const std::string bytes = BuildBlock(entries, 4);
  std::size_t damaged = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      // Memory of its own, so that a step too far is noticed.
      std::vector<char> copy(bytes.begin(), bytes.end());
      copy[i] = static_cast<char>(copy[i] ^ change);
      Block block;
      if (!Block::Parse({copy.data(), copy.size()}, &block)) continue;
      BlockCursor cursor;
      cursor.Reset(block);
      std::size_t steps = 0;
      for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) ++steps;
      ASSERT_LE(steps, bytes.size());
      damaged += cursor.damaged() ? 1u : 0u;
      steps = 0;
      for (cursor.SeekToLast(); cursor.valid(); cursor.Prev()) ++steps;
      ASSERT_LE(steps, bytes.size());
      for (const Entry& entry : entries) {
        cursor.Seek(KeyOrder(), entry.internal());
        (void)Find(block, entry.user_key, entry.sequence);
      }
    }
  }
  EXPECT_GT(damaged, 0u);
}

TEST(SharedPrefix, StopsAtTheFirstDifference) {
  const std::string a(40, 'a');
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::string b = a;
    b[i] = 'b';
    EXPECT_EQ(SharedPrefix(a, b), i);
    EXPECT_EQ(SharedPrefix(a, a.substr(0, i)), i);
    EXPECT_EQ(SharedPrefix(a.substr(0, i), a), i);
  }
}

}  // namespace
}  // namespace tamis::testing
