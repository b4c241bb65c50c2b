// SPDX-License-Identifier: Apache-2.0
#include "bench/kept.h"

#include <unistd.h>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "bench/json.h"
#include "filters/kernels/kernels.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

Machine MachineNamed(const std::string& cpu) {
  Machine machine;
  machine.cpu = cpu;
  machine.caches.l3 = 32 * kMebibyte;
  machine.cores = 2;
  machine.family = 25;
  machine.model = 17;
  return machine;
}

TEST(MachineFolder, TellsFamilyAndModelWhereTheNameHasNoNumber) {
  EXPECT_EQ(MachineFolder(MachineNamed("AMD EPYC"), "avx2"),
            "amd-epyc-25-17-2-cores-l3-32-mib-avx2");
  EXPECT_EQ(
      MachineFolder(MachineNamed("AMD EPYC 7763 64-Core Processor"), "avx2"),
      "amd-epyc-7763-64-core-2-cores-l3-32-mib-avx2");
}

TEST(MachineFolder, LeavesOutTrademarksAndTheClock) {
  EXPECT_EQ(
      MachineFolder(MachineNamed("Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz"),
                    "avx512popcnt"),
      "intel-xeon-gold-6330-2-cores-l3-32-mib-avx512popcnt");
  EXPECT_EQ(MachineFolder(MachineNamed("Intel(R) Xeon(R) Processor @ 2.7GHz"),
                          "avx2"),
            "intel-xeon-25-17-2-cores-l3-32-mib-avx2");
}

TEST(MachineFolder, IsAPlainNameWhateverTheCpuIsCalled) {
  Machine machine = MachineNamed("../../etc");
  machine.caches.l3 = 0;
  EXPECT_EQ(MachineFolder(machine, "neon"), "etc-25-17-2-cores-neon");
  machine.cpu = "//";
  EXPECT_EQ(MachineFolder(machine, "neon"), "unknown-25-17-2-cores-neon");
}

std::string AnotherBy(std::vector<std::string> reversed_arguments) {
  CLI::App app;
  bool quick = false;
  std::string json;
  std::vector<int> keys = {1, 2};
  app.add_flag("--quick", quick);
  app.add_option("--json", json);
  app.add_option("--keys", keys);
  app.parse(std::move(reversed_arguments));
  constexpr std::array<std::string_view, 1> kHarmless = {"--json"};
  return WhatMakesItAnother(app, kHarmless);
}

TEST(WhatMakesItAnother, IsAnyOptionThatIsNotKnownToBeHarmless) {
  EXPECT_EQ(AnotherBy({}), "");
  EXPECT_EQ(AnotherBy({"out.json", "--json"}), "");
  EXPECT_EQ(AnotherBy({"--quick"}), "--quick");
  EXPECT_EQ(AnotherBy({"5", "--keys", "out.json", "--json"}), "--keys");
}

class KeepResultsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/kept.XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Path() const {
    return folder_ / MachineFolder(machine_, ActiveKernels().name) / "a.json";
  }
  std::string Kept() const {
    std::ifstream in(Path());
    return {std::istreambuf_iterator<char>(in), {}};
  }

  Machine machine_ = MachineNamed("AMD EPYC");
  std::filesystem::path folder_;
};

TEST_F(KeepResultsTest, ALaterRunReplacesTheOneBefore) {
  const Keeping keeping = {.folder = folder_.string(), .another = ""};
  ASSERT_TRUE(KeepResults(keeping, machine_, "a.json", "longer").ok());
  ASSERT_TRUE(KeepResults(keeping, machine_, "a.json", "new").ok());
  EXPECT_EQ(Kept(), "new");
}

TEST_F(KeepResultsTest, AnotherRunReplacesNothing) {
  const Keeping keeping = {.folder = folder_.string(), .another = ""};
  ASSERT_TRUE(KeepResults(keeping, machine_, "a.json", "whole").ok());
  const Keeping quick = {.folder = folder_.string(), .another = "--quick"};
  ASSERT_TRUE(KeepResults(quick, machine_, "a.json", "quick").ok());
  EXPECT_EQ(Kept(), "whole");
}

constexpr char kTwoStores[] =
    R"({"stores": {"Tamis": {"missing": 1}, "RocksDB": {"missing": 2}}})";
// A store that took no part has no figures.
constexpr char kOneStore[] =
    R"({"stores": {"Tamis": {"missing": 3}, "RocksDB": {}}})";
constexpr char kWithBoost[] =
    R"({"runs": [{"keys": 1, "key_bytes": 8, "rows": [{"name": "bloom:10"}]},
                 {"keys": 9, "key_bytes": 8, "rows": [{"name": "bloom:10"},
                                                      {"name": "Boost"}]}]})";
constexpr char kWithoutBoost[] =
    R"({"runs": [{"keys": 1, "key_bytes": 8, "rows": [{"name": "bloom:10"},
                                                      {"name": "Boost"}]},
                 {"keys": 9, "key_bytes": 8, "rows": [{"name": "bloom:10"}]}]})";

TEST_F(KeepResultsTest, ARunThatLacksAStoreOrARowReplacesNothing) {
  const Keeping keeping = {.folder = folder_.string(), .another = ""};
  const std::pair<const char*, const char*> cases[] = {
      {kTwoStores, kOneStore}, {kWithBoost, kWithoutBoost}};
  for (const auto& [fuller, other] : cases) {
    std::filesystem::remove(Path());
    ASSERT_TRUE(KeepResults(keeping, machine_, "a.json", fuller).ok());
    ::testing::internal::CaptureStderr();
    ASSERT_TRUE(KeepResults(keeping, machine_, "a.json", other).ok());
    const std::string told = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(told.find("which this run lacks"), std::string::npos) << told;
    EXPECT_EQ(Kept(), fuller);
  }
}

TEST_F(KeepResultsTest, ARunWithAnotherStoreReplacesTheOneWithout) {
  const Keeping keeping = {.folder = folder_.string(), .another = ""};
  ASSERT_TRUE(KeepResults(keeping, machine_, "a.json", kOneStore).ok());
  ASSERT_TRUE(KeepResults(keeping, machine_, "a.json", kTwoStores).ok());
  EXPECT_EQ(Kept(), kTwoStores);
}

TEST(WhatIsMissing, NamesTheStoreOrTheRow) {
  EXPECT_EQ(WhatIsMissing(kTwoStores, kOneStore), "RocksDB");
  EXPECT_EQ(WhatIsMissing(kWithBoost, kWithoutBoost),
            "Boost with 9 keys of 8 bytes");
  EXPECT_EQ(WhatIsMissing(kTwoStores, kTwoStores), "");
  EXPECT_EQ(WhatIsMissing("no report", kTwoStores), "");
  EXPECT_EQ(WhatIsMissing("", kTwoStores), "");
}

TEST_F(KeepResultsTest, WhatCannotBeWrittenIsAnError) {
  std::ofstream(folder_ / "file") << "no folder";
  const Keeping keeping = {.folder = (folder_ / "file").string(),
                           .another = ""};
  EXPECT_FALSE(KeepResults(keeping, machine_, "a.json", "x").ok());
}

}  // namespace
}  // namespace tamis::bench
