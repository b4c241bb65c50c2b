// SPDX-License-Identifier: Apache-2.0
// The sessions in docs/command.md and its pages are true: each ```console block
// is run, and prints what it says.  A block goes on in the directory of the one
// before, across the pages as well.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command_spec.h"
#include "tests/base/temp_dir.h"
#include "tests/support/golden.h"
#include "tests/tools/sessions.h"

namespace tamis::tools {
namespace {

void CheckSessions(const std::string& document, const std::string& fence,
                   const TempDir& dir) {
  const auto steps = SessionSteps(document, fence);
  ASSERT_GE(steps.size(), 1u) << document;
  ExpectSession(document, steps, dir);
}

// In the order in which docs/command.md lists them, and in which they are run.
const char* const kPages[] = {
    "size",       "build",      "query",      "inspect",   "scan",
    "verify",     "whatif",     "probe",      "watch",     "report",
    "rebuild",    "merge",      "add",        "remove",    "rotate",
    "fold",       "dedupe",     "redis",      "db",        "db-put",
    "db-get",     "db-delete",  "db-load",    "db-scan",   "db-count",
    "db-filters", "db-compact", "db-explain", "db-stats",  "db-advise",
    "db-check",   "db-dump",    "db-repair",  "db-destroy"};

std::string PageOf(const std::string& name) {
  return "docs/command/" + name + ".md";
}

// "docs/command/db-get.md" of "db get".
std::string PageOf(const CommandSpec& command) {
  std::string name(command.name);
  std::replace(name.begin(), name.end(), ' ', '-');
  return PageOf(name);
}

TEST(CommandDocument, EverySessionPrintsWhatItSays) {
  TempDir dir;
  CheckSessions("docs/command.md", kConsoleFence, dir);
  for (const std::string name : kPages) {
    CheckSessions(PageOf(name), kConsoleFence, dir);
  }
}

TEST(CommandDocument, EverySessionWithAParquetFilePrintsWhatItSays) {
  const auto path = tamis::testing::CorpusPath(
      "parquet/data_index_bloom_encoding_stats.parquet");
  if (!path) GTEST_SKIP() << tamis::testing::kNoCorpus;
  TempDir dir;
  std::filesystem::copy_file(*path, dir.File("stats.parquet"));
  for (const std::string name : {"query", "inspect"}) {
    CheckSessions(PageOf(name), kParquetFence, dir);
  }
}

std::string TextOf(const std::string& document) {
  std::ifstream in(TAMIS_SOURCE_DIR "/" + document);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST(CommandDocument, EveryPageIsRunAndListedInThisOrder) {
  const std::string overview = TextOf("docs/command.md");
  std::size_t at = 0;
  std::size_t pages = 0;
  for (const std::string name : kPages) {
    const std::size_t found = overview.find("(command/" + name + ".md)", at);
    EXPECT_NE(found, std::string::npos) << name;
    at = found;
    ++pages;
  }
  const std::filesystem::directory_iterator files(TAMIS_SOURCE_DIR
                                                  "/docs/command");
  EXPECT_EQ(static_cast<std::size_t>(std::distance(files, {})), pages);
}

TEST(CommandDocument, EveryCommandHasAPageWithItsSynopsisAndItsOptions) {
  for (const CommandSpec& command : AllCommands()) {
    const std::string page = PageOf(command);
    const std::string text = TextOf(page);
    EXPECT_TRUE(
        text.starts_with("# `tamis " + std::string(command.name) + "`\n"))
        << page;
    EXPECT_NE(text.find("```\n" + UsageOf(command) + "\n```\n"),
              std::string::npos)
        << page << ": " << UsageOf(command);
    for (const OptionSpec& option : command.options) {
      // Not a part of a longer one.
      const std::regex whole("`" + std::string(option.name) + "\\b(?!-)");
      EXPECT_TRUE(std::regex_search(text, whole)) << page << " " << option.name;
    }
  }
}

TEST(CommandDocument, EveryPageIsOfACommand) {
  std::set<std::string> pages = {PageOf(std::string(StoreGroup().name))};
  for (const CommandSpec& command : AllCommands()) {
    pages.insert(PageOf(command));
  }
  for (const std::string name : kPages) {
    EXPECT_TRUE(pages.contains(PageOf(name))) << name;
  }
}

}  // namespace
}  // namespace tamis::tools
