// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "filters/bloom/bit_array.h"
#include "formats/teaching/lab_layout.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::FromHex;
using testing::PolicyOf;
using testing::ToHex;

std::string ShapeSpec(const std::string& format, const nlohmann::json& row) {
  return format + ":m=" + row["m"].dump() + ",k=" + row["k"].dump();
}

TEST(LabBloom, WritesTheGoldenBytes) {
  const nlohmann::json golden = testing::LoadGolden("lab_fnv_splitmix.json");
  ASSERT_GE(golden["filters"].size(), 7u);
  for (const auto& row : golden["filters"]) {
    const auto keys = testing::KeysFromHex(row["keys"]);
    const std::string spec = row.contains("fpr")
                                 ? "lab:fpr=" + row["fpr"].dump()
                                 : ShapeSpec("lab", row);
    EXPECT_EQ(ToHex(testing::Build(*PolicyOf(spec), keys)),
              row["encoded"].get<std::string>())
        << spec;
    // By its exact shape the bytes are the same.
    EXPECT_EQ(ToHex(testing::Build(*PolicyOf(ShapeSpec("lab", row)), keys)),
              row["encoded"].get<std::string>());
    for (const std::string& key : keys) {
      EXPECT_TRUE(testing::AnswersMaybe(
          *PolicyOf("lab"), testing::HexBytes(row["encoded"]), key));
    }
  }
}

TEST(LabBloom, SizesAsTheLabDoes) {
  const nlohmann::json golden = testing::LoadGolden("lab_fnv_splitmix.json");
  ASSERT_GE(golden["params"].size(), 24u);
  for (const auto& row : golden["params"]) {
    const Estimate estimate =
        PolicyOf("lab:fpr=" + row[1].dump())->Predict(row[0]);
    EXPECT_EQ(estimate.bits, row[2].get<std::uint64_t>()) << row;
    EXPECT_EQ(estimate.probes, row[3].get<unsigned>()) << row;
  }
}

// One key at 20 %: m = 4, so k = round(4 ln 2) = 3, where the rate alone
// would give round(3.35 ln 2) = 2.
TEST(LabBloom, TakesProbesFromTheBitsNotFromTheRate) {
  const Estimate estimate = PolicyOf("lab:fpr=0.2")->Predict(1);
  EXPECT_EQ(estimate.bits, 4u);
  EXPECT_EQ(estimate.probes, 3u);
}

// What the lab refuses, and stray bits, which it overlooks.
TEST(LabBloom, RefusesWhatNoWriterWrites) {
  const auto policy = PolicyOf("lab");
  for (const char* hex : {
           "",
           "0100000008000000000000",        // 11 bytes
           "000000000800000000000000ff",    // k = 0
           "010000000000000000000000",      // m = 0
           "0100000000000000000000000f",    // m = 0 with a body
           "0100000008000000000000000000",  // one byte too many
           "010000000900000000000000ff",    // one too few
           "01000000ffffffffffffffffff",    // m near 2^64
           "010000000700000000000000ff",    // a bit beyond m
       }) {
    const auto reader = policy->Open(FromHex(hex));
    ASSERT_FALSE(reader.ok()) << hex;
    EXPECT_EQ(reader.status().code(), StatusCode::kCorruption);
  }
  // 31 probes are never written: not an error, but nothing is ruled out.
  const auto reserved = policy->Open(FromHex("1f000000080000000000000000"));
  ASSERT_TRUE(reserved.ok());
  EXPECT_TRUE(reserved->MayContain("anything"));
}

TEST(Md5Bloom, WritesTheGoldenBits) {
  const nlohmann::json golden = testing::LoadGolden("md5_filter.json");
  ASSERT_GE(golden["filters"].size(), 3u);
  for (const auto& row : golden["filters"]) {
    const auto keys = testing::KeysFromHex(row["keys"]);
    const std::string spec = row.contains("fpr")
                                 ? "md5:fpr=" + row["fpr"].dump()
                                 : ShapeSpec("md5", row);
    const std::string filter = testing::Build(*PolicyOf(spec), keys);
    EXPECT_EQ(ToHex(filter.substr(kLabHeaderBytes)),
              row["bits"].get<std::string>());
    const FilterInfo info = (*PolicyOf("md5")->Open(filter))->Describe();
    EXPECT_EQ(info.bits, row["m"].get<std::uint64_t>());
    EXPECT_EQ(info.probes, row["k"].get<unsigned>());
  }
}

TEST(Md5Bloom, AnswersTheWorkedExample) {
  const nlohmann::json golden = testing::LoadGolden("md5_filter.json");
  const auto& row = golden["filters"][0];
  const auto policy = PolicyOf("md5:m=100,k=7");
  const std::string filter =
      testing::Build(*policy, testing::KeysFromHex(row["keys"]));
  EXPECT_EQ((*policy->Open(filter))->Describe().set_bits, 49u);
  ASSERT_EQ(row["queries"].size(), 7u);
  for (const auto& [key, match] : row["queries"].items()) {
    EXPECT_EQ(testing::AnswersMaybe(*policy, filter, key), match.get<bool>())
        << key;
  }
}

TEST(Md5Bloom, TakesMoreProbesThanTheOthers) {
  // log2(1e20) = 66.4 probes: the lab's limit of 30 does not apply.
  EXPECT_EQ(PolicyOf("md5:fpr=1e-20")->Predict(1000).probes, 66u);
  EXPECT_EQ(PolicyOf("lab:fpr=1e-20")->Predict(1000).probes, 30u);
  const auto opens_probing = [](const char* hex) {
    const std::string bytes = FromHex(hex);
    const auto reader = PolicyOf("md5")->Open(bytes);
    return reader.ok() && reader->Describe().always_maybe.empty();
  };
  EXPECT_TRUE(opens_probing("ff000000080000000000000000"));
  EXPECT_FALSE(opens_probing("00010000080000000000000000"));
  EXPECT_EQ(PolicyOf("md5:m=64,k=255")->Predict(1).probes, 255u);
}

}  // namespace
}  // namespace tamis
