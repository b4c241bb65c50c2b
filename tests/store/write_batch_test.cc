// SPDX-License-Identifier: Apache-2.0
#include "tamis/write_batch.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "store/batch_access.h"

namespace tamis {
namespace {

// The changes as text, "put(k,v) delete(k) ".
class Writer final : public WriteBatch::Handler {
 public:
  void Put(Slice key, Slice value) override {
    text += "put(" + std::string(key) + "," + std::string(value) + ") ";
  }
  void Delete(Slice key) override {
    text += "delete(" + std::string(key) + ") ";
  }
  std::string text;
};

std::string TextOf(const WriteBatch& batch) {
  Writer writer;
  const Status status = batch.ForEach(&writer);
  return status.ok() ? writer.text : status.ToString();
}

// A header with that count, and the changes.
std::string Contents(char count, std::string_view changes) {
  std::string contents("\0\0\0\0\0\0\0\0\0\0\0\0", kBatchHeaderBytes);
  contents[kBatchCountAt] = count;
  return contents.append(changes);
}

TEST(WriteBatch, IsEmptyAtFirst) {
  const WriteBatch batch;
  EXPECT_EQ(batch.count(), 0u);
  EXPECT_EQ(batch.contents(), std::string(kBatchHeaderBytes, '\0'));
  EXPECT_EQ(TextOf(batch), "");
}

TEST(WriteBatch, HasLevelDbsBytes) {
  WriteBatch batch;
  batch.Put("key", "value");
  batch.Delete("k");
  BatchAccess::SetSequence(&batch, 0x0102030405060708);
  EXPECT_EQ(batch.contents(), Slice("\x08\x07\x06\x05\x04\x03\x02\x01\x02\0\0\0"
                                    "\x01\x03key\x05value\0\x01k",
                                    26));
  EXPECT_EQ(batch.bytes(), 26u);
  EXPECT_EQ(BatchAccess::sequence(batch), 0x0102030405060708u);
  EXPECT_EQ(BatchAccess::count(batch), 2u);
}

TEST(WriteBatch, GivesChangesOfAllSizesInOrder) {
  WriteBatch batch;
  std::string expected;
  std::uint32_t count = 0;
  for (const std::size_t key : {0u, 1u, 127u, 128u, 20'000u}) {
    for (const std::size_t value :
         {0u, 1u, 127u, 128u, 1024u, 1025u, 100'000u}) {
      const std::string k(key, 'k');
      const std::string v(value, 'v');
      batch.Put(k, v);
      batch.Delete(k);
      expected += "put(" + k + "," + v + ") delete(" + k + ") ";
      count += 2;
    }
  }
  EXPECT_EQ(batch.count(), count);
  EXPECT_EQ(TextOf(batch), expected);
}

TEST(WriteBatch, AppendsAnother) {
  WriteBatch a;
  WriteBatch b;
  a.Append(b);
  EXPECT_EQ(a.count(), 0u);
  b.Put("b", "1");
  BatchAccess::SetSequence(&a, 7);
  a.Append(b);
  a.Append(b);
  b.Delete("c");
  a.Append(b);
  EXPECT_EQ(TextOf(a), "put(b,1) put(b,1) put(b,1) delete(c) ");
  EXPECT_EQ(BatchAccess::sequence(a), 7u);
  b.Append(b);
  EXPECT_EQ(TextOf(b), "put(b,1) delete(c) put(b,1) delete(c) ");
  b.Clear();
  EXPECT_EQ(TextOf(b), "");
}

TEST(WriteBatch, CanBeUsedAfterItWasMovedFrom) {
  WriteBatch from;
  from.Put("a", "1");
  const WriteBatch to = std::move(from);
  EXPECT_EQ(TextOf(to), "put(a,1) ");
  // NOLINTBEGIN(bugprone-use-after-move): that is the point
  EXPECT_EQ(from.count(), 0u);
  EXPECT_EQ(TextOf(from), "");
  from.Put("b", "2");
  EXPECT_EQ(TextOf(from), "put(b,2) ");
  // NOLINTEND(bugprone-use-after-move)
}

TEST(WriteBatch, ComesBackFromItsBytes) {
  WriteBatch batch;
  batch.Put("key", "value");
  batch.Delete("k");
  BatchAccess::SetSequence(&batch, 99);
  const auto back = WriteBatch::FromContents(std::string(batch.contents()));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->contents(), batch.contents());
  EXPECT_EQ(TextOf(*back), "put(key,value) delete(k) ");
}

TEST(WriteBatch, RefusesBytesThatAreNone) {
  const std::string good = Contents(2, std::string_view("\1\1k\1v\0\1k", 8));
  ASSERT_TRUE(WriteBatch::FromContents(good).ok());
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto cut = WriteBatch::FromContents(good.substr(0, size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.status().code(), StatusCode::kCorruption);
  }
  const std::string_view two("\1\1k\1v\0\1k", 8);
  for (const std::string& bad :
       {Contents(1, two), Contents(3, two),           // miscounted
        Contents(1, "\2\1k\1v"),                      // unknown type
        Contents(1, "\1\1k\x7fv"),                    // value too long
        Contents(1, "\1\xff\xff\xff\xff\xff\1k\1v"),  // no varint
        Contents(1, "\1\xff\xff\xff\xff\x0fk\1v"),    // key too long
        Contents(0, "x"), Contents('\xff', "")}) {
    const auto batch = WriteBatch::FromContents(bad);
    ASSERT_FALSE(batch.ok());
    EXPECT_EQ(batch.status().code(), StatusCode::kCorruption);
  }
}

TEST(WriteBatch, VisitsNoMoreChangesThanItCounts) {
  int visited = 0;
  const std::string contents =
      Contents(1, std::string_view("\1\1k\1v\0\1k", 8));
  const Status status =
      ForEachChange(contents, [&](ValueType, Slice, Slice) { ++visited; });
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_EQ(visited, 1);
}

}  // namespace
}  // namespace tamis
