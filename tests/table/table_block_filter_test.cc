// SPDX-License-Identifier: Apache-2.0
// A filter for each data block: it saves reads, and changes no answer.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/crc32c.h"
#include "formats/tamis/line_view.h"
#include "table/block_file.h"
#include "table/table_meta.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

constexpr std::uint64_t kSeed = 99;

// Versions of a key are often in two blocks, and some in many.
Entries VersionedEntries() {
  Entries entries;
  for (unsigned i = 100; i < 300; ++i) {
    const Sequence versions = i % 50 == 0 ? 40 : i % 4 + 1;
    for (Sequence sequence = versions; sequence > 0; --sequence) {
      entries.push_back({"key" + std::to_string(i), sequence,
                         i % 7 == 0 ? ValueType::kDeletion : ValueType::kValue,
                         "value of " + std::to_string(i)});
    }
  }
  return entries;
}

std::string TableOf(const Entries& entries, unsigned bits,
                    Compression codec = Compression::kNone,
                    std::size_t block_bytes = 200) {
  TableWriteOptions options;
  options.block_bytes = block_bytes;
  options.compression = codec;
  options.block_filter_bits = bits;
  options.block_filter_seed = kSeed;
  return BuildTable(options, entries);
}

struct Answer {
  std::string text;
  LookupResult result;
};

Answer Ask(const Table& table, const HeldBlockFilter* filter, Slice user_key,
           Sequence sequence, bool only_counts = false) {
  BlockReadOptions options;
  options.block_filter = filter;
  options.block_filter_hash = LineHash(user_key, kSeed);
  options.only_counts_block_filter = only_counts;
  Answer answer;
  answer.text = Lookup(table, user_key, sequence, nullptr, options);
  std::string value;
  EXPECT_TRUE(table
                  .Get(LookupKey(user_key, sequence), options, nullptr, &value,
                       &answer.result)
                  .ok());
  return answer;
}

TEST(TableBlockFilter, ChangesNoAnswer) {
  const Entries entries = VersionedEntries();
  for (const Compression codec : {Compression::kNone, Compression::kSnappy}) {
    for (const std::size_t block_bytes : {1u, 200u, 4096u}) {
      const auto table = OpenTable(TableOf(entries, 10, codec, block_bytes));
      const auto filter = table->ReadBlockFilter();
      ASSERT_NE(filter, nullptr);
      ASSERT_TRUE(filter->is_held()) << filter->damage().ToString();
      std::uint64_t spared = 0;
      for (const Entry& entry : entries) {
        for (const std::string& key :
             {entry.user_key, entry.user_key + "x", "a" + entry.user_key}) {
          for (const Sequence sequence :
               {kMaxSequence, entry.sequence, entry.sequence - 1}) {
            const std::string right =
                Expected(KeyOrder(), entries, key, sequence);
            const Answer answer = Ask(*table, filter.get(), key, sequence);
            ASSERT_EQ(answer.text, right) << key << " at " << sequence;
            EXPECT_EQ(Ask(*table, filter.get(), key, sequence, true).text,
                      right);
            if (answer.result.block_layer_absent) {
              ++spared;
              EXPECT_EQ(answer.result.blocks_read, 0u);
            }
          }
        }
      }
      EXPECT_GT(spared, entries.size()) << "most absent keys are ruled out";
    }
  }
}

TEST(TableBlockFilter, ThatIsOnlyCountedReadsTheBlock) {
  const auto table = OpenTable(TableOf(VersionedEntries(), 16));
  const auto filter = table->ReadBlockFilter();
  const Answer answer = Ask(*table, filter.get(), "key150x", 9, true);
  EXPECT_EQ(answer.result.block_layer, LookupResult::BlockLayer::kOwn);
  EXPECT_TRUE(answer.result.block_layer_absent);
  EXPECT_EQ(answer.result.blocks_read, 1u);
}

TEST(TableBlockFilter, IsNotThereUnlessRequested) {
  const Entries entries = VersionedEntries();
  EXPECT_EQ(OpenTable(TableOf(entries, 0))->ReadBlockFilter(), nullptr);
  const auto traits_with = [&](unsigned bits) {
    return *OpenTable(TableOf(entries, bits))->ReadTraits();
  };
  EXPECT_FALSE(traits_with(0).has_block_filter);
  EXPECT_TRUE(traits_with(1).has_block_filter);
}

TEST(TableBlockFilter, OfATableWithoutEntriesRulesNothingOut) {
  const auto table = OpenTable(TableOf({}, 10));
  const auto filter = table->ReadBlockFilter();
  ASSERT_NE(filter, nullptr);
  EXPECT_TRUE(filter->damage().ok());
  EXPECT_TRUE(filter->MayContain(0, 1));
}

// Where the filter of the blocks is, in a table that has one.
BlockHandle PlaceOf(const std::string& table) {
  const StringSource file(table);
  std::vector<MetaEntry> entries;
  EXPECT_TRUE(ReadMetaindex(file, *ReadFooter(file), &entries).ok());
  for (const MetaEntry& entry : entries) {
    if (entry.name == kBlockFilterMeta) return entry.handle;
  }
  ADD_FAILURE() << "no filter of the blocks";
  return {};
}

// Changes the filter, whose own checksum and that of its block fit again.
std::string WithNumberAt(std::string table, std::size_t at,
                         std::uint64_t number) {
  const BlockHandle place = PlaceOf(table);
  char* const filter = table.data() + place.offset;
  StoreLittle(filter + at, number);
  const Slice sealed = Slice(table).substr(place.offset + 12, place.size - 12);
  StoreLittle(filter + 8, Crc32c(sealed));
  const Slice covered = Slice(table).substr(place.offset, place.size + 1);
  StoreLittle(filter + place.size + 1, MaskCrc32c(Crc32c(covered)));
  return table;
}

TEST(TableBlockFilter, ForAnotherNumberOfBlocksOrOfALaterVersionSaysMaybe) {
  const Entries entries = VersionedEntries();
  const std::string bytes = TableOf(entries, 10);
  const StringSource whole(bytes);
  EXPECT_EQ(CheckTable({}, whole).problems.size(), 0u);
  EXPECT_EQ(CheckTable({}, whole).filters, 1u);
  for (const std::size_t at : {24u, 48u}) {
    const std::string changed = WithNumberAt(bytes, at, 3);
    const auto table = OpenTable(changed);
    const auto filter = table->ReadBlockFilter();
    ASSERT_NE(filter, nullptr);
    EXPECT_FALSE(filter->damage().ok());
    EXPECT_FALSE(filter->is_held());
    EXPECT_TRUE(filter->MayContain(0, LineHash("absent", kSeed)));
    const StringSource file(changed);
    EXPECT_EQ(CheckTable({}, file).problems.size(), 1u);
    EXPECT_EQ((*table->ReadTraits()).has_damaged_filter, at == 48u);
  }
}

TEST(TableBlockFilter, ThatHidesKeysIsFoundByACheck) {
  const std::string bytes = TableOf(VersionedEntries(), 10);
  // With another seed it has other keys.
  const std::string changed = WithNumberAt(bytes, 16, kSeed + 1);
  const StringSource file(changed);
  const TableCheck check = CheckTable({}, file);
  ASSERT_EQ(check.problems.size(), 1u);
  EXPECT_NE(check.problems[0].find("hides"), std::string::npos);
  EXPECT_EQ(check.filters, 0u);
}

TEST(TableBlockFilter, IsHeldOnlyWhereThereIsRoom) {
  FilterRoom room;
  TableReadContext context;
  context.room = &room;
  const auto table = OpenTable(TableOf(VersionedEntries(), 10), true, context);
  {
    const auto held = table->ReadBlockFilter();
    EXPECT_TRUE(held->is_held());
    EXPECT_EQ(room.held(), held->bytes());
    EXPECT_EQ(held->stored_bytes(), held->bytes());
  }
  EXPECT_EQ(room.held(), 0u);
  room.set_limit(300);
  const auto not_held = table->ReadBlockFilter();
  EXPECT_FALSE(not_held->is_held());
  EXPECT_TRUE(not_held->damage().ok());
  EXPECT_GT(not_held->stored_bytes(), 300u);
  EXPECT_TRUE(not_held->MayContain(0, 1));
  EXPECT_EQ(room.held(), 0u);
}

}  // namespace
}  // namespace tamis::testing
