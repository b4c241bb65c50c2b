// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/filter.h"
#include "tests/tools/doctor_store.h"

namespace tamis::tools {
namespace {

using ProbeCommand = DoctorStore;

TEST_F(ProbeCommand, ShowsWhatIsReadWhyAndWhatIsThere) {
  const RunResult run = Tamis({"probe", store_, "user10042", "zebra"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "maybe   yes  value")) << run.out;
  EXPECT_TRUE(Contains(run.out, "1 table read, 0 of them needlessly"));
  EXPECT_TRUE(Contains(run.out, "1 more has no such key in its range"))
      << run.out;
  const auto lines = LinesOf({"probe", store_, "user10042"});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at("there"), "value");
  EXPECT_EQ(lines[0].at("filter"), "maybe");
  EXPECT_EQ(lines[0].at("read"), true);
  EXPECT_EQ(lines[1].at("sstables_read"), 1);
  const auto hex = LinesOf({"probe", store_, "--hex", "757365723130303432"});
  EXPECT_EQ(hex, lines);
  EXPECT_EQ(Tamis({"probe", store_, "--hex", "7"}).code, kExitError);
  EXPECT_EQ(Tamis({"probe", store_}).code, kExitError);
  EXPECT_EQ(Tamis({"probe", dir_.File("none"), "key"}).code, 3);
}

TEST_F(ProbeCommand, FalsePositivesAreThoseThatAreReadInVain) {
  std::vector<std::string> args = {"probe", store_};
  for (int i = 10000; i < 11999; ++i) {
    args.push_back("user" + std::to_string(i) + "x");
  }
  int read = 0;
  int false_positives = 0;
  for (const nlohmann::json& line : LinesOf(args)) {
    if (line.at("type") == "key") {
      read += line.at("sstables_read").get<int>();
    } else {
      EXPECT_EQ(line.at("there"), "nothing");
      EXPECT_EQ(line.at("read"), line.at("filter") == "maybe");
      false_positives += line.at("false_positive").get<bool>() ? 1 : 0;
    }
  }
  EXPECT_EQ(read, false_positives);
  EXPECT_GT(read, 5);  // of a rate of 1 %
  EXPECT_LT(read, 50);
}

TEST_F(ProbeCommand, WithoutAFilterEveryTableOfTheRangeIsRead) {
  Compact("none");
  const RunResult run = Tamis({"probe", store_, "user10042x"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(Contains(run.out, "no filter   yes  nothing  read needlessly"))
      << run.out;
  const RunResult csv =
      Tamis({"probe", store_, "user10042x", "--csv", "--only", "missing"});
  EXPECT_TRUE(Contains(csv.out, ",missing,no filter,yes,nothing,")) << csv.out;
  EXPECT_FALSE(Contains(
      Tamis({"probe", store_, "user10042x", "--only", "ok"}).out, ".ldb"));
}

TEST_F(ProbeCommand, AKeyThatItsFilterHidesIsNamed) {
  // Cassandra's filters have no checksum.
  std::string index;
  const auto policy = MakePolicy("cassandra:nb,fpr=0.01");
  const auto builder = policy->NewBuilder();
  for (int i = 1000; i < 1500; ++i) {
    const std::string key = "id" + std::to_string(i);
    builder->Add(key);
    index += std::string("\0\6", 2) + key + std::string("\1\0", 2);
  }
  std::string filter;
  ASSERT_TRUE(builder->Finish(&filter).ok());
  const std::string name = dir_.File("shop/orders-1");
  std::filesystem::create_directories(name);
  dir_.Write("shop/orders-1/nb-1-big-Index.db", index);
  dir_.Write("shop/orders-1/nb-1-big-Filter.db", filter);
  EXPECT_EQ(Tamis({"probe", name, "id1234"}).code, 0);
  std::fill(filter.begin() + 20, filter.end(), '\0');
  dir_.Write("shop/orders-1/nb-1-big-Filter.db", filter);
  const RunResult run = Tamis({"probe", name, "id1234"});
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(Contains(run.out, "HIDDEN")) << run.out;
}

TEST_F(ProbeCommand, WhatCannotBeReadIsSaidAndHasItsExitCode) {
  const std::string path = TablePath();
  const std::string name = path.substr(dir_.path().size() + 1);
  std::string table = dir_.Read(name);
  table[10] = static_cast<char>(table[10] ^ 1);
  dir_.Write(name, table);
  const RunResult run = Tamis({"probe", store_, "user10000"});
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(Contains(run.out, "cannot be read")) << run.out;
  EXPECT_TRUE(Contains(run.out, path + ": offset 0: ")) << run.out;
  // Other blocks are read.
  EXPECT_EQ(Tamis({"probe", store_, "user11900"}).code, 0);
}

}  // namespace
}  // namespace tamis::tools
