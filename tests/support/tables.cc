// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tables.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace tamis::testing {

Result<Slice> StringSource::Read(std::uint64_t offset, std::size_t bytes,
                                 std::string* scratch) const {
  if (offset > bytes_.size() || bytes > bytes_.size() - offset) {
    return Status::IoError("string: it ends before");
  }
  const Slice there = Slice(bytes_).substr(offset, bytes);
  if (is_mapped_) return there;
  scratch->assign(there);
  return Slice(*scratch);
}

void Sort(const KeyOrder& order, Entries* entries) {
  std::sort(entries->begin(), entries->end(),
            [&](const Entry& a, const Entry& b) {
              return order.Compare(a.internal(), b.internal()) < 0;
            });
}

std::string BuildTable(const TableWriteOptions& options,
                       const Entries& entries) {
  StringSink sink;
  TableBuilder builder(options, &sink);
  for (const Entry& entry : entries) {
    const Status added = builder.Add(entry.internal(), entry.value);
    EXPECT_TRUE(added.ok()) << added.ToString();
  }
  const Status finished = builder.Finish();
  EXPECT_TRUE(finished.ok()) << finished.ToString();
  EXPECT_EQ(builder.entries(), entries.size());
  EXPECT_EQ(builder.bytes(), sink.bytes().size());
  return sink.bytes();
}

std::unique_ptr<Table> OpenTable(const std::string& bytes, bool mapped,
                                 const TableReadContext& context) {
  auto table = Table::Open(
      context, std::make_unique<StringSource>(bytes, mapped), "t.ldb");
  EXPECT_TRUE(table.ok()) << table.status().ToString();
  return table.ok() ? *std::move(table) : nullptr;
}

namespace {

// The first entry at or after that internal key.
Entries::const_iterator FirstFrom(const KeyOrder& order, const Entries& entries,
                                  Slice internal_key) {
  return std::partition_point(
      entries.begin(), entries.end(), [&](const Entry& entry) {
        return order.Compare(entry.internal(), internal_key) < 0;
      });
}

}  // namespace

std::string Expected(const KeyOrder& order, const Entries& entries,
                     Slice user_key, Sequence sequence) {
  const LookupKey wanted(user_key, sequence);
  const auto found = FirstFrom(order, entries, wanted.internal());
  if (found == entries.end() ||
      order.CompareUser(found->user_key, user_key) != 0) {
    return "absent";
  }
  return found->type == ValueType::kDeletion ? "deletion"
                                             : "value " + found->value;
}

std::string Lookup(const Table& table, Slice user_key, Sequence sequence,
                   const TableFilter* filter, const BlockReadOptions& options) {
  const LookupKey key(user_key, sequence);
  std::string value;
  LookupResult result;
  const Status status = table.Get(key, options, filter, &value, &result);
  if (!status.ok()) return status.ToString();
  switch (result.state) {
    case LookupResult::State::kAbsent:
      return "absent";
    case LookupResult::State::kDeletion:
      return "deletion";
    case LookupResult::State::kValue:
      break;
  }
  return "value " + value;
}

namespace {

std::string At(const InternalIterator& iterator) {
  if (!iterator.Valid()) return "end: " + iterator.status().ToString();
  return std::string(iterator.key()).append("=").append(iterator.value());
}
std::string At(const Entries& entries, std::size_t i) {
  if (i >= entries.size()) return "end: ok";
  return entries[i].internal() + "=" + entries[i].value;
}

void ExpectWalks(InternalIterator* iterator, const Entries& entries) {
  iterator->SeekToFirst();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ASSERT_EQ(At(*iterator), At(entries, i)) << i;
    iterator->Next();
  }
  EXPECT_EQ(At(*iterator), "end: ok");
  iterator->SeekToLast();
  for (std::size_t i = entries.size(); i-- > 0;) {
    ASSERT_EQ(At(*iterator), At(entries, i)) << i;
    iterator->Prev();
  }
  EXPECT_EQ(At(*iterator), "end: ok");
}

// To each entry, to just behind it, and one step from there each way.
void ExpectSeeks(InternalIterator* iterator, const KeyOrder& order,
                 const Entries& entries) {
  const std::size_t step = entries.size() / 300 + 1;
  for (std::size_t i = 0; i < entries.size(); i += step) {
    iterator->Seek(entries[i].internal());
    ASSERT_EQ(At(*iterator), At(entries, i)) << i;
    if (i > 0) {
      iterator->Prev();
      ASSERT_EQ(At(*iterator), At(entries, i - 1)) << i;
      iterator->Next();
      ASSERT_EQ(At(*iterator), At(entries, i)) << i;
    }
    if (!order.is_bytewise()) continue;
    std::string behind;
    AppendInternalKey(&behind, entries[i].user_key + '\0', 7,
                      ValueType::kValue);
    const auto next = FirstFrom(order, entries, behind);
    iterator->Seek(behind);
    ASSERT_EQ(At(*iterator),
              At(entries, static_cast<std::size_t>(next - entries.begin())));
  }
}

}  // namespace

void ExpectTableHolds(const Table& table, const KeyOrder& order,
                      const Entries& entries) {
  const auto iterator = table.NewIterator({});
  EXPECT_EQ(At(*iterator), "end: ok");
  ExpectWalks(iterator.get(), entries);
  ExpectSeeks(iterator.get(), order, entries);
  const std::size_t step = entries.size() / 300 + 1;
  for (std::size_t i = 0; i < entries.size(); i += step) {
    const Entry& entry = entries[i];
    for (const Sequence sequence : {kMaxSequence, entry.sequence + 1,
                                    entry.sequence, entry.sequence - 1}) {
      for (const std::string& key :
           {entry.user_key, entry.user_key + '\0', entry.user_key + "\xff",
            entry.user_key.substr(0, entry.user_key.size() / 2)}) {
        ASSERT_EQ(Lookup(table, key, sequence),
                  Expected(order, entries, key, sequence))
            << i << " sequence " << sequence;
      }
    }
  }
}

}  // namespace tamis::testing
