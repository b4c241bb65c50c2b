// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "filters/bloom/split_block.h"
#include "formats/parquet/sbbf.h"
#include "hash/murmur3.h"
#include "tamis/parquet.h"
#include "tests/formats/parquet_bytes.h"
#include "tests/support/failing_new.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::FromHex;
using testing::ParquetColumn;
using testing::ParquetFile;
using testing::ParquetMetadata;
using testing::ThriftFields;

constexpr std::int64_t kDataStart = 4;  // after the magic

// A filter of one block: a header of 15 bytes, 32 bytes of bits.
std::string FilterOf(const std::vector<std::string>& keys) {
  const auto policy =
      NewParquetPolicy({.bits_per_key = 10, .rate = 0, .bits = 0, .probes = 0});
  return testing::Build(*policy, keys);
}

ParquetColumn ColumnAt(std::int64_t offset) {
  ParquetColumn column;
  column.filter_offset = offset;
  return column;
}

// The one filter of a file with that data and that column.
ParquetFilterPlace OnlyPlace(const std::string& file) {
  auto places = FindParquetFilters(file);
  if (!places.ok() || places->size() != 1) {
    ADD_FAILURE() << places.status().ToString();
    return {};
  }
  return std::move(places->front());
}

StatusCode CodeOf(const std::string& file) {
  return FindParquetFilters(file).status().code();
}

TEST(ParquetFile, FindsEveryFilterThroughTheFooter) {
  const std::string one = FilterOf({"one"});
  const std::string two = FilterOf({"two"});
  ParquetColumn a = ColumnAt(kDataStart);
  a.path = {"a"};
  ParquetColumn none;
  none.path = {"none"};
  ParquetColumn b = ColumnAt(kDataStart + static_cast<int>(one.size()));
  b.path = {"b", "list", "element"};
  b.type = 2;
  b.values = 1'000'000'000'000;
  b.filter_length = static_cast<std::int64_t>(two.size());
  const std::string file =
      ParquetFile(one + two + "pages", ParquetMetadata({{a, none}, {none, b}}));

  const auto places = FindParquetFilters(file);
  ASSERT_TRUE(places.ok()) << places.status().ToString();
  ASSERT_EQ(places->size(), 2u);
  const ParquetFilterPlace& first = (*places)[0];
  EXPECT_TRUE(first.status.ok());
  EXPECT_EQ(first.row_group, 0u);
  EXPECT_EQ(first.column, "a");
  EXPECT_EQ(first.physical_type, "BYTE_ARRAY");
  EXPECT_EQ(first.values, 1u);
  EXPECT_EQ(first.offset, kDataStart);
  EXPECT_EQ(first.filter, one);
  const ParquetFilterPlace& second = (*places)[1];
  EXPECT_TRUE(second.status.ok());
  EXPECT_EQ(second.row_group, 1u);
  EXPECT_EQ(second.column, "b.list.element");
  EXPECT_EQ(second.physical_type, "INT64");
  EXPECT_EQ(second.values, 1'000'000'000'000u);
  EXPECT_EQ(second.header_bytes, 15u);
  EXPECT_EQ(second.bitset_bytes, 32u);
  EXPECT_EQ(second.filter, two);
  EXPECT_GE(second.filter.data(), file.data());
}

TEST(ParquetFile, HasNoFilterWhereTheFooterNamesNone) {
  for (const auto& metadata :
       {ParquetMetadata({}), ParquetMetadata({{}, {ParquetColumn()}})}) {
    const auto places = FindParquetFilters(ParquetFile("", metadata));
    ASSERT_TRUE(places.ok()) << places.status().ToString();
    EXPECT_TRUE(places->empty());
  }
}

TEST(ParquetFile, NamesThePhysicalTypes) {
  const std::pair<std::int64_t, const char*> types[] = {
      {0, "BOOLEAN"},    {1, "INT32"},
      {2, "INT64"},      {3, "INT96"},
      {4, "FLOAT"},      {5, "DOUBLE"},
      {6, "BYTE_ARRAY"}, {7, "FIXED_LEN_BYTE_ARRAY"},
      {8, "unknown"},    {-1, "unknown"}};
  for (const auto& [type, name] : types) {
    ParquetColumn column = ColumnAt(kDataStart);
    column.type = type;
    EXPECT_EQ(OnlyPlace(ParquetFile(FilterOf({}), ParquetMetadata({{column}})))
                  .physical_type,
              name);
  }
}

TEST(ParquetFile, OneDamagedFilterLeavesTheOthers) {
  const std::string good = FilterOf({"key"});
  const std::string unions = FromHex("1c1c00001c1c00001c1c000000");
  for (const std::string& bad :
       {std::string(47, '\0'), std::string(47, '\xff'),
        FromHex("1500") + unions + std::string(32, 'x'),  // no block
        FromHex("153f") + unions + std::string(32, 'x'),  // -32 bytes
        FromHex("1542") + unions + std::string(32, 'x'),  // 33
        FromHex("2000000000000000") + FromHex("00000000") +
            std::string(35, '\0')}) {  // obsolete: never in a file
    const std::int64_t after = kDataStart + static_cast<int>(bad.size());
    const std::string file = ParquetFile(
        bad + good, ParquetMetadata({{ColumnAt(kDataStart), ColumnAt(after)}}));
    const auto places = FindParquetFilters(file);
    ASSERT_TRUE(places.ok()) << places.status().ToString();
    ASSERT_EQ(places->size(), 2u);
    EXPECT_EQ((*places)[0].status.code(), StatusCode::kCorruption)
        << testing::ToHex(bad);
    EXPECT_EQ((*places)[0].filter, "");
    EXPECT_TRUE((*places)[1].status.ok());
    EXPECT_EQ((*places)[1].filter, good);
  }
}

TEST(ParquetFile, AFilterLiesBetweenTheMagicAndTheFooter) {
  const std::string filter = FilterOf({"key"});
  const auto code_at = [&](std::int64_t offset, std::size_t cut) {
    const std::string data = filter.substr(0, filter.size() - cut);
    return OnlyPlace(ParquetFile(data, ParquetMetadata({{ColumnAt(offset)}})))
        .status.code();
  };
  EXPECT_EQ(code_at(kDataStart, 0), StatusCode::kOk);
  EXPECT_EQ(code_at(kDataStart, 1), StatusCode::kCorruption);
  EXPECT_EQ(code_at(kDataStart, filter.size()), StatusCode::kCorruption);
  for (const std::int64_t outside :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{3}, std::int64_t{51},
        std::int64_t{60}, std::int64_t{1} << 40, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(code_at(outside, 0), StatusCode::kCorruption) << outside;
  }
}

// The last byte of the magic number, taken as the header of a Thrift field,
// goes well with what follows.
TEST(ParquetFile, NothingReachesIntoTheFirstMagic) {
  const std::string rest =
      FromHex("0502400c040c0200000c060c0200000c080c02000000");
  const std::string data = rest + std::string(32, 'x');
  const auto code_at = [&](std::int64_t offset) {
    return OnlyPlace(ParquetFile(data, ParquetMetadata({{ColumnAt(offset)}})))
        .status.code();
  };
  EXPECT_EQ(code_at(kDataStart), StatusCode::kOk);
  EXPECT_EQ(code_at(kDataStart - 1), StatusCode::kCorruption);

  const auto with_length = [](char length) {
    return "PAR1" + FromHex("09080c00") + length + std::string(3, '\0') +
           "PAR1";
  };
  EXPECT_EQ(CodeOf(with_length(4)), StatusCode::kOk);
  EXPECT_EQ(CodeOf(with_length(5)), StatusCode::kCorruption);
}

TEST(ParquetFile, TheLengthInTheFooterMustAgree) {
  for (const std::int64_t length : {47, 46, 48, 0, -1, 32}) {
    ParquetColumn column = ColumnAt(kDataStart);
    column.filter_length = length;
    const std::string file =
        ParquetFile(FilterOf({"key"}), ParquetMetadata({{column}}));
    EXPECT_EQ(OnlyPlace(file).status.ok(), length == 47) << length;
  }
}

TEST(ParquetFile, OtherAlgorithmsAreListedAndAnswerMaybe) {
  const std::string filter =
      FromHex("15401c2c00001c1c00001c1c000000") + std::string(32, '\0');
  const std::string file =
      ParquetFile(filter, ParquetMetadata({{ColumnAt(kDataStart)}}));
  const ParquetFilterPlace place = OnlyPlace(file);
  EXPECT_TRUE(place.status.ok());
  EXPECT_EQ(place.filter, filter);
  // Its size may mean something else: then it cannot be cut out.
  const std::string longer = ParquetFile(
      filter.substr(0, 30), ParquetMetadata({{ColumnAt(kDataStart)}}));
  EXPECT_EQ(OnlyPlace(longer).status.code(), StatusCode::kNotSupported);
}

TEST(ParquetFile, EncryptedOrElsewhereIsNotSupported) {
  ParquetColumn encrypted = ColumnAt(kDataStart);
  encrypted.encrypted = true;
  ParquetColumn elsewhere = ColumnAt(kDataStart);
  elsewhere.file_path = "other.parquet";
  for (const ParquetColumn& column : {encrypted, elsewhere}) {
    const std::string file =
        ParquetFile(FilterOf({"key"}), ParquetMetadata({{column}}));
    const ParquetFilterPlace place = OnlyPlace(file);
    EXPECT_EQ(place.status.code(), StatusCode::kNotSupported);
    EXPECT_EQ(place.filter, "");
  }
  std::string file = ParquetFile("", ParquetMetadata({}));
  file.replace(0, 4, "PARE").replace(file.size() - 4, 4, "PARE");
  EXPECT_EQ(CodeOf(file), StatusCode::kNotSupported);
}

TEST(ParquetFile, RefusesWhatIsNoParquetFile) {
  const std::string file = ParquetFile("data", ParquetMetadata({}));
  EXPECT_EQ(CodeOf(file), StatusCode::kOk);
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_EQ(CodeOf(file.substr(0, size)), StatusCode::kCorruption) << size;
    EXPECT_EQ(CodeOf(file.substr(file.size() - size)), StatusCode::kCorruption)
        << size;
  }
  EXPECT_EQ(CodeOf("PAR1PAR1"), StatusCode::kCorruption);
  EXPECT_EQ(
      CodeOf(FromHex("50415231") + FromHex("ffffffff") + FromHex("50415231")),
      StatusCode::kCorruption);
}

TEST(ParquetFile, ACutFooterIsDamage) {
  const std::string metadata =
      ParquetMetadata({{ColumnAt(kDataStart)}, {ColumnAt(kDataStart)}});
  for (std::size_t size = 0; size < metadata.size(); ++size) {
    EXPECT_EQ(CodeOf(ParquetFile(FilterOf({}), metadata.substr(0, size))),
              StatusCode::kCorruption)
        << size;
  }
}

TEST(ParquetFile, AFooterWithoutItsFieldsIsDamage) {
  const auto with_column = [](const std::string& metadata) {
    const std::string column = ThriftFields().Struct(3, metadata).End();
    const std::string group = ThriftFields().List(1, 12, {column}).End();
    return ParquetFile("", ThriftFields().List(4, 12, {group}).End());
  };
  ThriftFields all;
  all.Integer(1, 6).List(3, 8, {ThriftFields::TextValue("a")}).Integer(5, 1);
  EXPECT_EQ(CodeOf(with_column(all.End())), StatusCode::kOk);
  ThriftFields no_type;
  no_type.List(3, 8, {ThriftFields::TextValue("a")}).Integer(5, 1);
  ThriftFields no_path;
  no_path.Integer(1, 6).Integer(5, 1);
  ThriftFields empty_path;
  empty_path.Integer(1, 6).List(3, 8, {}).Integer(5, 1);
  ThriftFields no_values;
  no_values.Integer(1, 6).List(3, 8, {ThriftFields::TextValue("a")});
  ThriftFields negative = no_values;
  negative.Integer(5, -1);
  for (const ThriftFields& lacking :
       {no_type, no_path, empty_path, no_values, negative}) {
    EXPECT_EQ(CodeOf(with_column(lacking.End())), StatusCode::kCorruption);
  }
  const std::string no_columns = ThriftFields().Integer(3, 1).End();
  EXPECT_EQ(
      CodeOf(ParquetFile("", ThriftFields().List(4, 12, {no_columns}).End())),
      StatusCode::kCorruption);
  EXPECT_EQ(CodeOf(ParquetFile("", ThriftFields().Integer(1, 2).End())),
            StatusCode::kCorruption);
}

// Whatever a flipped bit makes of a file, what is listed as whole lies in it.
TEST(ParquetFile, FlippedBitsNeverLeadOutside) {
  const std::string whole = ParquetFile(
      FilterOf({"a"}) + FilterOf({"b"}),
      ParquetMetadata({{ColumnAt(kDataStart)}, {ColumnAt(kDataStart + 47)}}));
  unsigned listed = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string file = whole;
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ (1 << bit % 8));
    const auto places = FindParquetFilters(file);
    if (!places.ok()) continue;
    for (const ParquetFilterPlace& place : *places) {
      EXPECT_EQ(place.filter.empty(), !place.status.ok());
      if (!place.status.ok()) continue;
      ++listed;
      ASSERT_GE(place.filter.data(), file.data());
      ASSERT_LE(place.filter.data() + place.filter.size(),
                file.data() + file.size());
      EXPECT_EQ(place.filter.size(), place.header_bytes + place.bitset_bytes);
    }
  }
  EXPECT_GT(listed, 100u);
}

TEST(ParquetFile, WithoutMemoryThereIsAStatus) {
  const std::string file = ParquetFile(
      "", ParquetMetadata({{ColumnAt(kDataStart), ColumnAt(kDataStart)}}));
  unsigned refused = 0;
  for (int allowed = 0;; ++allowed) {
    testing::AllowAllocations(allowed);
    const auto places = FindParquetFilters(file);
    testing::AllowAllocations(-1);
    if (places.ok()) break;
    ++refused;
    ASSERT_EQ(places.status().code(), StatusCode::kResourceExhausted);
  }
  EXPECT_GE(refused, 3u);  // the list, twice, and what is wrong with a filter
}

// No policy writes the obsolete form.
std::string BuildObsolete(std::uint32_t bitset_bytes,
                          const std::vector<std::string>& keys) {
  std::string filter(12 + bitset_bytes, '\0');
  StoreLittle(filter.data(), bitset_bytes);
  auto* bits = reinterpret_cast<unsigned char*>(filter.data() + 12);
  for (const std::string& key : keys) {
    const std::uint64_t hash = Murmur3(key, 1361930890).h1;
    const std::uint64_t block = (hash >> 32) % (bitset_bytes / 32);
    MarkSplitBlock(bits + 32 * block, static_cast<std::uint32_t>(hash));
  }
  return filter;
}

// Files that Parquet's own libraries wrote.
class ParquetCorpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = testing::CorpusPath("parquet");
    if (!folder) GTEST_SKIP() << testing::kNoCorpus;
    folder_ = *folder;
    manifest_ =
        nlohmann::json::parse(testing::ReadFile(folder_ / "manifest.json"));
    ASSERT_GE(manifest_.size(), 3u);
  }

  std::filesystem::path folder_;
  nlohmann::json manifest_;
};

TEST_F(ParquetCorpus, EveryFilterIsReadAndRebuiltExactly) {
  unsigned in_files = 0;
  for (const auto& entry : manifest_) {
    const std::string name = entry["file"];
    SCOPED_TRACE(name);
    const std::string file = testing::ReadFile(folder_ / name);
    std::string filter = file;
    if (name.ends_with(".parquet")) {
      ++in_files;
      const ParquetFilterPlace place = OnlyPlace(file);
      ASSERT_TRUE(place.status.ok());
      EXPECT_EQ(place.column, entry["column"].get<std::string>());
      EXPECT_EQ(place.offset, entry["bloom_filter_offset"].get<int>());
      EXPECT_EQ(place.bitset_bytes, entry["bitset_bytes"].get<unsigned>());
      EXPECT_EQ(place.physical_type, "BYTE_ARRAY");
      EXPECT_EQ(place.values, entry["keys"].get<unsigned>());
      filter = std::string(place.filter);
    }
    const auto keys =
        testing::KeysFromFile(testing::ReadFile(folder_ / (name + ".keys")));
    ASSERT_EQ(keys.size(), entry["keys"].get<std::size_t>());
    const auto policy =
        NewParquetPolicy({.bits_per_key = 0,
                          .rate = 0,
                          .bits = 8 * entry["bitset_bytes"].get<unsigned>(),
                          .probes = 8});
    for (const std::string& key : keys) {
      EXPECT_TRUE(testing::AnswersMaybe(*policy, filter, key));
    }
    std::uint64_t false_positives = 0;
    for (const std::string& key : testing::NumberedKeys("absent-", 8000)) {
      if (testing::AnswersMaybe(*policy, filter, key)) ++false_positives;
    }
    // The obsolete form has no figure: none of 8000 is what 4 keys give.
    EXPECT_EQ(false_positives,
              entry.value("false_positives_of_absent_0_7999", 0u));
    EXPECT_EQ(testing::ToHex(name == "bloom_filter.bin"
                                 ? BuildObsolete(1024, keys)
                                 : testing::Build(*policy, keys)),
              testing::ToHex(filter));
  }
  EXPECT_EQ(in_files, 1u);
}

}  // namespace
}  // namespace tamis
