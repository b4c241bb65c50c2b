// SPDX-License-Identifier: Apache-2.0
// tamis verify; tests/peers/ and tests/sstable/ have the engines.

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absent_shapes.h"
#include "sstable_report.h"
#include "tamis/filter.h"
#include "tests/support/golden.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

namespace fs = std::filesystem;

std::string Sized(const std::string& key) {
  return std::string(1, '\0') + static_cast<char>(key.size()) + key;
}

// An sstable of Cassandra, whose filter has no checksum.
class VerifyCommand : public ::testing::Test {
 protected:
  VerifyCommand() {
    const auto policy = MakePolicy("cassandra:nb,fpr=0.01");
    const auto builder = policy->NewBuilder();
    std::string index;
    for (int i = 10000; i < 12000; ++i) {
      const std::string key = "user" + std::to_string(i);
      builder->Add(key);
      index += Sized(key) + std::string("\x01\x00", 2);
    }
    EXPECT_TRUE(builder->Finish(&filter_).ok());
    dir_.Write("nb-1-big-Index.db", index);
    Write(filter_);
  }
  void Write(const std::string& filter) {
    dir_.Write("nb-1-big-Filter.db", filter);
  }

  TempDir dir_{TempDir::InMemory()};
  std::string filter_;
};

TEST_F(VerifyCommand, ProvesThatNoKeyIsHiddenAndMeasuresTheRate) {
  const RunResult run = Tamis({"verify", dir_.path()});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_TRUE(Contains(run.out, "no key is hidden, of 2,000 that were read"))
      << run.out;
  const auto json =
      nlohmann::json::parse(Tamis({"verify", dir_.path(), "--json"}).out);
  EXPECT_EQ(json.at("schema_version"), kSchemaVersion);
  EXPECT_EQ(json.at("keys"), 2000);
  EXPECT_EQ(json.at("hidden"), 0);
  EXPECT_GT(json.at("absent_keys"), 500);
  EXPECT_LT(json.at("measured_rate"), 0.05);
}

TEST_F(VerifyCommand, NamesEveryHiddenKeyAndItsFile) {
  std::string filter = filter_;
  filter[100] = '\0';
  Write(filter);
  const RunResult run = Tamis({"verify", dir_.path()});
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(Contains(run.out,
                       "nb-1-big-Filter.db: its filter hides the key "
                       "'user1"))
      << run.out;
  const auto json =
      nlohmann::json::parse(Tamis({"verify", dir_.path(), "--json"}).out);
  EXPECT_GT(json.at("hidden"), 0);
  EXPECT_EQ(json.at("hidden_keys").size(), json.at("hidden"));
  const auto policy = MakePolicy("cassandra:nb");
  const auto reader = policy->Open(filter);
  for (const auto& hidden : json.at("hidden_keys")) {
    EXPECT_FALSE(reader->MayContain(
        tamis::testing::FromHex(hidden.at("key_hex").get<std::string>())));
  }
  const std::string csv = Tamis({"verify", dir_.path(), "--csv"}).out;
  EXPECT_TRUE(Contains(csv, ",hidden\n")) << csv;
}

TEST_F(VerifyCommand, OnlyTheFilesOfAVerdictAreVerified) {
  EXPECT_TRUE(
      Contains(Tamis({"verify", dir_.path(), "--only", "ok"}).out, "2,000"));
  const RunResult run = Tamis({"verify", dir_.path(), "--only", "damaged"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out, "no sstables\n");
}

TEST_F(VerifyCommand, WhatCouldNotBeReadIsNoProof) {
  const std::string index = dir_.Read("nb-1-big-Index.db");
  dir_.Write("nb-1-big-Index.db", index.substr(0, index.size() / 2 + 3));
  const RunResult cut = Tamis({"verify", dir_.path()});
  EXPECT_EQ(cut.code, kExitUnreadable);
  EXPECT_TRUE(Contains(cut.out, "nb-1-big-Index.db: offset ")) << cut.out;
  EXPECT_TRUE(Contains(cut.out, "1 file was not verified, or not wholly"));
  fs::remove(dir_.File("nb-1-big-Index.db"));
  const RunResult without = Tamis({"verify", dir_.path()});
  EXPECT_EQ(without.code, kExitUnreadable);
  EXPECT_TRUE(Contains(without.out, "not verified, because neither"))
      << without.out;
}

TEST(VerifyCorpus, FilesOfEveryEngineAreVerified) {
  for (const char* const folder : {"rocksdb-databases", "rocksdb", "leveldb"}) {
    const auto corpus = tamis::testing::CorpusPath(folder);
    if (!corpus) GTEST_SKIP() << tamis::testing::kNoCorpus;
    const RunResult run = Tamis({"verify", *corpus});
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_TRUE(Contains(run.out, "no key is hidden")) << run.out;
  }
  const auto parquet = tamis::testing::CorpusPath("parquet");
  const RunResult run = Tamis({"verify", *parquet});
  EXPECT_EQ(run.code, kExitUnreadable);
  EXPECT_TRUE(Contains(run.out, "out of scope")) << run.out;
}

TEST(AbsentShapesTest, AreNoneOfTheKeysAndLookLikeThem) {
  std::vector<std::string> stored;
  for (int i = 1000; i < 9000; i += 7)
    stored.push_back("id" + std::to_string(i));
  const std::vector<std::string_view> keys(stored.begin(), stored.end());
  AbsentShapes shapes;
  std::string absent;
  std::set<std::string> made;
  int of_the_shape = 0;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(shapes.Between(keys, &absent));
    EXPECT_FALSE(std::binary_search(stored.begin(), stored.end(), absent));
    EXPECT_LT(stored.front(), absent);
    EXPECT_LT(absent, stored.back());
    // If no change leads to an absent key in a few tries, it is lengthened.
    EXPECT_GE(absent.size(), 6u);
    EXPECT_LE(absent.size(), 7u);
    of_the_shape += absent.size() == 6 ? 1 : 0;
    EXPECT_EQ(absent.find_first_not_of("0123456789", 2), std::string::npos)
        << absent;
    made.insert(absent);
  }
  EXPECT_GT(made.size(), 300u);
  EXPECT_GT(of_the_shape, 480);
}

TEST(AbsentShapesTest, AreLongerWhereAllOfTheShapeAreThere) {
  std::vector<std::string> stored;
  for (int i = 1000; i < 2000; ++i) stored.push_back(std::to_string(i));
  const std::vector<std::string_view> keys(stored.begin(), stored.end());
  AbsentShapes shapes;
  std::string absent;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(shapes.Between(keys, &absent));
    EXPECT_EQ(absent.size(), 5u);
  }
  EXPECT_FALSE(shapes.Between(std::span(keys).first(1), &absent));
}

// As of a table whose comparator is the reverse one; and at the ends.
TEST(AbsentShapesTest, AreBetweenFewAndDescendingKeysToo) {
  for (const int count : {2, 3, 50}) {
    std::vector<std::string> stored;
    for (int i = 0; i < count; ++i)
      stored.push_back(std::to_string(900 - 3 * i));
    const std::vector<std::string_view> keys(stored.begin(), stored.end());
    const std::set<std::string> known(stored.begin(), stored.end());
    AbsentShapes shapes(7);
    std::string absent;
    int made = 0;
    for (int i = 0; i < 500; ++i) {
      if (!shapes.Between(keys, &absent)) continue;
      ++made;
      EXPECT_FALSE(known.contains(absent)) << absent;
      EXPECT_LT(absent, stored.front());
      EXPECT_GT(absent, stored.back());
    }
    EXPECT_GT(made, 100) << count;
  }
}

}  // namespace
}  // namespace tamis::tools
