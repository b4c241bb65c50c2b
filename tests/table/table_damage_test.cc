// SPDX-License-Identifier: Apache-2.0
// Bytes that were changed or lost: noticed, or without effect.

#include <gtest/gtest.h>

#include "formats/tamis/line_view.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

Entries FewEntries() {
  Entries entries;
  for (unsigned i = 10; i < 40; ++i) {
    for (Sequence sequence = i % 3 + 1; sequence > 0; --sequence) {
      entries.push_back({"key" + std::to_string(i), sequence,
                         i % 7 == 0 ? ValueType::kDeletion : ValueType::kValue,
                         "value of " + std::to_string(i)});
    }
  }
  return entries;
}

std::string SmallTable(Compression codec, const FilterPolicy* filter) {
  TableWriteOptions options;
  options.block_bytes = 300;
  options.restart_interval = 4;
  options.compression = codec;
  options.filter = filter;
  options.leveldb_filter_bits = 10;
  options.block_filter_bits = 10;
  options.range_filter_bits = 8;
  return BuildTable(options, FewEntries());
}

// Every answer is right, or an error.
void ExpectNoLie(const Table& table, const Entries& entries) {
  const auto filter = table.ReadFilter();
  const auto block_filter = table.ReadBlockFilter();
  BlockReadOptions options;
  options.block_filter = block_filter.get();
  for (const Entry& entry : entries) {
    if (block_filter != nullptr) {
      options.block_filter_hash =
          LineHash(entry.user_key, block_filter->seed());
    }
    const std::string right =
        Expected(KeyOrder(), entries, entry.user_key, entry.sequence);
    ASSERT_TRUE(filter->MayContain(entry.user_key));
    const std::string said =
        Lookup(table, entry.user_key, entry.sequence, filter.get(), options);
    if (said == right) continue;
    ASSERT_EQ(said.rfind("corruption: t.ldb", 0), 0u) << said;
  }
  const auto iterator = table.NewIterator({});
  std::size_t i = 0;
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next(), ++i) {
    ASSERT_LT(i, entries.size());
    ASSERT_EQ(iterator->key(), entries[i].internal());
    ASSERT_EQ(iterator->value(), entries[i].value);
  }
  ASSERT_EQ(iterator->status().ok(), i == entries.size());
}

class TableDamage : public ::testing::TestWithParam<Compression> {};

TEST_P(TableDamage, OfAnyBitIsNoticedOrHarmless) {
  const auto policy = *MakePolicy("bloom:10");
  const std::string bytes = SmallTable(GetParam(), policy.get());
  const Entries entries = FewEntries();
  std::size_t opened = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    auto table = Table::Open(
        {}, std::make_unique<StringSource>(damaged, bit % 2 == 0), "t.ldb");
    if (!table.ok()) {
      ASSERT_EQ(table.status().message().rfind("t.ldb: ", 0), 0u);
      continue;
    }
    ++opened;
    ASSERT_NO_FATAL_FAILURE(ExpectNoLie(**table, entries)) << "bit " << bit;
  }
  EXPECT_GT(opened, bytes.size()) << "most bits are those of data and filters";
}

TEST_P(TableDamage, OfAnyBitButPaddingIsFoundByCheckTable) {
  const auto policy = *MakePolicy("bloom:10");
  const std::string bytes = SmallTable(GetParam(), policy.get());
  std::size_t missed = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const StringSource file(damaged);
    missed += CheckTable({}, file).problems.empty() ? 1u : 0u;
  }
  // Nobody reads the zeros that fill up the footer.
  EXPECT_LE(missed, 40u * 8u);
  EXPECT_GT(missed, 0u);
}

TEST_P(TableDamage, ByLosingItsEndIsNoticed) {
  const std::string bytes = SmallTable(GetParam(), nullptr);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto table = Table::Open(
        {}, std::make_unique<StringSource>(bytes.substr(0, size)), "t.ldb");
    ASSERT_FALSE(table.ok()) << size;
    ASSERT_EQ(table.status().code(), StatusCode::kCorruption);
    const StringSource file(bytes.substr(0, size));
    ASSERT_EQ(CheckTable({}, file).problems.size(), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, TableDamage,
                         ::testing::Values(Compression::kNone,
                                           Compression::kSnappy,
                                           Compression::kZstd),
                         [](const auto& instance) {
                           return std::to_string(
                               static_cast<int>(instance.param));
                         });

// A block that is verified once is believed until it is asked for again with
// checksums.
TEST(TableChecksums, AreVerifiedOnceOrEachTime) {
  const std::string bytes = SmallTable(Compression::kNone, nullptr);
  std::string memory = bytes;
  class View final : public ReadableFile {
   public:
    explicit View(Slice bytes) : bytes_(bytes) {}
    std::uint64_t size() const noexcept override { return bytes_.size(); }
    Result<Slice> Read(std::uint64_t offset, std::size_t size,
                       std::string* /*scratch*/) const override {
      return bytes_.substr(offset, size);
    }
    Slice mapped() const noexcept override { return bytes_; }

   private:
    Slice bytes_;
  };
  auto table = Table::Open({}, std::make_unique<View>(memory), "t.ldb");
  ASSERT_TRUE(table.ok());
  const std::string first = Lookup(**table, "key10", 9);
  ASSERT_EQ(first, "value value of 10");
  const std::size_t at = memory.find("value of 10");
  memory[at] = 'V';
  EXPECT_EQ(Lookup(**table, "key10", 9), "value Value of 10");
  BlockReadOptions options;
  options.verify_checksums = true;
  EXPECT_EQ(Lookup(**table, "key10", 9, nullptr, options),
            "corruption: t.ldb: the block at offset 0 does not match its "
            "checksum");
}

TEST(TableBuilder, RefusesKeysThatAreOutOfOrder) {
  const Entry b{"b", 5, ValueType::kValue, "value"};
  for (const Entry& wrong : {Entry{"a", 5, ValueType::kValue, ""}, b,
                             Entry{"b", 6, ValueType::kValue, ""},
                             Entry{"", 9, ValueType::kDeletion, ""}}) {
    StringSink sink;
    TableBuilder builder({}, &sink);
    ASSERT_TRUE(builder.Add(b.internal(), b.value).ok());
    EXPECT_EQ(builder.Add(wrong.internal(), "").code(),
              StatusCode::kCorruption);
    EXPECT_EQ(builder.Finish().code(), StatusCode::kCorruption);
    EXPECT_EQ(builder.entries(), 1u);
  }
  StringSink sink;
  TableBuilder builder({}, &sink);
  EXPECT_EQ(builder.Add("short", "").code(), StatusCode::kCorruption);
}

// Everything but the filter is read; a lookup never asks what is not there.
TEST(TableFilters, ThatAreDamagedCostNoKey) {
  const auto policy = *MakePolicy("bloom:10");
  std::string bytes = SmallTable(Compression::kNone, policy.get());
  const std::size_t at = bytes.find("\x89TAMIS");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 70] = static_cast<char>(bytes[at + 70] ^ 1);
  const auto table = OpenTable(bytes);
  const auto filter = table->ReadFilter();
  EXPECT_EQ(filter->kind(), TableFilter::Kind::kNone);
  EXPECT_EQ(filter->damage().code(), StatusCode::kCorruption);
  ExpectTableHolds(*table, KeyOrder(), FewEntries());
}

}  // namespace
}  // namespace tamis::testing
