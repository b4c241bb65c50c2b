// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "formats/parquet/header.h"
#include "formats/parquet/sbbf.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::FromHex;
using testing::ToHex;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::unique_ptr<const FilterPolicy> AtBits(double bits_per_key) {
  return NewParquetPolicy(
      {.bits_per_key = bits_per_key, .rate = 0, .bits = 0, .probes = 0});
}
std::unique_ptr<const FilterPolicy> AtRate(double rate) {
  return NewParquetPolicy(
      {.bits_per_key = 0, .rate = rate, .bits = 0, .probes = 0});
}
std::unique_ptr<const FilterPolicy> AtSize(std::uint64_t bits,
                                           unsigned probes = 8) {
  return NewParquetPolicy(
      {.bits_per_key = 0, .rate = 0, .bits = bits, .probes = probes});
}

StatusCode OpenCode(Slice bytes) {
  return AtBits(10)->Open(bytes).status().code();
}

TEST(ParquetSbbf, WritesTheBytesParquetWrites) {
  const nlohmann::json golden = testing::LoadGolden("parquet_sbbf.json");
  ASSERT_GE(golden["filters"].size(), 5u);
  for (const auto& row : golden["filters"]) {
    const auto policy = AtSize(8 * row["num_bytes"].get<std::uint64_t>());
    const auto keys = testing::KeysFromHex(row["values_plain_encoded"]);
    const std::string filter =
        testing::HexBytes(row["header"]) + testing::HexBytes(row["bitset"]);
    EXPECT_EQ(ToHex(testing::Build(*policy, keys)), ToHex(filter));
    for (const std::string& key : keys) {
      EXPECT_TRUE(testing::AnswersMaybe(*policy, filter, key)) << ToHex(key);
    }
  }
}

// Computed apart from this library, by -8 n / ln(1 - p^(1/8)).
TEST(ParquetSbbf, SizesARateAsParquetDoes) {
  struct Row {
    std::uint64_t keys;
    double rate;
    std::uint64_t bits;
  };
  for (const Row& row :
       {Row{1, 0.01, 256}, Row{27, 0.01, 512}, Row{100, 0.01, 1'024},
        Row{1'000, 0.01, 16'384}, Row{30'000, 0.01, 524'288},
        Row{1'000'000, 0.01, 16'777'216}, Row{1'000, 0.5, 4'096},
        Row{1'000, 0.1, 8'192}, Row{1'000, 0.001, 16'384},
        Row{1'000, 1e-6, 65'536}, Row{5'000'000, 0.03, 67'108'864},
        Row{90'000'000, 0.01, 1'073'741'824}, Row{0, 0.01, 256},
        Row{1, 0.999999, 256}, Row{1, 1e-300, std::uint64_t{1} << 63}}) {
    EXPECT_EQ(AtRate(row.rate)->Predict(row.keys).bits, row.bits)
        << row.keys << " keys at " << row.rate;
  }
}

TEST(ParquetSbbf, RoundsBitsPerKeyUpToAPowerOfTwo) {
  EXPECT_EQ(AtBits(10)->Predict(0).bits, 256u);
  EXPECT_EQ(AtBits(10)->Predict(25).bits, 256u);
  EXPECT_EQ(AtBits(10)->Predict(26).bits, 512u);
  EXPECT_EQ(AtBits(10)->Predict(1'000'000).bits, 16u * kMiB);
  EXPECT_EQ(AtBits(10)->Predict(1'000'000).probes, 8u);
  // A size given in full is only made whole blocks.
  EXPECT_EQ(AtSize(700)->Predict(1).bits, 768u);
}

TEST(ParquetSbbf, PredictsItsSizeHeaderIncluded) {
  for (const std::uint64_t keys : {0u, 1u, 30u, 500u, 10'000u, 300'000u}) {
    const auto policy = AtBits(12);
    const auto filter =
        testing::Build(*policy, testing::NumberedKeys("key-", keys));
    EXPECT_EQ(policy->Predict(keys).bytes, filter.size()) << keys;
  }
}

TEST(ParquetSbbf, GoesNoFurtherThanParquet) {
  const auto fits = AtSize(8 * kMaxParquetBytes);
  EXPECT_TRUE(fits->Predict(1).status.ok());
  EXPECT_EQ(fits->Predict(1).bytes, 128 * kMiB + 19);
  // 128 MiB and one key's bits: the next power of two is beyond.
  const std::uint64_t keys = 8 * kMaxParquetBytes / 10 + 1;
  const auto by_keys = AtBits(10);
  EXPECT_TRUE(by_keys->Predict(keys - 1).status.ok());
  const auto refused = [](const Status& status) {
    return status.code() == StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused(by_keys->Predict(keys).status));
  EXPECT_TRUE(refused(by_keys->NewMutable(keys).status()));
  EXPECT_TRUE(refused(by_keys->NewConcurrent(keys).status()));
  EXPECT_TRUE(refused(AtRate(0.01)->Predict(~std::uint64_t{0}).status));

  std::string dst = "before";
  EXPECT_TRUE(
      refused(AtSize(8 * kMaxParquetBytes + 1)->NewBuilder()->Finish(&dst)));
  EXPECT_EQ(dst, "before");
}

TEST(ParquetSbbf, HasEightProbes) {
  std::string dst;
  EXPECT_EQ(AtSize(1024, 7)->NewBuilder()->Finish(&dst).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(AtSize(1024, 9)->Predict(1).status.code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(AtSize(1024, 8)->NewBuilder()->Finish(&dst).ok());
}

// The header for 16 KiB has 17 bytes, that for 32 bytes has 15.
TEST(ParquetSbbf, RepeatsShrinkTheHeaderToo) {
  const auto policy = AtBits(10);
  const auto builder = policy->NewBuilder();
  for (int i = 0; i < 10'000; ++i) builder->Add("same");
  std::string dst = "before";
  ASSERT_TRUE(builder->Finish(&dst).ok());
  EXPECT_EQ(ToHex(dst), ToHex("before" + testing::Build(*policy, {"same"})));
}

TEST(ParquetSbbf, GrowingFiltersSaveWhatABuilderWrites) {
  const auto policy = AtBits(10);
  const auto keys = testing::NumberedKeys("key-", 1000);
  const std::string built = testing::Build(*policy, keys);
  auto one = policy->NewMutable(keys.size());
  auto many = policy->NewConcurrent(keys.size());
  ASSERT_TRUE(one.ok() && many.ok());
  for (const std::string& key : keys) {
    ASSERT_TRUE(one->Insert(key).ok());
    ASSERT_TRUE(many->Insert(key).ok());
    ASSERT_TRUE(one->MayContain(key) && many->MayContain(key));
  }
  for (const MutableFilter* filter :
       {one.value().get(), static_cast<MutableFilter*>(many.value().get())}) {
    std::string saved = "before";
    ASSERT_TRUE(filter->Save(&saved).ok());
    EXPECT_EQ(ToHex(saved), ToHex("before" + built));
    EXPECT_EQ(filter->Describe().keys, 1000u);
  }
}

TEST(ParquetSbbf, OtherMembersOfTheHeaderAnswerMaybe) {
  const auto policy = AtBits(10);
  const std::string bits(1024, '\0');
  for (const char* header :
       {"1580101c2c00001c1c00001c1c000000", "1580101c1c00001c2c00001c1c000000",
        "1580101c1c00001c1c00001c2c000000",
        // another size than what is there
        "1582101c1c00001c1c00001c2c000000"}) {
    const std::string filter = FromHex(header) + bits;
    const auto reader = policy->Open(filter);
    ASSERT_TRUE(reader.ok()) << header;
    EXPECT_TRUE(reader->MayContain("anything")) << header;
    EXPECT_NE(reader->Describe().always_maybe, "") << header;
    std::string dst;
    const Slice one[] = {filter};
    EXPECT_FALSE(policy->Combine(one, SetOperation::kUnion, &dst).ok());
    EXPECT_EQ(dst, "");
  }
  // The same bits by the known members rule everything out.
  const std::string known = FromHex("1580101c1c00001c1c00001c1c000000") + bits;
  EXPECT_FALSE(testing::AnswersMaybe(*policy, known, "anything"));
}

TEST(ParquetSbbf, RefusesBytesThatDoNotFit) {
  const std::string whole = testing::Build(*AtBits(10), {"a", "b", "c"});
  EXPECT_EQ(OpenCode(whole), StatusCode::kOk);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(OpenCode(whole.substr(0, size)), StatusCode::kCorruption) << size;
  }
  EXPECT_EQ(OpenCode(whole + '\0'), StatusCode::kCorruption);
  const std::string unions = FromHex("1c1c00001c1c00001c1c000000");
  for (const char* size : {"1500", "153f", "1542", "1550"}) {  // 0 -32 33 40
    EXPECT_EQ(OpenCode(FromHex(size) + unions + std::string(40, '\xff')),
              StatusCode::kCorruption)
        << size;
  }
}

TEST(ParquetSbbf, CombinesFiltersOfOneSizeAndOneForm) {
  const auto policy = AtSize(768);
  const std::string a = testing::Build(*policy, {"a"});
  const std::string b = testing::Build(*policy, {"b"});
  std::string out = "before";
  const Slice two[] = {a, b};
  ASSERT_TRUE(policy->Combine(two, SetOperation::kUnion, &out).ok());
  EXPECT_EQ(ToHex(out), ToHex("before" + testing::Build(*policy, {"a", "b"})));

  const std::string larger = testing::Build(*AtSize(1024), {"a"});
  const std::string obsolete =
      FromHex("200000000000000000000000") + std::string(32, '\xff');
  const std::string small = testing::Build(*AtSize(256), {"a"});
  for (const auto& [left, right] :
       {std::pair(a, larger), std::pair(small, obsolete)}) {
    const Slice differ[] = {left, right};
    out = "before";
    EXPECT_EQ(policy->Combine(differ, SetOperation::kUnion, &out).code(),
              StatusCode::kInvalidArgument);
    EXPECT_EQ(out, "before");
  }
  EXPECT_FALSE(policy->Combine({}, SetOperation::kUnion, &out).ok());
  EXPECT_EQ(out, "before");

  const Slice obsoletes[] = {obsolete, obsolete};
  out.clear();
  ASSERT_TRUE(
      policy->Combine(obsoletes, SetOperation::kIntersection, &out).ok());
  EXPECT_EQ(ToHex(out), ToHex(obsolete));
}

TEST(ParquetSbbf, TheObsoleteFormIsCheckedAsWell) {
  const std::string header = FromHex("400000000000000000000000");
  EXPECT_EQ(OpenCode(header + std::string(64, '\0')), StatusCode::kOk);
  for (const std::size_t size : {0u, 32u, 63u, 65u, 96u}) {
    EXPECT_EQ(OpenCode(header + std::string(size, '\0')),
              StatusCode::kCorruption)
        << size;
  }
  for (const char* hex :
       {"600000000000000000000000", "100000000000000000000000"}) {
    EXPECT_EQ(OpenCode(FromHex(hex) + std::string(96, '\0')),
              StatusCode::kCorruption);
  }
  const auto policy = AtBits(10);
  const std::string reserved =
      FromHex("200000000100000000000000") + std::string(32, '\0');
  EXPECT_EQ(OpenCode(reserved + "x"), StatusCode::kCorruption);
  const auto other = policy->Open(reserved);
  ASSERT_TRUE(other.ok());
  EXPECT_TRUE(other->MayContain("anything"));
}

// Within five standard deviations of the count, and 2 % for the spread between
// one filter and the next.
TEST(ParquetSbbf, ErrsAsOftenAsPredicted) {
  constexpr std::uint64_t kKeys = 20'000;
  constexpr std::uint64_t kStrangers = 400'000;
  for (const std::uint64_t bits : {kKeys * 8 / 256 * 256, kKeys * 12}) {
    const auto policy = AtSize(bits);
    const std::string filter =
        testing::Build(*policy, testing::NumberedKeys("in-", kKeys));
    const auto reader = policy->Open(filter);
    ASSERT_TRUE(reader.ok());
    std::uint64_t wrong = 0;
    for (const auto& key : testing::NumberedKeys("out-", kStrangers)) {
      if (reader->MayContain(key)) ++wrong;
    }
    const double expected =
        policy->Predict(kKeys).false_positive_rate * double{kStrangers};
    EXPECT_NEAR(static_cast<double>(wrong), expected,
                5 * std::sqrt(expected) + 0.02 * expected)
        << bits;
  }
}

}  // namespace
}  // namespace tamis
