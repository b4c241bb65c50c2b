// SPDX-License-Identifier: Apache-2.0
// tamis inspect and tamis query on whole Parquet files.

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/filter.h"
#include "tests/formats/parquet_bytes.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

using ::tamis::testing::ParquetColumn;

constexpr std::int64_t kInt32 = 1;
constexpr std::int64_t kInt64 = 2;
constexpr std::int64_t kInt96 = 3;
constexpr std::int64_t kByteArray = 6;

// Gathers filters and says where they lie.
class FileMaker {
 public:
  // A column whose filter holds `keys`, or that has none.
  ParquetColumn Column(const std::string& name, std::int64_t type,
                       std::optional<std::vector<std::string>> keys) {
    ParquetColumn column;
    column.path = {name};
    column.type = type;
    column.values = 100;
    if (keys.has_value()) {
      column.filter_offset = static_cast<std::int64_t>(4 + data_.size());
      data_ +=
          tamis::testing::Build(*tamis::testing::PolicyOf("parquet:64"), *keys);
    }
    return column;
  }
  void AddRowGroup(std::vector<ParquetColumn> columns) {
    row_groups_.push_back(std::move(columns));
  }
  std::string* data() { return &data_; }
  std::string Finish() const {
    return tamis::testing::ParquetFile(
        data_, tamis::testing::ParquetMetadata(row_groups_));
  }

 private:
  std::string data_;
  std::vector<std::vector<ParquetColumn>> row_groups_;
};

std::string Int64(std::uint64_t value) {
  std::string bytes;
  for (unsigned i = 0; i < 64; i += 8) {
    bytes += static_cast<char>(value >> i);
  }
  return bytes;
}

// Two row groups with an id and a name each, and a note without a filter.
class ParquetCommand : public ::testing::Test {
 protected:
  ParquetCommand() {
    FileMaker maker;
    maker.AddRowGroup({maker.Column("id", kInt64, {{Int64(1), Int64(2)}}),
                       maker.Column("name", kByteArray, {{"ann", "bob"}}),
                       maker.Column("note", kByteArray, std::nullopt)});
    maker.AddRowGroup({maker.Column("id", kInt64, {{Int64(3)}}),
                       maker.Column("name", kByteArray, {{"cid"}}),
                       maker.Column("note", kByteArray, std::nullopt)});
    path_ = dir_.Write("t.parquet", maker.Finish());
  }
  RunResult Query(std::vector<std::string> more) {
    more.insert(more.begin(), {"query", path_});
    return Tamis(more);
  }

  TempDir dir_;
  std::string path_;
};

TEST_F(ParquetCommand, InspectListsTheFiltersInside) {
  const RunResult run = Tamis({"inspect", path_});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(Contains(run.out, "format:        a Parquet file\n")) << run.out;
  EXPECT_TRUE(Contains(run.out, "filters:       4\n")) << run.out;
  EXPECT_FALSE(Contains(run.out, "note")) << run.out;
  const auto report =
      nlohmann::json::parse(Tamis({"inspect", path_, "--json"}).out).at(0);
  ASSERT_EQ(report["filters"].size(), 4u);
  const auto& first = report["filters"][0];
  EXPECT_EQ(first["column"], "id");
  EXPECT_EQ(first["row_group"], 0);
  EXPECT_EQ(first["type"], "INT64");
  EXPECT_EQ(first["values"], 100);
  EXPECT_EQ(first["offset"], 4);
  EXPECT_EQ(first["blocks"], 1);
  EXPECT_EQ(first["bytes"], 15 + 32);
  EXPECT_EQ(first["set_bits"], 16);
  EXPECT_NEAR(first["distinct_values"].get<double>(), 2, 0.2);
  EXPECT_EQ(first["verdict"], "ok");
  EXPECT_EQ(report["filters"][3]["row_group"], 1);
}

TEST_F(ParquetCommand, AColumnIsAskedInAllItsRowGroups) {
  const RunResult ids =
      Query({"--column", "id", "-k", "1", "-k", "3", "-k", "4"});
  EXPECT_EQ(ids.err, "");
  EXPECT_EQ(ids.out, "maybe\t1\nmaybe\t3\nno\t4\n");
  EXPECT_EQ(
      Query({"--column", "name", "-k", "bob", "-k", "cid", "-k", "dan"}).out,
      "maybe\tbob\nmaybe\tcid\nno\tdan\n");
  EXPECT_EQ(Query({"--column", "id", "-k", "4"}).code, kExitNegative);
}

TEST_F(ParquetCommand, OneRowGroupCanBeAskedAlone) {
  EXPECT_EQ(
      Query({"--column", "id", "--row-group", "0", "-k", "1", "-k", "3"}).out,
      "maybe\t1\nno\t3\n");
  EXPECT_EQ(
      Query({"--column", "id", "--row-group", "1", "-k", "1", "-k", "3"}).out,
      "no\t1\nmaybe\t3\n");
  const RunResult none =
      Query({"--column", "id", "--row-group", "2", "-k", "1"});
  EXPECT_EQ(none.code, kExitError);
  EXPECT_TRUE(Contains(none.err, "in row group 2; the file has 2 row groups"))
      << none.err;
}

TEST_F(ParquetCommand, ManyKeysFromAStreamAreAnsweredInOrder) {
  std::string keys;
  for (int i = 0; i < 5000; ++i) {
    keys += std::to_string(i % 3 == 0 ? 1 : 1'000'000 + i) + "\n";
  }
  const RunResult run = Tamis(
      {"query", path_, "--column", "id", "--only", "maybe"}, {.input = keys});
  EXPECT_EQ(run.code, kExitOk);
  std::size_t ones = 0;
  for (std::size_t at = 0;
       (at = run.out.find("maybe\t1\n", at)) != std::string::npos; ++at) {
    ++ones;
  }
  EXPECT_EQ(ones, 1667u);
}

TEST_F(ParquetCommand, KeysAreWrittenAsTheColumnsTypeHasThem) {
  EXPECT_EQ(Query({"--column", "id", "--hex", "-k", "0200000000000000"}).out,
            "maybe\t0200000000000000\n");
  const RunResult text = Query({"--column", "id", "-k", "two"});
  EXPECT_EQ(text.code, kExitError);
  EXPECT_TRUE(Contains(text.err, "'two' is not an int64")) << text.err;
  EXPECT_EQ(Query({"--column", "id", "-k", "2", "--json"}).out,
            "{\"key\":\"2\",\"answer\":\"maybe\"}\n");
  // Each of these would deny every key.
  for (const char* type : {"int32", "bytes", "double"}) {
    const RunResult run = Query({"--column", "id", "--type", type, "-k", "2"});
    EXPECT_EQ(run.code, kExitError) << type;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(Contains(run.err,
                         "its type is INT64, which has no values of "
                         "type " +
                             std::string(type)))
        << run.err;
  }
  EXPECT_EQ(Query({"--column", "id", "--type", "int64", "-k", "2"}).out,
            "maybe\t2\n");
}

TEST_F(ParquetCommand, WhatIsNotThereIsSaid) {
  const RunResult column = Query({"--column", "nam", "-k", "ann"});
  EXPECT_EQ(column.code, kExitError);
  EXPECT_TRUE(Contains(column.err,
                       "no filter for a column 'nam'; there are "
                       "filters for: id, name\n"))
      << column.err;
  EXPECT_EQ(Query({"--column", "note", "-k", "x"}).code, kExitError);
  const RunResult bare = Query({"-k", "ann"});
  EXPECT_EQ(bare.code, kExitError);
  EXPECT_TRUE(Contains(bare.err,
                       "is a Parquet file, not a bare filter; "
                       "'tamis inspect' lists the filters in it, and "
                       "'tamis query --column' asks them\n"))
      << bare.err;
  EXPECT_TRUE(Contains(Query({"--row-group", "0", "-k", "x"}).err,
                       "--row-group needs --column"));
  EXPECT_EQ(Query({"--column", "id", "--format", "leveldb", "-k", "1"}).code,
            kExitError);
  EXPECT_EQ(Tamis({"inspect", path_, "--format", "leveldb"}).code, kExitError);
  EXPECT_EQ(Tamis({"merge", path_, path_, "-o", dir_.File("m")}).code,
            kExitError);
}

TEST_F(ParquetCommand, ColumnsGoWithParquetFilesOnly) {
  const std::string file = dir_.File("f.tamis");
  ASSERT_EQ(Tamis({"build", "-o", file}, {.input = "a\n"}).code, kExitOk);
  const RunResult run = Tamis({"query", file, "--column", "id", "-k", "1"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "go with a Parquet file, which this is not"))
      << run.err;
}

// The key may be in the row group that has no filter.
TEST_F(ParquetCommand, ARowGroupWithoutAFilterMakesEveryKeyAMaybe) {
  FileMaker maker;
  maker.AddRowGroup({maker.Column("id", kInt64, {{Int64(1)}})});
  maker.AddRowGroup({maker.Column("id", kInt64, std::nullopt)});
  path_ = dir_.Write("half.parquet", maker.Finish());
  const RunResult run = Query({"--column", "id", "-k", "77"});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_EQ(run.out, "maybe\t77\n");
  EXPECT_TRUE(Contains(run.err,
                       "every key is a maybe: only 1 of 2 row groups "
                       "have a filter for it"))
      << run.err;
  const RunResult one =
      Query({"--column", "id", "--row-group", "0", "-k", "77"});
  EXPECT_EQ(one.out, "no\t77\n");
  EXPECT_EQ(one.err, "");
}

TEST_F(ParquetCommand, ADamagedFilterIsShownAndHidesNoKey) {
  FileMaker maker;
  maker.AddRowGroup({maker.Column("id", kInt64, {{Int64(1)}})});
  maker.AddRowGroup({maker.Column("id", kInt64, {{Int64(2)}})});
  (*maker.data())[47] = '\0';  // the second filter's header
  path_ = dir_.Write("bad.parquet", maker.Finish());
  const RunResult inspected = Tamis({"inspect", path_});
  EXPECT_EQ(inspected.code, kExitNegative);
  EXPECT_TRUE(Contains(inspected.out, "  damaged: parquet: ")) << inspected.out;
  const auto report =
      nlohmann::json::parse(Tamis({"inspect", path_, "--json"}).out).at(0);
  EXPECT_EQ(report["filters"][0]["verdict"], "ok");
  EXPECT_EQ(report["filters"][1]["verdict"], "damaged");
  const RunResult asked = Query({"--column", "id", "-k", "2", "-k", "77"});
  EXPECT_EQ(asked.out, "maybe\t2\nmaybe\t77\n");
  EXPECT_TRUE(Contains(asked.err, "in row group 1 cannot be asked: parquet: "))
      << asked.err;
}

TEST_F(ParquetCommand, ADamagedFooterIsAVerdictAndNeverANo) {
  const std::string whole = dir_.Read("t.parquet");
  // Without its end, and with a footer that claims to be longer than the file.
  const std::string cut = dir_.Write("cut.parquet", whole.substr(0, 100));
  std::string longer = whole;
  longer[whole.size() - 5] = '\x7f';
  for (const std::string& file : {cut, dir_.Write("l.parquet", longer)}) {
    const RunResult inspected = Tamis({"inspect", file});
    EXPECT_EQ(inspected.code, kExitNegative) << inspected.err;
    EXPECT_TRUE(Contains(inspected.out, "verdict:       damaged: parquet: "))
        << inspected.out;
    const RunResult asked = Tamis({"query", file, "--column", "id", "-k", "1"});
    EXPECT_EQ(asked.code, kExitError);
    EXPECT_EQ(asked.out, "");
  }
}

TEST_F(ParquetCommand, TypesWithoutATextNeedHexOrAType) {
  FileMaker maker;
  maker.AddRowGroup({maker.Column("time", kInt96, {{"twelve bytes"}}),
                     maker.Column("small", kInt32, {{std::string(4, '\0')}})});
  path_ = dir_.Write("t96.parquet", maker.Finish());
  const RunResult run = Query({"--column", "time", "-k", "0"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "its type is INT96: write the bytes"))
      << run.err;
  EXPECT_EQ(
      Query({"--column", "time", "--hex", "-k", "7477656c7665206279746573"})
          .out,
      "maybe\t7477656c7665206279746573\n");
  EXPECT_EQ(
      Query({"--column", "time", "--type", "bytes", "-k", "twelve bytes"}).out,
      "maybe\ttwelve bytes\n");
  EXPECT_EQ(Query({"--column", "small", "-k", "0", "-k", "1"}).out,
            "maybe\t0\nno\t1\n");
}

TEST_F(ParquetCommand, AFileWithoutFiltersSaysSo) {
  FileMaker maker;
  maker.AddRowGroup({maker.Column("id", kInt64, std::nullopt)});
  path_ = dir_.Write("none.parquet", maker.Finish());
  const RunResult run = Tamis({"inspect", path_});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_TRUE(run.out.ends_with("filters:       none\n")) << run.out;
  EXPECT_TRUE(Contains(Query({"--column", "id", "-k", "1"}).err,
                       "no column has a filter"));
}

TEST(ParquetCommandCorpus, ARealFileAnswersMaybeToItsValues) {
  const auto path = tamis::testing::CorpusPath(
      "parquet/data_index_bloom_encoding_stats.parquet");
  if (!path) GTEST_SKIP() << tamis::testing::kNoCorpus;
  const std::string keys = path->string() + ".keys";
  const std::string file = path->string();
  const RunResult run = Tamis(
      {"query", file, keys, "--column", "String", "--hex", "--only", "no"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(
      Tamis({"query", file, "--column", "String", "-k", "Hello", "-k", "Hallo"})
          .out,
      "maybe\tHello\nno\tHallo\n");
}

}  // namespace
}  // namespace tamis::tools
