#include <string>

#include <gtest/gtest.h>

#include "policy/spec.h"
#include "tamis/filter.h"
#include "tamis/formats.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::PolicyOf;

TEST(MakePolicy, BitsPerKeyAndRateNameTheDefaultKind) {
  const Estimate by_bits = PolicyOf("bloom:10")->Predict(1000);
  EXPECT_EQ(by_bits.bits, 10'000u);
  EXPECT_EQ(by_bits.probes, 7u);
  const Estimate by_rate = PolicyOf("fpr:0.01")->Predict(1000);
  EXPECT_EQ(by_rate.bits, 9'586u);
  EXPECT_EQ(by_rate.probes, 7u);
  EXPECT_NEAR(by_rate.false_positive_rate, 0.01, 0.0002);
  EXPECT_EQ(PolicyOf("bloom:10")->name(), PolicyOf("fpr:0.5")->name());
}

TEST(MakePolicy, EveryFormatHasDefaultsAndBothWaysOfSizing) {
  for (const FormatEntry& format : KnownFormats()) {
    const std::string name(format.name);
    const Estimate by_default = PolicyOf(name)->Predict(100'000);
    EXPECT_EQ(by_default.bytes, PolicyOf(name + ":10")->Predict(100'000).bytes);
    EXPECT_NEAR(static_cast<double>(by_default.bits) / 100'000, 10, 0.01);
    const Estimate by_rate = PolicyOf(name + ":fpr=0.001")->Predict(100'000);
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
  EXPECT_EQ(PolicyOf("bloom:bits=12")->Predict(10).bits, 120u);
  EXPECT_EQ(PolicyOf("bloom:12,k=3")->Predict(10).probes, 3u);
  EXPECT_EQ(PolicyOf("bloom:1e1")->Predict(10).bits, 100u);
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
