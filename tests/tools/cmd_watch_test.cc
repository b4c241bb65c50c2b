// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "sstable_prometheus.h"
#include "tests/tools/doctor_store.h"

namespace tamis::tools {
namespace {

class WatchCommand : public DoctorStore {
 protected:
  WatchCommand() { std::filesystem::create_directory(dir_.File("out")); }

  const std::string prom_ = dir_.File("out/filters.prom");
};

// Parses the text format: metrics with their labels, each after its own HELP
// and TYPE.
std::map<std::string, double> ParsedMetrics(const std::string& text) {
  std::map<std::string, double> values;
  std::set<std::string> helped;
  std::set<std::string> typed;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string first;
    std::string second;
    std::string name;
    words >> first;
    if (first == "#") {
      words >> second >> name;
      auto& heads = second == "HELP" ? helped : typed;
      EXPECT_TRUE(heads.insert(name).second) << line;
      continue;
    }
    const std::string metric = line.substr(0, line.find_first_of("{ "));
    EXPECT_TRUE(helped.contains(metric) && typed.contains(metric)) << line;
    const std::size_t space = line.rfind(' ');
    EXPECT_TRUE(
        values.emplace(line.substr(0, space), std::stod(line.substr(space + 1)))
            .second)
        << line;
  }
  EXPECT_EQ(helped, typed);
  return values;
}

TEST_F(WatchCommand, WritesWhatScanShows) {
  dir_.Write("out/other", "");
  const RunResult run = Tamis({"watch", store_, "--prom", prom_});
  EXPECT_EQ(run.code, 0) << run.err;
  const std::string text = dir_.Read("out/filters.prom");
  EXPECT_EQ(text.back(), '\n');
  const auto metrics = ParsedMetrics(text);
  const auto scanned = LinesOf({"scan", store_});
  const std::string labels = "{directory=\"" + store_ + "\",group=\"" +
                             scanned[1].at("group").get<std::string>() +
                             "\",engine=\"leveldb\"";
  EXPECT_EQ(metrics.at("tamis_filter_sstables" + labels + "}"), 1);
  EXPECT_EQ(metrics.at("tamis_filter_keys" + labels + "}"), 2000);
  EXPECT_EQ(metrics.at("tamis_filter_bytes" + labels + "}"),
            scanned[0].at("filter").at("bytes").get<double>());
  EXPECT_NEAR(metrics.at("tamis_filter_needless_reads" + labels + "}"),
              scanned[1].at("needless_reads").get<double>(), 1e-9);
  EXPECT_EQ(
      metrics.at("tamis_filter_verdict_sstables" + labels + ",verdict=\"ok\"}"),
      1);
  EXPECT_EQ(metrics.at("tamis_filter_scan_problems"), 0);
  EXPECT_GT(metrics.at("tamis_filter_scan_timestamp_seconds"), 1.7e9);
  // Nothing is left beside it that a collector would read.
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(dir_.File("out"))) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 2);
}

TEST_F(WatchCommand, ReplacesTheFileWhateverTheVerdict) {
  dir_.Write("out/filters.prom", "old");
  Compact("none");
  EXPECT_EQ(Tamis({"watch", store_, "--prom", prom_}).code, 1);
  EXPECT_TRUE(
      Contains(dir_.Read("out/filters.prom"), "verdict=\"missing\"} 1\n"));
  dir_.Write("store/000099.sst", "no table");
  EXPECT_EQ(Tamis({"watch", store_, "--prom", prom_}).code, 3);
  const auto lines = LinesOf({"watch", store_, "--prom", prom_});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].at("sstables"), 2);
  Tamis({"watch", store_, "--prom", prom_, "--only", "missing"});
  const std::string only = dir_.Read("out/filters.prom");
  EXPECT_FALSE(Contains(only, "needless_reads"));
  EXPECT_FALSE(Contains(only, "verdict=\"ok\""));
}

TEST_F(WatchCommand, LeavesTheFileAsItIsWhenNothingCanBeScanned) {
  dir_.Write("out/filters.prom", "old");
  EXPECT_EQ(Tamis({"watch", dir_.File("none"), "--prom", prom_}).code, 3);
  EXPECT_EQ(dir_.Read("out/filters.prom"), "old");
  EXPECT_EQ(Tamis({"watch", store_}).code, kExitError);
  const RunResult run =
      Tamis({"watch", store_, "--prom", dir_.File("no/such/file.prom")});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(IsOneLineFrom("watch", run.err)) << run.err;
}

TEST(PrometheusText, EscapesLabels) {
  EXPECT_EQ(LabelValue("plain"), "plain");
  EXPECT_EQ(LabelValue("a\"b\\c"), "a\\\"b\\\\c");
  EXPECT_EQ(LabelValue("a\nb"), "a\\\\x0ab");
  SstableInfo info;
  info.path = "odd \"name\"/1.sst";
  info.engine = "rocksdb";
  info.group = "level 0";
  ScanReport report;
  report.sstables = {info};
  EXPECT_TRUE(Contains(ToPrometheus(report, {}),
                       "{directory=\"odd \\\"name\\\"\",group="));
}

}  // namespace
}  // namespace tamis::tools
