// SPDX-License-Identifier: Apache-2.0
// Whole tables: databases that LevelDB writes with our filters and with its
// own, read by either.

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/peers/ldb_file.h"
#include "tests/peers/peer_policy.h"
#include "tests/peers/rebuild.h"
#include "tests/peers/scratch_db.h"

namespace tamis::testing {
namespace {

constexpr std::size_t kNineKb = 9 * 1024;
constexpr std::uint64_t kBytesPerFilter = 2048;  // of data offset

std::vector<Scenario> TableScenarios() {
  using enum KeyKind;
  return {
      {.name = "TextKeys", .keys = 2000},
      {.name = "TextKeysCompressed", .keys = 2000, .compressed = true},
      {.name = "OneKey", .keys = 1},
      {.name = "EmptyValues",
       .bits_per_key = 3,
       .kind = kBinary,
       .keys = 3000,
       .longest_value = 0},
      {.name = "BinaryKeys", .bits_per_key = 16, .kind = kBinary},
      {.name = "LongKeys", .bits_per_key = 7, .kind = kLong, .keys = 300},
      {.name = "BigValues",
       .bits_per_key = 50,
       .kind = kBinary,
       .keys = 60,
       .shortest_value = kNineKb,
       .longest_value = kNineKb},
      {.name = "AllSizesOfValues",
       .bits_per_key = 20,
       .kind = kBinary,
       .keys = 400,
       .longest_value = kNineKb},
      {.name = "AllSizesOfValuesCompressed",
       .bits_per_key = 12,
       .kind = kBinary,
       .keys = 400,
       .longest_value = kNineKb,
       .compressed = true},
      {.name = "OverwrittenKeys", .kind = kBinary, .keys = 400, .versions = 4},
      {.name = "OverwrittenKeysCompressed",
       .bits_per_key = 30,
       .kind = kText,
       .keys = 400,
       .longest_value = 3000,
       .versions = 3,
       .compressed = true},
  };
}

class LevelDbTable : public ::testing::TestWithParam<Scenario> {
 protected:
  std::filesystem::path OursDir() const { return scratch_.path() / "ours"; }
  std::filesystem::path TheirsDir() const { return scratch_.path() / "theirs"; }

  // The one table of a database just written.
  static LdbTable OnlyTable(const std::filesystem::path& dir) {
    const auto files = TableFiles(dir);
    EXPECT_EQ(files.size(), 1u);
    if (files.empty()) return {};
    auto table = ParseLdb(files.begin()->second);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ok() ? *std::move(table) : LdbTable{};
  }

  const Scenario& scenario_ = GetParam();
  const std::unique_ptr<const leveldb::FilterPolicy> theirs_ =
      TheirPolicy(GetParam().bits_per_key);
  const TamisForLevelDb ours_{GetParam().bits_per_key};
  const ScratchDir scratch_;
};

TEST_P(LevelDbTable, IsTheSameFileWithOurFiltersAsWithLevelDbs) {
  const Written written = WriteDatabase(OursDir(), scenario_, ours_);
  WriteDatabase(TheirsDir(), scenario_, *theirs_);
  ASSERT_FALSE(written.values.empty());
  const auto our_files = TableFiles(OursDir());
  ASSERT_EQ(our_files.size(), 1u);
  EXPECT_TRUE(our_files == TableFiles(TheirsDir()));
}

TEST_P(LevelDbTable, WrittenWithOurFiltersIsReadByLevelDbsPolicy) {
  const Written written = WriteDatabase(OursDir(), scenario_, ours_);
  ExpectHolds(OursDir(), written, *theirs_);
}

TEST_P(LevelDbTable, WrittenWithLevelDbsFiltersIsReadByOurPolicy) {
  const Written written = WriteDatabase(TheirsDir(), scenario_, *theirs_);
  ExpectHolds(TheirsDir(), written, ours_);
}

TEST_P(LevelDbTable, FilterBlockIsRebuiltFromKeysAndOffsets) {
  const Written written = WriteDatabase(TheirsDir(), scenario_, *theirs_);
  const LdbTable table = OnlyTable(TheirsDir());
  const std::size_t keys = written.values.size() + written.deleted.size();
  ASSERT_EQ(keys, static_cast<std::size_t>(scenario_.keys));
  // Every version is an entry, and so is every deletion.
  ASSERT_EQ(table.entry_count(),
            keys * static_cast<std::size_t>(scenario_.versions) +
                written.deleted.size());
  EXPECT_EQ(std::any_of(table.blocks.begin(), table.blocks.end(),
                        [](const auto& block) { return block.is_compressed; }),
            scenario_.compressed);
  const auto policy = OurPolicy(scenario_.bits_per_key);
  EXPECT_EQ(ToHex(RebuildFilterBlock(table, *policy)),
            ToHex(table.filter_block));
  ExpectEveryKeyIsFound(table, table.filter_block);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, LevelDbTable,
                         ::testing::ValuesIn(TableScenarios()),
                         [](const auto& instance) {
                           return instance.param.name;
                         });

// Every block of these tables but the last is followed by empty filters.
TEST(LevelDbTableShape, ValuesOfNineKbLeaveEmptyFilters) {
  const ScratchDir scratch;
  const auto theirs = TheirPolicy(10);
  WriteDatabase(scratch.path() / "db",
                {.name = "",
                 .keys = 20,
                 .shortest_value = kNineKb,
                 .longest_value = kNineKb},
                *theirs);
  const auto files = TableFiles(scratch.path() / "db");
  ASSERT_EQ(files.size(), 1u);
  const auto table = ParseLdb(files.begin()->second);
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  const LevelDbFilterBlockReader reader(table->filter_block);
  std::size_t empty = 0;
  for (std::size_t i = 0; i < reader.filter_count(); ++i) {
    if (!reader.filter(i).empty()) continue;
    ++empty;
    EXPECT_FALSE(reader.MayContain(i * kBytesPerFilter, "any key"));
  }
  EXPECT_GE(empty, 19u * 3u);
  EXPECT_LT(empty, reader.filter_count());
}

// LevelDB's own policy, which also keeps what it was asked.
class WitnessPolicy final : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n,
                    std::string* dst) const override {
    policy_->CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key,
                   const leveldb::Slice& filter) const override {
    const bool maybe = policy_->KeyMayMatch(key, filter);
    filters_.insert(filter.ToString());
    (maybe ? maybe_ : absent_) += 1;
    return maybe;
  }

  const std::set<std::string>& filters() const { return filters_; }
  int maybe() const { return maybe_; }
  int absent() const { return absent_; }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> policy_ = TheirPolicy(10);
  mutable std::set<std::string> filters_;  // the distinct ones
  mutable int maybe_ = 0;
  mutable int absent_ = 0;
};

// Writes LevelDB's only table in `from` to `to`, with a filter block of ours
// at another number of bits per key, which LevelDB never wrote.  Returns
// that block.
std::string TransplantFilters(const std::filesystem::path& from,
                              const std::filesystem::path& to) {
  const auto files = TableFiles(from);
  const auto& [name, bytes] = *files.begin();
  const auto table = ParseLdb(bytes);
  EXPECT_TRUE(table.ok()) << table.status().ToString();
  if (!table.ok()) return {};
  const auto policy = OurPolicy(20);
  std::string filter_block = RebuildFilterBlock(*table, *policy);
  EXPECT_NE(filter_block, table->filter_block);
  std::filesystem::create_directories(to);
  std::ofstream(to / name, std::ios::binary)
      << WithFilterBlock(bytes, *table, filter_block);
  return filter_block;
}

TEST(LevelDbTableTransplant, LevelDbAnswersFromTheFilterBlockWeWrote) {
  const ScratchDir scratch;
  const auto theirs = TheirPolicy(10);
  const Written written = WriteDatabase(
      scratch.path() / "theirs",
      {.name = "", .kind = KeyKind::kBinary, .keys = 2000, .versions = 2},
      *theirs);
  const std::filesystem::path dir = scratch.path() / "transplanted";
  const std::string filter_block =
      TransplantFilters(scratch.path() / "theirs", dir);
  ASSERT_FALSE(filter_block.empty());
  // A table alone is no database: LevelDB must first write a manifest.
  const leveldb::Status repaired = leveldb::RepairDB(dir.string(), {});
  ASSERT_TRUE(repaired.ok()) << repaired.ToString();

  const WitnessPolicy witness;
  ExpectHolds(dir, written, witness);
  const LevelDbFilterBlockReader reader(filter_block);
  std::set<std::string> ours;
  for (std::size_t i = 0; i < reader.filter_count(); ++i) {
    if (!reader.filter(i).empty()) ours.emplace(reader.filter(i));
  }
  // It asked all of our filters but those no key needed, and no other.
  EXPECT_TRUE(std::includes(ours.begin(), ours.end(), witness.filters().begin(),
                            witness.filters().end()));
  EXPECT_GT(witness.filters().size(), ours.size() / 2);
  // The 2,000 keys passed; of the 1,000 absent keys, 20 bits per key let
  // through 0.01 %.
  EXPECT_EQ(witness.maybe() + witness.absent(), 3000);
  EXPECT_GE(witness.maybe(), 2000);
  EXPECT_GE(witness.absent(), 995);
}

}  // namespace
}  // namespace tamis::testing
