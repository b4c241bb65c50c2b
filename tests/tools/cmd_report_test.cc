// SPDX-License-Identifier: Apache-2.0
// tamis report: the page, and what is in it.  What it does in a browser is
// tested by tests/report_page/.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report_data.h"
#include "report_page.h"
#include "sstable_report.h"
#include "tamis/sstable_whatif.h"
#include "tests/tools/in_process.h"
#include "text.h"
#include "what_if_tables.h"

namespace tamis::tools {
namespace {

constexpr std::string_view kDataStart =
    R"(<script type="application/json" id="data">)";

std::string FileText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::size_t CountOf(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

// What an HTML parser takes for the contents of the data's element.
std::string DataText(const std::string& page) {
  const std::size_t start = page.find(kDataStart);
  EXPECT_NE(start, std::string::npos);
  const std::size_t from = start + kDataStart.size();
  return page.substr(from, page.find("</script", from) - from);
}

nlohmann::json DataOf(const std::string& page) {
  return nlohmann::json::parse(DataText(page));
}

SstableInfo MadeUpTable(int level, const std::string& name,
                        std::uint64_t keys) {
  SstableInfo info;
  info.path = "db/" + name;
  info.engine = "rocksdb";
  info.version = "5";
  info.level = level;
  info.group = "level " + std::to_string(level);
  info.entries = keys;
  info.bytes = keys * 100;
  info.verdict = FilterVerdict::kOk;
  info.filter.kind = "bloom";
  info.filter.keys = static_cast<double>(keys);
  info.filter.bits = keys * 10;
  info.filter.bytes = keys * 10 / 8;
  info.filter.rate = 0.01;
  return info;
}

std::string PageAbout(const ScanReport& report) {
  const auto data = ReportData(report, {.paths = {"db"}, .made = "now"}, 2);
  EXPECT_TRUE(data.ok());
  return FillPage(ReportTemplate(),
                  {.title = "db", .text = "text", .data = *data});
}

class ReportCommand : public ::testing::Test {
 protected:
  ReportCommand() {
    std::string pairs;
    for (int i = 10000; i < 12000; ++i) {
      pairs += "user" + std::to_string(i) + "\tvalue\n";
    }
    EXPECT_EQ(Tamis({"db", "load", store_, "--create"}, {.input = pairs}).code,
              0);
    EXPECT_EQ(Tamis({"db", "compact", store_}).code, 0);
  }

  TempDir dir_{TempDir::InMemory()};
  const std::string store_ = dir_.File("store");
  const std::string page_ = dir_.File("report.html");
};

TEST_F(ReportCommand, WritesAPageWithWhatScanSays) {
  const RunResult run = Tamis({"report", store_, "-o", page_});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Contains(run.err, "tamis report: 1 table, ")) << run.err;
  const std::string page = FileText(page_);
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n"));
  EXPECT_FALSE(Contains(page, "@TAMIS_"));
  const nlohmann::json data = DataOf(page);
  const std::string scanned = Tamis({"scan", store_, "--json"}).out;
  const auto table =
      nlohmann::json::parse(scanned.substr(0, scanned.find('\n')));
  ASSERT_EQ(data.at("files").size(), 1u);
  const nlohmann::json& row = data.at("files").at(0);
  EXPECT_EQ(store_ + "/" + row.at("file").get<std::string>(), table.at("file"));
  EXPECT_EQ(row.at("rate"), table.at("filter").at("expected_rate"));
  EXPECT_EQ(row.at("fill"), table.at("filter").at("fill"));
  EXPECT_EQ(row.at("verdict"), "ok");
  const nlohmann::json& scope = data.at("scopes").at(0);
  EXPECT_EQ(scope.at("needless_reads"), row.at("rate"));
  EXPECT_EQ(scope.at("what_if").at("curves").size(), 3u);
  EXPECT_TRUE(Contains(page, "<pre>" + store_ + ":\n"));
}

TEST_F(ReportCommand, ExitsAsScanDoesAndWritesThePageAllTheSame) {
  EXPECT_EQ(Tamis({"db", "compact", store_, "--filter", "none"}).code, 0);
  EXPECT_EQ(Tamis({"report", store_, "-o", page_}).code, 1);
  EXPECT_EQ(DataOf(FileText(page_)).at("files").at(0).at("verdict"), "missing");
  dir_.Write("000099.sst", "neither LevelDB's nor RocksDB's");
  const RunResult run = Tamis({"report", dir_.path(), "-o", page_, "--force"});
  EXPECT_EQ(run.code, kExitUnreadable);
  EXPECT_EQ(DataOf(FileText(page_)).at("files").size(), 2u);
}

TEST_F(ReportCommand, OverwritesOnlyByForceAndNothingOnErrors) {
  dir_.Write("report.html", "mine");
  const RunResult kept = Tamis({"report", store_, "-o", page_});
  EXPECT_EQ(kept.code, kExitError);
  EXPECT_TRUE(IsOneLineFrom("report", kept.err)) << kept.err;
  EXPECT_TRUE(Contains(kept.err, "--force overwrites it")) << kept.err;
  EXPECT_EQ(Tamis({"report", dir_.File("missing"), "-o", page_, "-f"}).code,
            kExitUnreadable);
  const std::string notes = dir_.Write("notes.txt", "text");
  EXPECT_EQ(Tamis({"report", notes, "-o", page_, "-f"}).code, kExitError);
  EXPECT_EQ(Tamis({"report", store_}).code, kExitError);
  EXPECT_EQ(Tamis({"report", store_, "-o", dir_.File("no/such")}).code,
            kExitError);
  EXPECT_EQ(FileText(page_), "mine");
}

TEST_F(ReportCommand, WritesToStandardOutputButNotToATerminal) {
  const RunResult run = Tamis({"report", store_, "-o", "-", "--quiet"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(run.out.starts_with("<!DOCTYPE html>\n"));
  EXPECT_EQ(run.err, "");
  const RunResult shown =
      Tamis({"report", store_, "-o", "-"}, {.terminal = true});
  EXPECT_EQ(shown.code, kExitError);
  EXPECT_TRUE(Contains(shown.err, "will not write a page to the terminal"));
}

TEST_F(ReportCommand, ADirectoryWithAHostileNameIsTextInThePage) {
  const std::string hostile = dir_.File("<script>alert(1)<");
  std::filesystem::create_directories(hostile + "/script>");
  std::filesystem::copy(store_, hostile + "/script>/<!--");
  const RunResult run = Tamis({"report", hostile, "-o", page_});
  EXPECT_EQ(run.code, 0) << run.err;
  const std::string page = FileText(page_);
  EXPECT_EQ(CountOf("<script", page), CountOf("<script", ReportTemplate()));
  EXPECT_EQ(CountOf("</script", page), CountOf("</script", ReportTemplate()));
  EXPECT_EQ(CountOf("<!--", page), CountOf("<!--", ReportTemplate()));
  const nlohmann::json data = DataOf(page);
  EXPECT_EQ(data.at("paths").at(0), hostile);
  EXPECT_EQ(data.at("files").at(0).at("directory"), hostile + "/script>/<!--");
}

TEST(ReportPage, NoNameOrRemarkEndsTheElementThatItIsIn) {
  const std::vector<std::string> names = {
      "</script><script>alert(1)</script>",
      "<!--<script>",
      "</SCRIPT\t>",
      "]]>\xe2\x80\xa8\xe2\x80\xa9",
      "@TAMIS_DATA@ @TAMIS_TEXT@",
      "\xff\xc0\x80\x1b[2J",
  };
  for (const std::string& name : names) {
    ScanReport report;
    report.sstables = {MadeUpTable(1, name, 1000)};
    report.sstables[0].remarks = {name};
    report.problems = {name};
    AddTotals(&report);
    const auto data = ReportData(report, {.paths = {name}, .made = name}, 1);
    ASSERT_TRUE(data.ok());
    const std::string page = FillPage(
        "<title>@TAMIS_TITLE@</title><pre>@TAMIS_TEXT@</pre>" +
            std::string(kDataStart) + "@TAMIS_DATA@</script>@TAMIS_OTHER@",
        {.title = name, .text = name + "\n\t" + name, .data = *data});
    EXPECT_EQ(CountOf("<", page), 6u) << page;
    EXPECT_TRUE(page.ends_with("</script>@TAMIS_OTHER@"));
    EXPECT_FALSE(Contains(page, "\x1b"));
    EXPECT_TRUE(IsUtf8(page));
    const nlohmann::json read = DataOf(page);
    if (name.front() != '\xff') {
      EXPECT_EQ(read.at("problems").at(0), name);
      EXPECT_EQ(read.at("files").at(0).at("remarks").at(0), name);
    }
  }
}

// That nothing else could be loaded is for the browser to say.
TEST(ReportPage, TheTemplateNamesNoOtherPlace) {
  const std::string_view page = ReportTemplate();
  EXPECT_TRUE(Contains(page,
                       "Content-Security-Policy\" content=\""
                       "default-src 'none'; script-src 'sha256-"));
  EXPECT_FALSE(Contains(page, "unsafe"));
  // The name of a namespace; it is not loaded.
  EXPECT_EQ(CountOf("://", page), CountOf("http://www.w3.org/2000/svg", page));
  EXPECT_EQ(CountOf(" src=", page), 0u);
  EXPECT_EQ(CountOf("@import", page), 0u);
  for (const char* const place :
       {"@TAMIS_TITLE@", "@TAMIS_TEXT@", "@TAMIS_DATA@"}) {
    EXPECT_EQ(CountOf(place, page), 1u) << place;
  }
}

// So the page and `tamis whatif` agree.
TEST(WhatIfTables, HaveTheAnswersOfTheLibrary) {
  const std::vector<SstableInfo> tables = {
      MadeUpTable(0, "1.sst", 5000), MadeUpTable(0, "2.sst", 7000),
      MadeUpTable(1, "3.sst", 60000), MadeUpTable(1, "4.sst", 30000)};
  const auto written = WhatIfTables(tables, 2);
  ASSERT_TRUE(written.ok()) << written.status().message();
  const auto json = nlohmann::json::parse(written->Text());
  const std::vector<SstableGroup> groups = GroupSstables(tables);
  const std::vector<double> bits = BitsOfSteps();
  const std::vector<std::uint64_t> memory = MemoryOfSteps(102000, 4, 3);
  ASSERT_GT(bits.size(), 20u);
  ASSERT_GT(memory.size(), 20u);
  for (const std::size_t step : {std::size_t{0}, std::size_t{18}}) {
    const auto by_bits =
        AskWhatIf(tables, groups, "rocksdb", {.bits_per_key = bits[step]});
    const auto by_memory =
        AskWhatIf(tables, groups, "rocksdb", {.memory = memory[step]});
    ASSERT_TRUE(by_bits.ok() && by_memory.ok());
    for (std::size_t kind = 0; kind < 2; ++kind) {
      const WhatIfPlan& sized = by_bits->plans[kind];
      const WhatIfPlan& divided = by_memory->plans[kind];
      const auto& curve = json.at("curves").at(kind);
      const auto& division = json.at("divisions").at(kind);
      EXPECT_EQ(curve.at("kind"), sized.kind.name);
      EXPECT_EQ(curve.at("bits_per_key").at(step), bits[step]);
      EXPECT_EQ(curve.at("bytes").at(step), sized.total.bytes);
      EXPECT_EQ(curve.at("needless_reads").at(step),
                sized.total.needless_reads);
      EXPECT_EQ(division.at("memory").at(step), memory[step]);
      EXPECT_EQ(division.at("needless_reads").at(step),
                divided.total.needless_reads);
      EXPECT_EQ(division.at("equal_reads").at(step),
                divided.equal->needless_reads);
      for (std::size_t level = 0; level < 2; ++level) {
        EXPECT_EQ(curve.at("level_reads").at(level).at(step),
                  sized.groups[level].needless_reads);
        EXPECT_EQ(division.at("level_reads").at(level).at(step),
                  divided.groups[level].needless_reads);
      }
    }
  }
}

TEST(WhatIfTables, SayWhyThereAreNone) {
  SstableInfo unlisted = MadeUpTable(1, "1.sst", 1000);
  unlisted.level = -1;
  unlisted.group = "not in the manifest";
  const auto uncounted = WhatIfTables(std::vector{unlisted}, 1);
  EXPECT_EQ(uncounted.status().code(), StatusCode::kNotSupported);
  EXPECT_TRUE(Contains(uncounted.status().message(), "a lookup comes to"));
  const auto empty = WhatIfTables(std::vector{MadeUpTable(1, "1.sst", 0)}, 1);
  EXPECT_EQ(empty.status().code(), StatusCode::kNotSupported);
  EXPECT_TRUE(Contains(empty.status().message(), "how many keys"));
  ScanReport report;
  report.sstables = {unlisted};
  AddTotals(&report);
  const nlohmann::json scope = DataOf(PageAbout(report)).at("scopes").at(0);
  EXPECT_EQ(scope.count("what_if"), 0u);
  EXPECT_EQ(scope.count("needless_reads"), 0u);
  EXPECT_EQ(scope.at("why_no_what_if"), uncounted.status().message());
}

}  // namespace
}  // namespace tamis::tools
