// SPDX-License-Identifier: Apache-2.0
// What a builder wrote, a reader finds: over many shapes of tables.

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "table/compression.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

std::string RandomBytes(std::mt19937_64* random, std::size_t size,
                        unsigned letters) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) {
    bytes.push_back(static_cast<char>((*random)() % letters));
  }
  return bytes;
}

std::string Number(std::size_t i) {
  std::string digits = std::to_string(i);
  return std::string(8 - digits.size(), '0') + digits;
}

Entries Ordered(std::size_t count, std::size_t value_bytes) {
  Entries entries;
  for (std::size_t i = 0; i < count; ++i) {
    entries.push_back({"key" + Number(i * 3), i % 11 + 1,
                       i % 9 == 0 ? ValueType::kDeletion : ValueType::kValue,
                       std::string(value_bytes, 'v') + Number(i)});
  }
  return entries;
}

// Few letters make keys that begin alike, and the lowest ones look like the
// trailers of others.
Entries Random(std::size_t count, std::size_t longest_key, unsigned letters) {
  std::mt19937_64 random(count * 31 + letters);
  std::set<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) {
    keys.insert(RandomBytes(&random, random() % (longest_key + 1), letters));
  }
  Entries entries;
  for (const std::string& key : keys) {
    entries.push_back({key, random() % 1000 + 1, ValueType::kValue,
                       RandomBytes(&random, random() % 50, 256)});
  }
  return entries;
}

Entries ManyVersions(std::size_t keys, std::size_t versions) {
  Entries entries;
  for (std::size_t i = 0; i < keys; ++i) {
    for (std::size_t v = versions; v > 0; --v) {
      entries.push_back({"k" + Number(i), v * 3,
                         v % 4 == 0 ? ValueType::kDeletion : ValueType::kValue,
                         "version " + std::to_string(v)});
    }
  }
  return entries;
}

Entries AllAlike() {
  Entries entries;
  for (std::size_t i = 0; i < 800; ++i) {
    entries.push_back(
        {std::string(300, 'x') + Number(i), 5, ValueType::kValue, "small"});
  }
  entries.push_back({"y", 5, ValueType::kValue, "the odd one"});
  return entries;
}

struct Shape {
  const char* name;
  Entries entries;
};

std::vector<Shape> Shapes() {
  return {
      {"nothing", {}},
      {"one", {{"k", 1, ValueType::kValue, "v"}}},
      {"empty_key",
       {{"", 9, ValueType::kValue, "nine"},
        {"", 4, ValueType::kDeletion, ""},
        {"", 2, ValueType::kValue, ""},
        {std::string(1, '\0'), 3, ValueType::kValue, "zero"}}},
      {"ordered", Ordered(2000, 40)},
      {"tiny_alphabet", Random(1500, 12, 2)},
      {"binary", Random(2000, 30, 256)},
      {"long_keys", Random(200, 3000, 3)},
      {"large_values", Ordered(4, 1 << 20)},
      {"versions", ManyVersions(60, 40)},
      {"all_alike", AllAlike()},
  };
}

class TableRoundTrip : public ::testing::TestWithParam<Shape> {};

TEST_P(TableRoundTrip, FindsWhatWasWritten) {
  TableWriteOptions options;
  options.block_bytes = 1000;
  for (const unsigned interval : {1u, 2u, 5u, 16u}) {
    options.restart_interval = interval;
    const std::string bytes = BuildTable(options, GetParam().entries);
    ExpectTableHolds(*OpenTable(bytes), KeyOrder(), GetParam().entries);
  }
}

TEST_P(TableRoundTrip, FindsItByEveryWayOfReading) {
  const auto cache = NewBlockCache(1 << 20);
  for (const Compression codec :
       {Compression::kNone, Compression::kSnappy, Compression::kZstd}) {
    TableWriteOptions options;
    options.compression = codec;
    const std::string bytes = BuildTable(options, GetParam().entries);
    for (const bool mapped : {false, true}) {
      TableReadContext context;
      ExpectTableHolds(*OpenTable(bytes, mapped, context), KeyOrder(),
                       GetParam().entries);
      context.cache = cache.get();
      ExpectTableHolds(*OpenTable(bytes, mapped, context), KeyOrder(),
                       GetParam().entries);
      EXPECT_EQ(cache->bytes(), 0u) << "a closed table's blocks are forgotten";
    }
  }
}

TEST_P(TableRoundTrip, HasFiltersThatKnowEveryKey) {
  for (const char* spec :
       {"bloom:10", "splitblock:10", "rocksdb-ribbon:10", "leveldb:10"}) {
    const auto policy = *MakePolicy(spec);
    TableWriteOptions options;
    options.filter = policy.get();
    options.leveldb_filter_bits = 10;
    const std::string bytes = BuildTable(options, GetParam().entries);
    const StringSource file(bytes);
    const TableCheck check = CheckTable({}, file);
    EXPECT_TRUE(check.problems.empty()) << check.problems.front();
    EXPECT_EQ(check.entries, GetParam().entries.size());
    EXPECT_EQ(check.filters, 2u);
    const auto table = OpenTable(bytes);
    const auto filter = table->ReadFilter();
    for (const Entry& entry : GetParam().entries) {
      ASSERT_TRUE(filter->MayContain(entry.user_key)) << spec;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, TableRoundTrip, ::testing::ValuesIn(Shapes()),
                         [](const auto& instance) {
                           return std::string(instance.param.name);
                         });

class Backwards final : public Comparator {
 public:
  std::string_view name() const noexcept override { return "backwards"; }
  int Compare(Slice a, Slice b) const noexcept override { return b.compare(a); }
};

TEST(TableOrder, FollowsAComparatorOfOnesOwn) {
  const Backwards backwards;
  const KeyOrder order(backwards);
  for (const Shape& shape : Shapes()) {
    Entries entries = shape.entries;
    Sort(order, &entries);
    TableWriteOptions options;
    options.order = order;
    options.block_bytes = 500;
    TableReadContext context;
    context.order = order;
    const std::string bytes = BuildTable(options, entries);
    ExpectTableHolds(*OpenTable(bytes, true, context), order, entries);
  }
}

TEST(TableOffsets, RiseWithTheKeysAndEndAtTheFile) {
  const Entries entries = Ordered(2000, 40);
  const std::string bytes = BuildTable({}, entries);
  const auto table = OpenTable(bytes);
  std::uint64_t before = 0;
  for (const Entry& entry : entries) {
    const std::uint64_t offset = table->ApproximateOffsetOf(entry.internal());
    EXPECT_GE(offset, before);
    before = offset;
  }
  EXPECT_GT(before, bytes.size() * 9 / 10);
  const LookupKey after("z", 1);
  EXPECT_EQ(table->ApproximateOffsetOf(after.internal()), bytes.size());
}

TEST(TableSamples, CutTheTableIntoEqualPieces) {
  const Entries entries = Ordered(3000, 40);
  const auto table = OpenTable(BuildTable({}, entries));
  const std::vector<std::string> keys = table->SampleKeys(4);
  ASSERT_EQ(keys.size(), 4u);
  std::size_t before = 0;
  for (const std::string& key : keys) {
    const auto upto = static_cast<std::size_t>(std::count_if(
        entries.begin(), entries.end(),
        [&](const Entry& entry) { return entry.user_key <= key; }));
    EXPECT_NEAR(static_cast<double>(upto - before), 600, 100);
    before = upto;
  }
  EXPECT_LE(table->SampleKeys(100000).size(), 3000u);
  EXPECT_TRUE(OpenTable(BuildTable({}, {}))->SampleKeys(3).empty());
  EXPECT_TRUE(table->SampleKeys(0).empty());
}

TEST(TableCompression, MakesTablesSmaller) {
  const Entries entries = Ordered(2000, 100);
  const std::size_t raw = BuildTable({}, entries).size();
  for (const Compression codec : {Compression::kSnappy, Compression::kZstd}) {
    TableWriteOptions options;
    options.compression = codec;
    const std::size_t size = BuildTable(options, entries).size();
    if (CanCompress(codec)) {
      EXPECT_LT(size, raw / 3);
    } else {
      EXPECT_EQ(size, raw);
    }
  }
}

TEST(TableCompression, LeavesRawWhatItCannotMakeSmaller) {
  std::mt19937_64 random(1);
  Entries entries;
  for (std::size_t i = 0; i < 100; ++i) {
    entries.push_back({"k" + Number(i), 1, ValueType::kValue,
                       RandomBytes(&random, 3000, 256)});
  }
  TableWriteOptions options;
  options.compression = Compression::kSnappy;
  const std::string bytes = BuildTable(options, entries);
  const auto cache = NewBlockCache(1 << 20);
  TableReadContext context;
  context.cache = cache.get();
  ExpectTableHolds(*OpenTable(bytes, true, context), KeyOrder(), entries);
  EXPECT_EQ(cache->misses(), 0u) << "no data block is compressed";
}

}  // namespace
}  // namespace tamis::testing
