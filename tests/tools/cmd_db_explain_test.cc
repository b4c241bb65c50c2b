// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lookup_boxes.h"
#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"
#include "text.h"

namespace tamis::tools {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// The line that has `part`; empty if none has.
std::string LineWith(std::string_view text, std::string_view part) {
  for (const std::string_view line : LinesOf(text)) {
    if (Contains(line, part)) return std::string(line);
  }
  return "";
}

TEST(DbExplain, MarksTheTableThatHasTheValue) {
  TempDir dir;
  MakeStore(dir.File("db"));
  const RunResult run = Tamis({"db", "explain", dir.File("db"), "a0123"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(Contains(LineWith(run.out, "memtable"), "filter: not here"));
  EXPECT_TRUE(
      Contains(LineWith(run.out, "m0000 … m0499"), "does not span this key"))
      << run.out;
  EXPECT_TRUE(
      Contains(LineWith(run.out, "a0000 … a0499"), "║  bloom filter: maybe"))
      << run.out;
  EXPECT_TRUE(Contains(run.out, "║  ◀ 1 block read: found\n")) << run.out;
  EXPECT_TRUE(Contains(run.out, "value of a0123\n")) << run.out;
  EXPECT_TRUE(Contains(run.out, "  1  looked into, 1 block read\n"));
}

TEST(DbExplain, ADeletionIsAnAnswer) {
  TempDir dir;
  MakeStore(dir.File("db"));
  const RunResult run = Tamis({"db", "explain", dir.File("db"), "a0007"});
  EXPECT_EQ(run.code, kExitNegative);
  EXPECT_TRUE(Contains(LineWith(run.out, "memtable"), "║  ◀ deleted"));
  EXPECT_TRUE(Contains(run.out, " no such key\n")) << run.out;
  EXPECT_TRUE(Contains(run.out, "  2  not asked: "));
}

TEST(DbExplain, AFilterSparesTheRead) {
  TempDir dir;
  MakeStore(dir.File("db"));
  const RunResult run = Tamis({"db", "explain", dir.File("db"), "a0123x"});
  EXPECT_EQ(run.code, kExitNegative);
  EXPECT_TRUE(
      Contains(LineWith(run.out, "a0000 … a0499"), "┆  bloom filter: not here"))
      << run.out;
  EXPECT_TRUE(Contains(run.out, "  1  ruled out by a filter\n")) << run.out;
}

TEST(DbExplain, ListsTheFiltersThatWereAskedByLevel) {
  TempDir dir;
  MakeStore(dir.File("db"));
  const std::vector<std::string> args = {"db", "explain", dir.File("db"),
                                         "a0123x"};
  const std::string line = LineWith(Tamis(args).out, "  level 0  ");
  EXPECT_TRUE(Contains(line, " 1  bloom  ")) << line;
  EXPECT_TRUE(Contains(line, " %")) << line;
  // A key that no table spans asks no filter.
  EXPECT_EQ(LineWith(Tamis({"db", "explain", dir.File("db"), "b"}).out,
                     "bits per key"),
            "");
}

TEST(DbExplain, ASampleShowsHowOftenFiltersAreWrong) {
  TempDir dir;
  MakeStore(dir.File("db"));
  std::vector<std::string> args = {"db", "explain", dir.File("db"), "a0123x"};
  EXPECT_FALSE(Contains(Tamis(args).out, "observed"));
  args.insert(args.end(), {"--sample", "3000"});
  const RunResult run = Tamis(args);
  EXPECT_EQ(run.code, kExitNegative) << run.err;
  EXPECT_TRUE(Contains(run.out, "expected  observed\n")) << run.out;
  args.push_back("--json");
  const auto json = nlohmann::json::parse(Tamis(args).out);
  ASSERT_EQ(json["levels"].size(), 1u);
  EXPECT_EQ(json["levels"][0]["level"], 0);
  EXPECT_GT(json["levels"][0]["probes"], 2000);
  const double observed = json["levels"][0]["observed_rate"];
  EXPECT_GT(observed, 0.002);
  EXPECT_LT(observed, 0.03);
}

TEST(DbExplain, RefusesSamplesThatAreNoNumber) {
  TempDir dir;
  MakeStore(dir.File("db"));
  for (const std::string command : {"explain", "stats"}) {
    for (const std::string sample : {"many", "2e9", "-1"}) {
      std::vector<std::string> args = {"db", command, dir.File("db")};
      if (command == "explain") args.emplace_back("key");
      args.push_back("--sample=" + sample);
      const RunResult run = Tamis(args);
      EXPECT_EQ(run.code, kExitError) << sample;
      EXPECT_TRUE(Contains(run.err, "--sample")) << run.err;
    }
  }
}

TEST(DbExplain, TablesThatDoNotSpanTheKeyAreFolded) {
  TempDir dir;
  MakeStore(dir.File("db"));
  const RunResult run = Tamis({"db", "explain", dir.File("db"), "b"});
  EXPECT_EQ(run.code, kExitNegative);
  EXPECT_TRUE(
      Contains(LineWith(run.out, "… 2 tables"), "┆  do not span this key"))
      << run.out;
}

TEST(DbExplain, DamageIsAnErrorThatIsDrawn) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  FlipBit(db + "/" + TablesOf(db).front(), 100);
  const RunResult run = Tamis({"db", "explain", db, "a0001"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.out, "◀ cannot be read")) << run.out;
  EXPECT_TRUE(IsOneLineFrom("db explain", run.err)) << run.err;
}

TEST(DbExplain, NeverTakesMoreThan80Columns) {
  TempDir dir;
  const std::string db = dir.File("db");
  {
    auto store = Store::Open(db, QuietOptions());
    ASSERT_TRUE(store.ok());
    const std::string wide(300, 'w');
    ASSERT_TRUE(store->Put({}, wide + "\xff\n", wide).ok());
    ASSERT_TRUE(store->Put({}, "a" + wide, wide).ok());
    ASSERT_TRUE(store->Put({}, "\xff", "").ok());
    ASSERT_TRUE(store->Flush().ok());
  }
  for (const std::string& key : {"a" + std::string(300, 'w'), std::string(),
                                 std::string("\xff"), std::string("b")}) {
    for (const bool colour : {false, true}) {
      const RunResult run =
          Tamis({"db", "explain", db, key}, {.colour = colour});
      EXPECT_EQ(Contains(run.out, "\x1b["), colour);
      if (colour) continue;
      for (const std::string_view line : LinesOf(run.out)) {
        EXPECT_LE(Columns(line), 80u) << line;
      }
    }
  }
}

TEST(DbExplain, JsonHasTheSteps) {
  TempDir dir;
  MakeStore(dir.File("db"));
  const auto json = nlohmann::json::parse(
      Tamis({"db", "explain", dir.File("db"), "6130303031", "--hex", "--json"})
          .out);
  EXPECT_EQ(json["key_hex"], "6130303031");
  EXPECT_EQ(json["found"], true);
  EXPECT_EQ(json["value_hex"], "76616c7565206f66206130303031");
  ASSERT_EQ(json["steps"].size(), 3u);
  EXPECT_EQ(json["steps"][0]["place"], "memtable");
  EXPECT_EQ(json["steps"][1]["outcome"], "out_of_range");
  EXPECT_EQ(json["steps"][2]["outcome"], "found");
  EXPECT_EQ(json["steps"][2]["level"], 0);
  EXPECT_EQ(json["steps"][2]["blocks_read"], 1);
}

TEST(LookupBoxes, FoldsLongRunsOfOneOutcome) {
  Explanation told;
  StoreStats stats;
  stats.levels[1].tables = 30;
  LookupStep step;
  step.level = 1;
  step.filter = "bloom";
  for (int i = 0; i < 14; ++i) told.steps.push_back(step);
  step.outcome = LookupStep::Outcome::kFilterAbsent;
  for (int i = 0; i < 9; ++i) told.steps.push_back(step);
  step.outcome = LookupStep::Outcome::kFound;
  told.steps.push_back(step);
  const auto boxes = BoxesOf(told, stats, false);
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_EQ(boxes[0].label, "level 1");
  EXPECT_EQ(boxes[0].tone(), Tone::kFound);
  const auto& rows = boxes[0].rows;
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0].left, "… 14 tables");
  EXPECT_EQ(rows[0].remarks.front(), "do not span this key");
  EXPECT_EQ(rows[4].left, "… 6 tables");
  EXPECT_EQ(rows[4].remarks.front(), "filters: not here");
  EXPECT_EQ(rows[6].left, "… 6 tables");
  EXPECT_EQ(rows[6].remarks.front(), "not asked");
}

TEST(LookupBoxes, ARangeLeavesOutWhatBothKeysShare) {
  EXPECT_EQ(ShortRange("apple", "zebra", 20), "apple … zebra");
  EXPECT_EQ(ShortRange("user:000123", "user:000987", 16), "…123 … …987");
  EXPECT_EQ(ShortRange("order:100", "order:199", 11), "…100 … …199");
  EXPECT_EQ(ShortRange("order:100", "order:199", 10), "…00 … …99");
  EXPECT_EQ(ShortRange("größe", "größer", 14), "größe … größer");
  EXPECT_EQ(ShortRange("straße:ä", "straße:ö", 11), "…ä … …ö");
  EXPECT_EQ(ShortRange("a", "zzzzzzzzzzzzzzzzzzzz", 12), "a … zzzzzzz…");
  EXPECT_EQ(ShortRange("aaaaaaaaaaaaaaa", "zzzzzzzzzzzz", 13), "aaaa… … zzzz…");
}

TEST(LookupBoxes, TextIsCutByColumnsAndNeverWithinACharacter) {
  EXPECT_EQ(CutTo("größer", 6), "größer");
  EXPECT_EQ(CutTo("größer", 4), "grö…");
  EXPECT_EQ(CutTo("日本語", 6), "日本語");
  EXPECT_EQ(CutTo("日本語", 5), "日本…");
  EXPECT_EQ(CutTo("日本語", 4), "日…");
}

TEST(LookupBoxes, UseTheColumnsThatThereAre) {
  EXPECT_EQ(PictureLayout::For(0).row, PictureLayout().row);
  EXPECT_EQ(PictureLayout::For(80).row, PictureLayout().row);
  EXPECT_EQ(PictureLayout::For(100).row, PictureLayout().row + 20);
  EXPECT_EQ(PictureLayout::For(1000).row, PictureLayout().row + 80);
}

// The longest line, in columns.
std::size_t WidthOf(const std::string& text) {
  std::size_t width = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    width = std::max(width, Columns(line));
  }
  return width;
}

TEST(DbExplain, IsAsWideAsTheTerminalAndShowsKeysAsScanDoes) {
  TempDir dir;
  const std::string db = dir.File("db");
  const std::string last = "straße:" + std::string(40, 'z');
  {
    auto store = Store::Open(db, QuietOptions());
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(store->Put({}, "straße:äpfel", "schön\n").ok());
    ASSERT_TRUE(store->Put({}, last, "x").ok());
    ASSERT_TRUE(store->Flush().ok());
  }
  const std::vector<std::string> args = {"db", "explain", db, "straße:äpfel"};
  const RunResult narrow = Tamis(args);
  EXPECT_TRUE(Contains(narrow.out, "straße:äpfel\n")) << narrow.out;
  EXPECT_TRUE(Contains(narrow.out, "schön\\n\n")) << narrow.out;
  EXPECT_FALSE(Contains(narrow.out, last)) << narrow.out;
  EXPECT_LE(WidthOf(narrow.out), 80u);
  const RunResult wide = Tamis(args, {.out_columns = 140});
  EXPECT_TRUE(Contains(wide.out, last + " … straße:äpfel")) << wide.out;
  EXPECT_GT(WidthOf(wide.out), 80u);
  EXPECT_LE(WidthOf(wide.out), 140u);
}

}  // namespace
}  // namespace tamis::tools
