// SPDX-License-Identifier: Apache-2.0
// The sessions in docs/command.md and its pages are true: each ```console block
// is run, and prints what it says.  A block goes on in the directory of the one
// before, across the pages as well.

#include <filesystem>
#include <fstream>
#include <iterator>
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

// In the order in which docs/command.md lists them.
const char* const kPages[] = {"size",       "build",      "query",   "inspect",
                              "merge",      "add",        "remove",  "rotate",
                              "fold",       "dedupe",     "db",      "db-scan",
                              "db-compact", "db-explain", "db-check"};

std::string PageOf(const std::string& name) {
  return "docs/command/" + name + ".md";
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

TEST(CommandDocument, EveryCommandAndOptionIsOnAPage) {
  std::string text = TextOf("docs/command.md");
  for (const std::string name : kPages) text += TextOf(PageOf(name));
  for (const CommandSpec& command : AllCommands()) {
    const std::string shown = "tamis " + std::string(command.name);
    EXPECT_NE(text.find(shown), std::string::npos) << shown;
    for (const OptionSpec& option : command.options) {
      EXPECT_NE(text.find(std::string(option.name)), std::string::npos)
          << shown << " " << option.name;
    }
  }
}

}  // namespace
}  // namespace tamis::tools
