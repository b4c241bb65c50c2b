// SPDX-License-Identifier: Apache-2.0
// Our tables read by LevelDB, and LevelDB's tables read, and written again byte
// for byte, by ours.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <leveldb/db.h>

#include "table/table_builder.h"
#include "table/table_reader.h"
#include "tests/peers/peer_policy.h"
#include "tests/peers/scratch_db.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

std::vector<Scenario> BothWaysScenarios() {
  using enum KeyKind;
  return {
      {.name = "TextKeys", .keys = 3000},
      {.name = "Compressed", .keys = 3000, .compressed = true},
      {.name = "OneKey", .keys = 1},
      {.name = "BinaryKeys", .bits_per_key = 16, .kind = kBinary, .keys = 2000},
      {.name = "LongKeys", .bits_per_key = 7, .kind = kLong, .keys = 300},
      {.name = "BigValues",
       .keys = 60,
       .shortest_value = 9000,
       .longest_value = 20000},
      {.name = "Versions",
       .kind = kBinary,
       .keys = 400,
       .versions = 6,
       .compressed = true},
  };
}

// As LevelDB does by default; `filter` is ours, which it does not know.
TableWriteOptions LikeLevelDb(int bits_per_key, bool compressed,
                              const FilterPolicy* filter) {
  TableWriteOptions options;
  options.leveldb_filter_bits = static_cast<unsigned>(bits_per_key);
  options.compression = compressed ? Compression::kSnappy : Compression::kNone;
  options.filter = filter;
  return options;
}

// The same entries in a new table.
std::string WriteAgain(const std::string& bytes,
                       const TableWriteOptions& options) {
  const auto table = OpenTable(bytes);
  if (table == nullptr) return {};
  StringSink sink;
  TableBuilder builder(options, &sink);
  const auto iterator = table->NewIterator({});
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    const Status added = builder.Add(iterator->key(), iterator->value());
    EXPECT_TRUE(added.ok()) << added.ToString();
  }
  EXPECT_TRUE(iterator->status().ok()) << iterator->status().ToString();
  const Status finished = builder.Finish();
  EXPECT_TRUE(finished.ok()) << finished.ToString();
  return sink.bytes();
}

class TableBothWays : public ::testing::TestWithParam<Scenario> {
 protected:
  void SetUp() override {
    written_ = WriteDatabase(scratch_.path() / "theirs", GetParam(),
                             *TheirPolicy(GetParam().bits_per_key));
    const auto files = TableFiles(scratch_.path() / "theirs");
    ASSERT_EQ(files.size(), 1u);
    theirs_ = files.begin()->second;
  }

  const ScratchDir scratch_;
  Written written_;
  std::string theirs_;  // the only table
};

TEST_P(TableBothWays, ReadsWhatLevelDbWrote) {
  const auto table = OpenTable(theirs_);
  ASSERT_NE(table, nullptr);
  const auto filter = table->ReadFilter();
  // Where the table fits into 2 KiB, the only filter is about all of it.
  EXPECT_EQ(filter->kind(), GetParam().keys == 1
                                ? TableFilter::Kind::kWhole
                                : TableFilter::Kind::kLevelDbBlock);
  EXPECT_EQ(filter->kind_name(), "leveldb");
  for (const auto& [key, value] : written_.values) {
    ASSERT_EQ(Lookup(*table, key, kMaxSequence, filter.get()),
              "value " + value);
  }
  for (const std::string& key : written_.deleted) {
    ASSERT_EQ(Lookup(*table, key, kMaxSequence, filter.get()), "deletion");
  }
  const StringSource file(theirs_);
  const TableCheck check = CheckTable({}, file);
  EXPECT_TRUE(check.problems.empty()) << check.problems.front();
  EXPECT_GE(check.entries, written_.values.size());
}

TEST_P(TableBothWays, WritesTheBytesThatLevelDbWrites) {
  const std::string ours = WriteAgain(
      theirs_,
      LikeLevelDb(GetParam().bits_per_key, GetParam().compressed, nullptr));
  EXPECT_TRUE(ours == theirs_);
}

TEST_P(TableBothWays, IsReadByLevelDbWithAFilterThatItDoesNotKnow) {
  const auto policy = PolicyOf("bloom:10");
  const std::string ours =
      WriteAgain(theirs_, LikeLevelDb(GetParam().bits_per_key,
                                      !GetParam().compressed, policy.get()));
  EXPECT_EQ(OpenTable(ours)->ReadFilter()->kind(), TableFilter::Kind::kLines);
  const std::filesystem::path dir = scratch_.path() / "ours";
  std::filesystem::create_directories(dir);
  std::ofstream(dir / "000005.ldb", std::ios::binary) << ours;
  // A table alone is no database: LevelDB must first write a manifest.
  const leveldb::Status repaired = leveldb::RepairDB(dir.string(), {});
  ASSERT_TRUE(repaired.ok()) << repaired.ToString();
  ExpectHolds(dir, written_, *TheirPolicy(GetParam().bits_per_key));
}

INSTANTIATE_TEST_SUITE_P(Scenarios, TableBothWays,
                         ::testing::ValuesIn(BothWaysScenarios()),
                         [](const auto& instance) {
                           return instance.param.name;
                         });

TEST(TableGolden, IsWrittenAgainByteForByte) {
  const std::filesystem::path golden =
      std::filesystem::path(TAMIS_SOURCE_DIR) / "tests" / "golden" / "leveldb";
  for (const nlohmann::json& parameters : LoadGolden("leveldb/manifest.json")) {
    const auto name = parameters.at("file").get<std::string>();
    const std::string bytes = ReadFile(golden / name);
    const int bits = parameters.at("bits_per_key").get<int>();
    const bool compressed = parameters.at("snappy_data_blocks").get<bool>();
    EXPECT_TRUE(WriteAgain(bytes, LikeLevelDb(bits, compressed, nullptr)) ==
                bytes)
        << name;
  }
}

}  // namespace
}  // namespace tamis::testing
