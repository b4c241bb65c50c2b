// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "policy/spec.h"
#include "policy/table_policy.h"
#include "tamis/filter.h"
#include "tamis/formats.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::PolicyOf;

// The kind of the filter that the policy builds.
std::string KindOf(const char* spec) {
  const auto policy = PolicyOf(spec);
  const std::string bytes = testing::Build(*policy, {"a", "b"});
  return (*policy->Open(bytes))->Describe().kind;
}

TEST(MakePolicy, BitsPerKeyAndRateNameTheDefaultKind) {
  const Estimate by_bits = PolicyOf("bloom:10")->Predict(100'000);
  EXPECT_EQ(by_bits.bits, 1'000'448u);  // whole lines of 512
  EXPECT_EQ(by_bits.probes, 6u);
  const Estimate by_rate = PolicyOf("fpr:0.01")->Predict(100'000);
  EXPECT_EQ(by_rate.probes, 6u);
  EXPECT_NEAR(by_rate.false_positive_rate, 0.01, 0.0002);
  EXPECT_EQ(PolicyOf("bloom:10")->name(), PolicyOf("fpr:0.5")->name());
  EXPECT_EQ(KindOf("bloom:10"), "bloom");
  EXPECT_EQ(KindOf("fpr:0.01"), "bloom");
  EXPECT_EQ(KindOf("tamis"), "bloom");
}

TEST(MakePolicy, KindsOfOneFormatReadEachOther) {
  EXPECT_EQ(KindOf("splitblock:10"), "splitblock");
  EXPECT_EQ(KindOf("classic:10"), "classic");
  for (const char* writer : {"bloom", "splitblock", "classic"}) {
    const std::string bytes = testing::Build(*PolicyOf(writer), {"a"});
    for (const char* reader : {"bloom", "splitblock", "classic", "tamis"}) {
      const auto policy = PolicyOf(reader);
      const auto opened = policy->Open(bytes);
      ASSERT_TRUE(opened.ok()) << writer << ", " << reader;
      EXPECT_TRUE(opened->MayContain("a"));
      EXPECT_FALSE(opened->MayContain("b"));
      EXPECT_EQ(opened->Describe().kind, writer);
    }
  }
}

TEST(MakePolicy, RocksDbsPoliciesReadEachOther) {
  const auto keys = testing::NumberedKeys("key", 1000);
  const std::string names[] = {"rocksdb", "rocksdb-legacy", "rocksdb-ribbon"};
  for (const std::string& writer : names) {
    const std::string bytes = testing::Build(*PolicyOf(writer), keys);
    for (const std::string& reader : names) {
      const auto policy = PolicyOf(reader);
      const auto opened = policy->Open(bytes);
      ASSERT_TRUE(opened.ok()) << writer << ", " << reader;
      EXPECT_TRUE(opened->MayContain("key7"));
      EXPECT_EQ(opened->Describe().format, writer);
    }
  }
}

TEST(MakePolicy, ARandomSeedIsAnotherEachTime) {
  const auto seed = [] {
    const auto policy = PolicyOf("bloom:10,seed=random");
    const std::string bytes = testing::Build(*policy, {"a"});
    return (*policy->Open(bytes))->Describe().seed;
  };
  EXPECT_NE(seed(), seed());
}

TEST(MakePolicy, EveryFormatHasDefaultsAndBothWaysOfSizing) {
  for (const FormatEntry& format : KnownFormats()) {
    const std::string name(format.name);
    const Estimate by_default = PolicyOf(name)->Predict(100'000);
    EXPECT_EQ(by_default.bytes, PolicyOf(name + ":10")->Predict(100'000).bytes);
    const double bits_per_key = static_cast<double>(by_default.bits) / 100'000;
    const Estimate by_rate = PolicyOf(name + ":fpr=0.001")->Predict(100'000);
    if (name == "parquet") {  // powers of two
      EXPECT_EQ(by_default.bits, 1u << 20);
      EXPECT_EQ(by_rate.bits, 1u << 21);
      EXPECT_LE(by_rate.false_positive_rate, 0.001);
      continue;
    }
    // A Ribbon takes the setting of the Bloom filter that errs as rarely.
    EXPECT_NEAR(bits_per_key, name == "rocksdb-ribbon" ? 7.03 : 10, 0.02)
        << name;
    EXPECT_NEAR(by_rate.false_positive_rate, 0.001, 0.0003) << name;
    EXPECT_GT(by_rate.bytes, by_default.bytes) << name;
  }
}

TEST(MakePolicy, PolicyNamesNameTheBytes) {
  EXPECT_EQ(PolicyOf("leveldb:10")->name(), "leveldb.BuiltinBloomFilter2");
  EXPECT_EQ(PolicyOf("leveldb:7")->name(), PolicyOf("leveldb")->name());
  EXPECT_EQ(PolicyOf("bloom:10,seed=3")->name(), "tamis.Filter1");
  EXPECT_EQ(PolicyOf("cassandra:na")->name(), PolicyOf("cassandra:da")->name());
}

TEST(MakePolicy, ArgumentsCanBeNamed) {
  const std::string by_place =
      testing::Build(*PolicyOf("cassandra:ka,fpr=0.1"), {"a"});
  EXPECT_EQ(testing::Build(*PolicyOf("cassandra:fpr=0.1,version=ka"), {"a"}),
            by_place);
  EXPECT_EQ(PolicyOf("classic:bits=12")->Predict(10).bits, 120u);
  EXPECT_EQ(PolicyOf("bloom:12,k=3")->Predict(10).probes, 3u);
  EXPECT_EQ(PolicyOf("classic:1e1")->Predict(10).bits, 100u);
}

TEST(CanonicalText, IsOneForAllThatMeanTheSame) {
  const std::vector<std::vector<const char*>> groups = {
      {"bloom", "bloom:10", "bloom:10.0", "bloom:bits=1e1", "tamis",
       "tamis:fold=1,bits=10"},
      {"bloom:10.5"},
      {"bloom:10,k=5"},
      {"bloom:10,seed=0", "bloom:seed=00"},
      {"bloom:seed=1"},
      {"bloom:fold=2"},
      {"bloom:fpr=0.01", "bloom:fpr=1e-2"},
      {"fpr:0.01", "fpr:fpr=0.01,lifetime=600,queries=10"},
      {"fpr:0.01,lifetime=601"},
      {"splitblock", "splitblock:10"},
      {"ribbon", "ribbon:8"},
      {"fuse", "fuse:8", "fuse8", "fuse8:arity=3", "fuse:fpr=0.01"},
      {"fuse8:arity=4", "fuse:arity=4"},
      {"fuse16", "fuse:16"},
      {"rotating", "rotating:generations=4"},
      {"rotating:generations=5"},
      {"cassandra", "cassandra:sizing=cassandra"},
      {"cassandra:ka", "cassandra:version=ka"},
      {"cassandra:sizing=textbook"},
      {"prefix:fixed=8", "prefix:rocksdb.FixedPrefix.8,bloom:10"},
      {"prefix:delimiter=0x3a,fuse8", "prefix:delimiter=:,count=1,fuse"},
  };
  std::set<std::string> all;
  for (const auto& group : groups) {
    const std::string canonical = CanonicalText(group.front());
    EXPECT_TRUE(MakePolicy(canonical).ok()) << canonical;
    EXPECT_EQ(CanonicalText(canonical), canonical);
    for (const char* text : group) EXPECT_EQ(CanonicalText(text), canonical);
    EXPECT_TRUE(all.insert(canonical).second) << canonical;
  }
  for (const char* other :
       {"", "none", "nonsense:10", "(mine)", "bloom:10.0,seed=random"}) {
    EXPECT_EQ(CanonicalText(other), other);
  }
}

TEST(MakePolicy, RefusesWhatItDoesNotUnderstandAndSaysWhat) {
  struct Case {
    const char* spec;
    const char* part;  // of the message
  };
  for (const Case& c : {Case{"", "no name"},
                        Case{":10", "no name"},
                        Case{"blom:10", "blom"},
                        Case{"bloom:", "empty"},
                        Case{"bloom:10,", "empty"},
                        Case{"bloom:,10", "empty"},
                        Case{"bloom:=3", "before '='"},
                        Case{"bloom:k=", "empty"},
                        Case{"bloom:ten", "ten"},
                        Case{"bloom:10x", "10x"},
                        Case{"bloom:0", "above 0"},
                        Case{"bloom:-3", "above 0"},
                        Case{"bloom:nan", "nan"},
                        Case{"bloom:inf", "inf"},
                        Case{"bloom:1e9", "10000"},
                        Case{"bloom:fpr=0", "between 0 and 1"},
                        Case{"bloom:fpr=1", "between 0 and 1"},
                        Case{"fpr:", "empty"},
                        Case{"fpr", "needs a rate"},
                        Case{"fpr:2", "between 0 and 1"},
                        Case{"bloom:m=100", "needs k"},
                        Case{"bloom:m=0,k=1", "from 1"},
                        Case{"bloom:m=100,k=0", "from 1"},
                        Case{"bloom:m=100,k=256", "255"},
                        Case{"bloom:10,k=33", "32 probes"},
                        Case{"splitblock:10,k=9", "8 probes"},
                        Case{"splitblock:10,k=7", "7 probes"},
                        Case{"rocksdb:10,k=31", "30 probes"},
                        Case{"rocksdb-legacy:10,k=128", "127 probes"},
                        Case{"rocksdb:0.4", "0.5 bits per key"},
                        Case{"rocksdb-ribbon:m=64,k=3", "leave m and k out"},
                        Case{"bloom:fpr=1e-99", "so low a rate"},
                        Case{"rocksdb:10,seed=1", "no seed"},
                        Case{"parquet:10,seed=random", "no seed"},
                        Case{"bloom:seed=Random", "seed"},
                        Case{"leveldb:m=64,k=31", "30 probes"},
                        Case{"lab:10,k=31", "30 probes"},
                        Case{"cassandra:oa,10,k=99", "30"},
                        Case{"fpr:seed=7", "needs a rate"},
                        Case{"bloom:10,fpr=0.1", "not several"},
                        Case{"bloom:fpr=0.1,k=3", "leave k out"},
                        Case{"bloom:10,12", "twice"},
                        Case{"bloom:seed=-1", "seed"},
                        Case{"bloom:seed=18446744073709551616", "seed"},
                        Case{"leveldb:seed=1", "no seed"},
                        Case{"lab:ka", "no versions"},
                        Case{"md5:sizing=textbook", "only cassandra"},
                        Case{"cassandra:zz", "zz"},
                        Case{"cassandra:sizing=x", "textbook"},
                        Case{"cassandra:fpr=0.00001", "0.0000671"},
                        Case{"bloom:colour=red", "colour"}}) {
    const auto policy = MakePolicy(c.spec);
    ASSERT_FALSE(policy.ok()) << c.spec;
    EXPECT_EQ(policy.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(policy.status().message().find(c.part), std::string::npos)
        << c.spec << ": " << policy.status().message();
  }
}

TEST(Spec, ArgumentsKeepTheirOrderAndCase) {
  const auto spec = ParseSpec("name:word,Key=va=lue");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->name, "name");
  ASSERT_EQ(spec->arguments.size(), 2u);
  EXPECT_EQ(spec->arguments[0].name, "");
  EXPECT_EQ(spec->arguments[0].value, "word");
  EXPECT_EQ(spec->arguments[1].name, "Key");
  EXPECT_EQ(spec->arguments[1].value, "va=lue");
}

}  // namespace
}  // namespace tamis
