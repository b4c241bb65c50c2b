// SPDX-License-Identifier: Apache-2.0
// A store with one table, for tests of the commands that look at sstables.

#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/in_process.h"

namespace tamis::tools {

class DoctorStore : public ::testing::Test {
 protected:
  DoctorStore() {
    std::string pairs;
    for (int i = 10000; i < 12000; ++i) {
      pairs += "user" + std::to_string(i) + "\tvalue\n";
    }
    EXPECT_EQ(Tamis({"db", "load", store_, "--create"}, {.input = pairs}).code,
              0);
    Compact("bloom:10");
  }
  void Compact(const std::string& filter) {
    EXPECT_EQ(Tamis({"db", "compact", store_, "--filter", filter}).code, 0);
  }
  // Every line of the output of that command, which is an object.
  static std::vector<nlohmann::json> LinesOf(std::vector<std::string> args) {
    args.emplace_back("--json");
    std::vector<nlohmann::json> lines;
    std::istringstream in(Tamis(args).out);
    for (std::string line; std::getline(in, line);) {
      lines.push_back(nlohmann::json::parse(line));
      EXPECT_EQ(lines.back().at("schema_version"), 1);
    }
    return lines;
  }
  std::string TablePath() const {
    return LinesOf({"scan", store_}).front().at("file");
  }

  TempDir dir_{TempDir::InMemory()};
  const std::string store_ = dir_.File("store");
};

}  // namespace tamis::tools
