// SPDX-License-Identifier: Apache-2.0
#include "store/version_edit.h"

#include <string>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "tests/store/log_files.h"
#include "tests/support/golden.h"

namespace tamis::testing {
namespace {

std::string Key(Slice user, Sequence sequence,
                ValueType type = ValueType::kValue) {
  std::string key;
  AppendInternalKey(&key, user, sequence, type);
  return key;
}

std::string Encode(const VersionEdit& edit) {
  std::string bytes;
  edit.AppendTo(&bytes);
  return bytes;
}

VersionEdit WholeEdit() {
  VersionEdit edit;
  edit.comparator = "leveldb.BytewiseComparator";
  edit.log_number = 9;
  edit.previous_log_number = 0;
  edit.next_file_number = 1'000'000'000'000;
  edit.last_sequence = kMaxSequence;
  edit.compact_pointers = {{0, Key("m", 5)}, {6, Key("", 0)}};
  edit.removed = {{0, 3}, {6, ~std::uint64_t{0}}};
  edit.added = {{0, {7, 4096, Key("a", 1), Key("z", 2, ValueType::kDeletion)}},
                {6, {8, std::uint64_t{1} << 40, Key("b", 3), Key("b", 3)}}};
  return edit;
}

void ExpectRefused(Slice record, std::string_view about) {
  const auto parsed = VersionEdit::Parse(record);
  ASSERT_EQ(parsed.status().code(), StatusCode::kCorruption) << about;
  EXPECT_NE(parsed.status().message().find(about), std::string::npos)
      << parsed.status().ToString();
}

TEST(VersionEdit, ReadsAndWritesLevelDbsOwn) {
  // LevelDB 1.23's manifest of a new database that got a log.
  const std::string manifest = FromHex(
      "56f9b8f81c0001011a6c6576656c64622e4279746577697365436f6d7061"
      "7261746f72a49c8bbe0800010203090003040400");
  const Found found = ReadLog(manifest);
  ASSERT_EQ(found.records.size(), 2u);
  const auto first = VersionEdit::Parse(found.records[0]);
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_EQ(first->comparator, "leveldb.BytewiseComparator");
  const auto second = VersionEdit::Parse(found.records[1]);
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_EQ(second->log_number, 3u);
  EXPECT_EQ(second->previous_log_number, 0u);
  EXPECT_EQ(second->next_file_number, 4u);
  EXPECT_EQ(second->last_sequence, 0u);
  EXPECT_EQ(LogOf({Encode(*first), Encode(*second)}), manifest);
}

TEST(VersionEdit, ParsesWhatItWrote) {
  EXPECT_EQ(Encode(VersionEdit()), "");
  ASSERT_TRUE(VersionEdit::Parse("").ok());
  const VersionEdit edit = WholeEdit();
  const auto parsed = VersionEdit::Parse(Encode(edit));
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
  EXPECT_EQ(parsed->comparator, edit.comparator);
  EXPECT_EQ(parsed->log_number, edit.log_number);
  EXPECT_EQ(parsed->previous_log_number, edit.previous_log_number);
  EXPECT_EQ(parsed->next_file_number, edit.next_file_number);
  EXPECT_EQ(parsed->last_sequence, edit.last_sequence);
  EXPECT_EQ(parsed->compact_pointers, edit.compact_pointers);
  EXPECT_EQ(parsed->removed, edit.removed);
  ASSERT_EQ(parsed->added.size(), edit.added.size());
  for (std::size_t i = 0; i < edit.added.size(); ++i) {
    EXPECT_EQ(parsed->added[i].first, edit.added[i].first);
    const FileMetadata& file = parsed->added[i].second;
    EXPECT_EQ(file.number, edit.added[i].second.number);
    EXPECT_EQ(file.bytes, edit.added[i].second.bytes);
    EXPECT_EQ(file.smallest, edit.added[i].second.smallest);
    EXPECT_EQ(file.largest, edit.added[i].second.largest);
  }
}

TEST(VersionEdit, AppendsToWhatIsThere) {
  std::string bytes = "before";
  WholeEdit().AppendTo(&bytes);
  EXPECT_EQ(bytes, "before" + Encode(WholeEdit()));
}

TEST(VersionEdit, EveryCutIsRefusedOrEndsBetweenItems) {
  const std::string whole = Encode(WholeEdit());
  std::size_t between_items = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto parsed = VersionEdit::Parse(Slice(whole).substr(0, size));
    if (!parsed.ok()) continue;
    ++between_items;
    EXPECT_EQ(Encode(*parsed), whole.substr(0, size));
  }
  EXPECT_EQ(between_items, 11u);
}

TEST(VersionEdit, UnknownTagsAreRefused) {
  for (const std::uint32_t tag : {0u, 8u, 10u, 100u, ~0u}) {
    std::string record;
    AppendVarint32(&record, tag);
    AppendVarint32(&record, 1);
    ExpectRefused(record, "tag");
  }
  ExpectRefused("\x80", "tag");
}

TEST(VersionEdit, ALevelBeyondTheLastIsRefused) {
  const VersionEdit edit = WholeEdit();
  for (const char tag : {'\x05', '\x06', '\x07'}) {
    VersionEdit one;
    if (tag == 5) one.compact_pointers = {edit.compact_pointers[1]};
    if (tag == 6) one.removed = {edit.removed[1]};
    if (tag == 7) one.added = {edit.added[1]};
    std::string record = Encode(one);
    ASSERT_EQ(record[0], tag);
    ASSERT_TRUE(VersionEdit::Parse(record).ok());
    record[1] = 7;
    EXPECT_FALSE(VersionEdit::Parse(record).ok());
  }
}

TEST(VersionEdit, AKeyThatIsNoInternalKeyIsRefused) {
  std::string unknown_type = Key("k", 1);
  unknown_type[1] = 2;
  for (const std::string& bad :
       {std::string(), std::string(7, 'k'), unknown_type}) {
    VersionEdit pointer;
    pointer.compact_pointers = {{1, bad}};
    ExpectRefused(Encode(pointer), "compaction pointer");
    VersionEdit edit;
    edit.added = {{1, {1, 2, bad, Key("z", 1)}}};
    ExpectRefused(Encode(edit), "added file");
    edit.added = {{1, {1, 2, Key("a", 1), bad}}};
    ExpectRefused(Encode(edit), "added file");
  }
}

TEST(VersionEdit, ASequenceOfMoreThan56BitsIsRefused) {
  VersionEdit edit;
  edit.last_sequence = kMaxSequence + 1;
  ExpectRefused(Encode(edit), "sequence");
}

TEST(VersionEdit, IsALinePerItemForPeople) {
  EXPECT_EQ(
      WholeEdit().ToText(),
      "comparator leveldb.BytewiseComparator\n"
      "log 9\n"
      "previous log 0\n"
      "next file 1000000000000\n"
      "last sequence 72057594037927935\n"
      "compact pointer, level 0: 'm' @ 5\n"
      "compact pointer, level 6: '' @ 0\n"
      "removed, level 0: file 3\n"
      "removed, level 6: file 18446744073709551615\n"
      "added, level 0: file 7, 4096 bytes, 'a' @ 1 to 'z' @ 2 deleted\n"
      "added, level 6: file 8, 1099511627776 bytes, 'b' @ 3 to 'b' @ 3\n");
  VersionEdit odd;
  odd.compact_pointers = {{1, Key(Slice("\0'\xff\\", 4), 1)}};
  EXPECT_EQ(odd.ToText(),
            "compact pointer, level 1: '\\x00\\x27\\xff\\x5c' @ 1\n");
}

}  // namespace
}  // namespace tamis::testing
