// SPDX-License-Identifier: Apache-2.0
// The pages are true: every ```console block of every document is run, and
// prints what it says; the README's C++ is that of an example; the figures that
// pages show are those of the stored run; every public header is named.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/base/temp_dir.h"
#include "tests/tools/sessions.h"

namespace tamis::tools {
namespace {

namespace fs = std::filesystem;

std::string ReadPage(const std::string& path) {
  std::ifstream in(TAMIS_SOURCE_DIR "/" + path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Returns the paths of all documents of the repository, in order.
std::vector<std::string> AllDocuments() {
  std::vector<std::string> documents;
  const fs::path root = TAMIS_SOURCE_DIR;
  for (auto it = fs::recursive_directory_iterator(root);
       it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() && (name == "build" || name == ".git")) {
      it.disable_recursion_pending();
    } else if (it->path().extension() == ".md") {
      documents.push_back(fs::relative(it->path(), root).string());
    }
  }
  std::sort(documents.begin(), documents.end());
  return documents;
}

// docs_test.cc runs these: they need a file of the corpus, too.
bool IsOfTheCommand(const std::string& document) {
  return document.starts_with("docs/command");
}

TEST(Pages, EverySessionPrintsWhatItSays) {
  std::map<std::string, std::size_t> steps_of;
  for (const std::string& document : AllDocuments()) {
    if (IsOfTheCommand(document)) continue;
    const auto steps = SessionSteps(document, kConsoleFence);
    steps_of[document] = steps.size();
    ExpectSession(document, steps, TempDir());
  }
  // The search for documents works.
  for (const std::string page :
       {"README.md", "docs/store.md", "docs/from-leveldb.md"}) {
    EXPECT_GE(steps_of[page], 3u) << page;
  }
}

// A block that nobody runs would look like one that is true.
TEST(Pages, NoSessionGoesByAnotherName) {
  for (const std::string& document : AllDocuments()) {
    std::ifstream in(TAMIS_SOURCE_DIR "/" + document);
    bool inside = false;
    int number = 0;
    std::string fence;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const std::size_t text = line.find_first_not_of(' ');
      if (text != std::string::npos && line.substr(text).starts_with("```")) {
        inside = !inside;
        fence = line;
        const bool is_run = line == kConsoleFence ||
                            (line == kParquetFence && IsOfTheCommand(document));
        EXPECT_TRUE(!inside || is_run ||
                    line.find("console") == std::string::npos)
            << document << ":" << number << ": " << line;
      } else if (inside && fence == kLevelDbFence &&
                 document == "docs/from-leveldb.md") {
        // Run by the tests of integrations/leveldb/, which have the programs.
      } else if (inside && fence != kConsoleFence && fence != kParquetFence) {
        EXPECT_FALSE(line.starts_with("$ ")) << document << ":" << number;
      }
    }
    EXPECT_FALSE(inside) << document << ": a block that does not end";
  }
}

// Returns the first code of that language on a page.
std::string CodeOf(const std::string& page, const std::string& language) {
  const std::string start = "```" + language + "\n";
  const std::size_t from = page.find(start) + start.size();
  return page.substr(from, page.find("```", from) - from);
}

TEST(Readme, ItsCodeIsThatOfTheExample) {
  const std::string code = CodeOf(ReadPage("README.md"), "cpp");
  ASSERT_GT(code.size(), 100u);
  EXPECT_NE(ReadPage("examples/quick_start.cc").find(code), std::string::npos)
      << code;
}

TEST(CDocument, ItsCodeIsThatOfTheExample) {
  const std::string code = CodeOf(ReadPage("docs/c.md"), "c");
  ASSERT_GT(code.size(), 100u);
  EXPECT_NE(ReadPage("examples/quick_start.c").find(code), std::string::npos)
      << code;
}

TEST(LibraryDocument, NamesEveryPublicHeader) {
  const std::string page = ReadPage("docs/library.md");
  std::size_t headers = 0;
  for (const auto& entry :
       fs::directory_iterator(TAMIS_SOURCE_DIR "/include/tamis")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".h") continue;
    ++headers;
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
  }
  EXPECT_GE(headers, 20u);
}

// "2,320" and "2320" are one figure; "–" and "-" are none.
double FigureOf(std::string cell) {
  std::erase_if(cell, [](char c) { return c == ',' || c == ' ' || c == '*'; });
  std::istringstream in(cell);
  double figure = 0;
  return in >> figure ? figure : std::numeric_limits<double>::quiet_NaN();
}

// One metric of the stored run, in the unit that pages show it in.
struct Stored {
  std::string metric;
  double unit;
};

// The stores in the order of the pages' columns.
constexpr std::array<const char*, 4> kStores = {"Tamis", "LevelDB", "RocksDB",
                                                "LMDB"};

// Returns how many of them took part in the stored run: three or four.
std::size_t StoresIn(const nlohmann::json& stores) {
  return stores.contains("LMDB") && !stores.at("LMDB").empty() ? 4 : 3;
}

void ExpectStored(const nlohmann::json& stores, const Stored& stored,
                  const std::vector<std::string>& cells) {
  const auto& names = kStores;
  ASSERT_GE(cells.size(), 3);
  ASSERT_LE(cells.size(), StoresIn(stores));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const nlohmann::json& figures = stores.at(names[i]);
    const double shown = FigureOf(cells[i]);
    if (!figures.contains(stored.metric)) {
      EXPECT_TRUE(std::isnan(shown)) << names[i] << ", " << stored.metric;
      continue;
    }
    const double median =
        figures.at(stored.metric).at("median").get<double>() / stored.unit;
    // Pages show three digits or more, rounded.
    EXPECT_NEAR(shown, median, std::max(0.05, median / 200))
        << names[i] << ", " << stored.metric;
  }
}

// Returns the run, one of many machines', to which docs/results.md links.
nlohmann::json StoredRun() {
  const std::string page = ReadPage("docs/results.md");
  std::smatch link;
  if (!std::regex_search(
          page, link,
          std::regex(R"(\(\.\./(bench/results/[^)]*store\.json)\))"))) {
    ADD_FAILURE() << "docs/results.md links to no stored run";
    return nlohmann::json::object();
  }
  return nlohmann::json::parse(ReadPage(link[1].str())).at("stores");
}

constexpr double kMicrosecond = 1000;
constexpr double kMebibyte = 1 << 20;

TEST(Readme, ThePictureIsDescribedWithTheStoresThatItShows) {
  const nlohmann::json stores = StoredRun();
  for (const char* page : {"README.md", "docs/results.md"}) {
    const std::string text = ReadPage(page);
    std::smatch image;
    ASSERT_TRUE(std::regex_search(
        text, image, std::regex(R"(!\[([^\]]*)\]\([^)]*store-lookups\.svg\))")))
        << page;
    for (const char* name : kStores) {
      const bool shown = stores.contains(name) && !stores.at(name).empty();
      EXPECT_EQ(image[1].str().find(name) != std::string::npos, shown)
          << page << ", " << name;
    }
  }
}

TEST(Readme, ItsFiguresOfStoresAreThoseOfTheStoredRun) {
  const nlohmann::json stores = StoredRun();
  std::map<std::string, Stored> left = {
      {"missing key, ns", {"missing", 1}},
      {"missing key, 200,000 entries in the memtable, ns",
       {"missing_memtable", 1}},
      {"missing key, 100 overlapping tables, ns", {"missing_overlap", 1}},
      {"present key, ns", {"present", 1}},
      {"random fill until settled, ns per entry", {"fill_random_settled", 1}},
      {"full scan, ns per entry", {"scan", 1}},
      {"opening, µs", {"open", kMicrosecond}},
      {"**first lookup after opening, µs**", {"first_get", kMicrosecond}},
      {"**memory of its own, MiB**", {"memory_private", kMebibyte}},
      {"written by the random fill, MiB", {"fill_random_written", kMebibyte}},
      {"on disk, MiB", {"disk", kMebibyte}},
  };
  std::istringstream page(ReadPage("README.md"));
  for (std::string line; std::getline(page, line);) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    // "", title, figures of three stores or of all, ratio
    if (cells.size() < 6 || cells.size() > 7) continue;
    const std::string title = cells[1].substr(1, cells[1].size() - 2);
    const auto found = left.find(title);
    if (found == left.end()) continue;
    ExpectStored(stores, found->second, {cells.begin() + 2, cells.end() - 1});
    left.erase(found);
  }
  EXPECT_TRUE(left.empty()) << left.begin()->first << " is not in the README";
}

TEST(Results, TheTableOfStoresIsTheStoredRun) {
  const nlohmann::json stores = StoredRun();
  const std::size_t columns = 1 + StoresIn(stores);
  std::istringstream page(ReadPage("docs/results.md"));
  std::vector<std::vector<std::string>> rows;  // unit, a figure of each store
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("What must show")) break;  // the table ends before
    if (!line.starts_with("  ")) continue;
    std::istringstream words(line);
    std::vector<std::string> row;
    for (std::string word; words >> word;) {
      const bool is_unit = word == "ns" || word == "us" || word == "MiB";
      if (is_unit || (!row.empty() && row.size() < columns)) {
        row.push_back(word);
      }
    }
    if (row.size() == columns) rows.push_back(std::move(row));
  }
  const std::vector<std::string> metrics = {"fill_seq",
                                            "fill_seq_settled",
                                            "fill_random",
                                            "fill_random_settled",
                                            "missing",
                                            "missing_floor",
                                            "missing_memtable",
                                            "missing_overlap",
                                            "missing_two",
                                            "multi_missing",
                                            "multi_missing_overlap",
                                            "present",
                                            "present_memtable",
                                            "present_overlap",
                                            "present_two",
                                            "multi_present",
                                            "scan",
                                            "short_scan",
                                            "open",
                                            "first_get",
                                            "open_and_get",
                                            "disk",
                                            "fill_seq_written",
                                            "fill_random_written",
                                            "memory_private",
                                            "memory_mapped"};
  ASSERT_EQ(rows.size(), metrics.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double unit = rows[i][0] == "ns"   ? 1
                        : rows[i][0] == "us" ? kMicrosecond
                                             : kMebibyte;
    ExpectStored(stores, {metrics[i], unit},
                 {rows[i].begin() + 1, rows[i].end()});
  }
}

}  // namespace
}  // namespace tamis::tools
