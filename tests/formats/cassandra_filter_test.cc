// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "formats/cassandra/filter.h"
#include "formats/cassandra/version.h"
#include "math/cassandra_sizing.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::FromHex;
using testing::PolicyOf;
using testing::ToHex;

TEST(CassandraFilter, WritesTheBytesCassandraWritesInEveryEra) {
  const nlohmann::json golden = testing::LoadGolden("cassandra.json");
  ASSERT_GE(golden["filters"].size(), 11u);
  for (const auto& row : golden["filters"]) {
    const std::string version = row["sstable_version"];
    const auto policy =
        PolicyOf("cassandra:" + version + ",fpr=" + row["fp_chance"].dump());
    const auto keys = testing::KeysFromHex(row["keys"]);
    ASSERT_EQ(keys.size(), row["n"].get<std::size_t>());
    EXPECT_EQ(ToHex(testing::Build(*policy, keys)),
              row["filter_db"].get<std::string>())
        << version;
    for (const std::string& key : keys) {
      EXPECT_TRUE(testing::AnswersMaybe(
          *policy, testing::HexBytes(row["filter_db"]), key));
    }
  }
}

// A version read by another era's rules loses keys: the reason why a version
// is never guessed.
TEST(CassandraFilter, ErasDoNotReadEachOther) {
  const auto keys = testing::NumberedKeys("partition-", 1000);
  const std::vector<std::string> eras = {"hf", "ka", "me", "oa"};
  for (const std::string& writer : eras) {
    const std::string filter =
        testing::Build(*PolicyOf("cassandra:" + writer), keys);
    for (const std::string& reader : eras) {
      const auto policy = PolicyOf("cassandra:" + reader);
      std::size_t found = 0;
      for (const std::string& key : keys) {
        if (testing::AnswersMaybe(*policy, filter, key)) ++found;
      }
      if (reader == writer) {
        EXPECT_EQ(found, keys.size());
      } else {
        EXPECT_LT(found, keys.size() / 2) << writer << " by " << reader;
        EXPECT_NE(policy->name(), PolicyOf("cassandra:" + writer)->name());
      }
    }
  }
}

TEST(CassandraFilter, AnEmptyFileIsAlwaysMaybe) {
  const auto reader = PolicyOf("cassandra:nb")->Open("");
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->MayContain("anything"));
  EXPECT_FALSE(reader->Describe().always_maybe.empty());
}

TEST(CassandraFilter, RefusesBytesThatDoNotFit) {
  const auto policy = PolicyOf("cassandra:nb");
  for (const char* hex :
       {"00", "00000005000000", "0000000500000001",
        "000000050000000100000000000000", "00000005000000010000000000000000ff",
        "0000000500000000", "00000005ffffffff0000000000000000",
        "0000001f000000010000000000000000",
        "80000005000000010000000000000000"}) {
    const auto reader = policy->Open(FromHex(hex));
    ASSERT_FALSE(reader.ok()) << hex;
    EXPECT_EQ(reader.status().code(), StatusCode::kCorruption) << hex;
  }
  const auto no_probe =
      policy->Open(FromHex("00000000000000010000000000000000"));
  ASSERT_TRUE(no_probe.ok());
  EXPECT_FALSE(no_probe->Describe().always_maybe.empty());
}

TEST(CassandraFilter, TextbookSizingStandsBesideTheTable) {
  const Estimate table = PolicyOf("cassandra:fpr=0.01")->Predict(1'000'000);
  const Estimate textbook =
      PolicyOf("cassandra:fpr=0.01,sizing=textbook")->Predict(1'000'000);
  EXPECT_EQ(table.probes, 5u);
  EXPECT_EQ(textbook.probes, 7u);
  EXPECT_GT(table.bytes, textbook.bytes);
  EXPECT_EQ(textbook.bits % 64, 0u);
  EXPECT_EQ(PolicyOf("cassandra:fpr=0.01,sizing=cassandra")
                ->Predict(1'000'000)
                .probes,
            5u);
  EXPECT_EQ(PolicyOf("cassandra:nb,10,k=5")->Predict(1000).probes, 5u);
  // What the table cannot do, the textbook can.
  EXPECT_FALSE(MakePolicy("cassandra:fpr=1e-6").ok());
  EXPECT_TRUE(MakePolicy("cassandra:fpr=1e-6,sizing=textbook").ok());
  EXPECT_FALSE(MakePolicy("cassandra:21").ok());
}

TEST(CassandraFilter, RefusesMoreWordsThanItsHeaderHolds) {
  std::string filter;
  const Status status = PolicyOf("cassandra:nb,m=137438953472,k=7")
                            ->NewBuilder()
                            ->Finish(&filter);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(filter.empty());
}

TEST(CassandraVersion, KnowsItsErasAndNothingElse) {
  const auto expect = [](CassandraEra era,
                         const std::vector<const char*>& versions) {
    for (const char* version : versions) {
      EXPECT_EQ(CassandraEraOf(version), era) << version;
    }
  };
  expect(CassandraEra::kMurmur2,
         {"f", "g", "h", "ha", "hb", "hc", "hd", "he", "hf"});
  expect(CassandraEra::kMurmur3,
         {"ia", "ib", "ic", "ja", "jb", "ka", "la", "lb"});
  expect(CassandraEra::kSwapped, {"ma", "mb", "mc", "md", "me", "ms", "mt"});
  expect(CassandraEra::kNativeOrder, {"na", "nb", "nc", "oa", "da"});
  for (const char* unknown : {"", "e", "d", "pa", "db", "zz", "nbx", "NB"}) {
    EXPECT_FALSE(CassandraEraOf(unknown).has_value()) << unknown;
    EXPECT_FALSE(
        NewCassandraPolicy({.version = unknown, .sizing = {.rate = 0.01}})
            .ok());
  }
}

TEST(CassandraVersion, IsTakenFromTheNamesThatCassandraGives) {
  EXPECT_EQ(CassandraVersionIn("nb-1-big-Filter.db"), "nb");
  EXPECT_EQ(CassandraVersionIn("da-12-bti-Filter.db"), "da");
  EXPECT_EQ(CassandraVersionIn("nb-3gqd_0slk_1cihs2ajgbgmtw5flj-big-Filter.db"),
            "nb");
  EXPECT_EQ(CassandraVersionIn("Keyspace1-Standard1-jb-0-Filter.db"), "jb");
  EXPECT_EQ(CassandraVersionIn("ka-table-jb-7-Filter.db"), "jb");
  EXPECT_EQ(CassandraVersionIn("pa-1-big-Filter.db"), "pa");
  EXPECT_EQ(CassandraVersionIn("la-1-big-Filter.db"), "la");
  EXPECT_EQ(CassandraVersionIn("Standard1-f-9-Filter.db"), "f");
  for (const char* other :
       {"", "Filter.db", "-Filter.db", "nb-Filter.db", "nb-1-big-Index.db",
        "something-Filter.db", "nb-1-big-Filter.db.bak", "me-backup-Filter.db",
        "la-old-Filter.db", "na-x-y-z-w-Filter.db", "me-1-Filter.db",
        "nb-1-big2-Filter.db", "x-nb-1-big-Filter.db", "-1-big-Filter.db",
        "ks-table-me-3-Filter.db", "ks-table-zz-3-Filter.db",
        "ks-table-ka-x-Filter.db", "-ka-3-Filter.db", "nb--Filter.db"}) {
    EXPECT_EQ(CassandraVersionIn(other), "") << other;
  }
}

// Files that Cassandra wrote: see the rules in the corpus's README.
TEST(CassandraCorpus, EveryFileIsReadAndRebuiltExactly) {
  const auto folder = testing::CorpusPath("cassandra");
  if (!folder) GTEST_SKIP() << testing::kNoCorpus;
  const nlohmann::json manifest =
      nlohmann::json::parse(testing::ReadFile(*folder / "manifest.json"));
  ASSERT_GE(manifest.size(), 14u);
  for (const auto& entry : manifest) {
    const std::string file = entry["file"];
    const std::string version = entry["sstable_version"];
    SCOPED_TRACE(file);
    const std::string filter = testing::ReadFile(*folder / file);
    std::string keys_file = file;
    keys_file.replace(keys_file.find("-Filter.db"), 10, ".keys");
    const auto keys =
        testing::KeysFromFile(testing::ReadFile(*folder / keys_file));
    ASSERT_EQ(keys.size(), entry["keys"].get<std::size_t>());

    const std::uint64_t words = entry["words"];
    const auto policy =
        PolicyOf("cassandra:" + version + ",m=" + std::to_string(words * 64) +
                 ",k=" + entry["k"].dump());
    for (const std::string& key : keys) {
      EXPECT_TRUE(testing::AnswersMaybe(*policy, filter, key)) << ToHex(key);
    }
    EXPECT_EQ(ToHex(testing::Build(*policy, keys)), ToHex(filter));

    std::uint64_t false_positives = 0;
    for (const std::string& key : testing::NumberedKeys("absent-", 8000)) {
      if (testing::AnswersMaybe(*policy, filter, key)) ++false_positives;
    }
    EXPECT_EQ(false_positives,
              entry["false_positives_of_absent_0_7999"].get<std::uint64_t>());
    if (!entry["n_that_explains_the_size"].is_null()) {
      const auto spec = CassandraSpecFor(entry["fp_chance_in_statistics"]);
      ASSERT_TRUE(spec.ok());
      EXPECT_EQ(
          CassandraWords(entry["n_that_explains_the_size"], spec->buckets),
          words);
    }
  }
}

}  // namespace
}  // namespace tamis
