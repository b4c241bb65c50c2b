// The sessions in docs/command.md, its pages and README.md are true: each
// ```console block is run, and prints what it says.  A block goes on in the
// directory of the one before, across the pages of the command as well.  The
// README's C++ is that of an example, which is built and run.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command_spec.h"
#include "tests/base/temp_dir.h"
#include "tests/support/golden.h"
#include "tests/tools/process.h"

namespace tamis::tools {
namespace {

struct Step {
  int line = 0;         // of the document
  std::string command;  // after "$ "
  std::string output;   // both streams, as they came
};

std::vector<Step> StepsOf(const std::string& path, const std::string& fence) {
  std::vector<Step> steps;
  std::ifstream in(path);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = line == fence;
    } else if (inside && line.starts_with("$ ")) {
      steps.push_back({number, line.substr(2), ""});
    } else if (inside && !steps.empty()) {
      steps.back().output += line + "\n";
    }
  }
  return steps;
}

void RunSteps(const std::string& document, const std::vector<Step>& steps,
              const TempDir& dir) {
  for (const Step& step : steps) {
    const ProcessResult run =
        Shell(dir.path(), "{ " + step.command + "\n} 2>&1");
    EXPECT_EQ(run.out, step.output)
        << document << ":" << step.line << ": " << step.command;
  }
}

void CheckSessions(const std::string& document, std::size_t at_least,
                   const TempDir& dir, const std::string& fence) {
  const auto steps = StepsOf(TAMIS_SOURCE_DIR "/" + document, fence);
  ASSERT_GE(steps.size(), at_least) << document;
  RunSteps(document, steps, dir);
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
  CheckSessions("docs/command.md", 1, dir, "```console");
  for (const std::string name : kPages) {
    CheckSessions(PageOf(name), 1, dir, "```console");
  }
}

TEST(CommandDocument, EverySessionWithAParquetFilePrintsWhatItSays) {
  const auto path = tamis::testing::CorpusPath(
      "parquet/data_index_bloom_encoding_stats.parquet");
  if (!path) GTEST_SKIP() << tamis::testing::kNoCorpus;
  TempDir dir;
  std::filesystem::copy_file(*path, dir.File("stats.parquet"));
  for (const std::string name : {"query", "inspect"}) {
    CheckSessions(PageOf(name), 1, dir, "```console parquet");
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

TEST(Readme, ItsSessionPrintsWhatItSays) {
  CheckSessions("README.md", 4, TempDir(), "```console");
}

TEST(Readme, ItsCodeIsThatOfTheExample) {
  const std::string readme = TextOf("README.md");
  const std::size_t start = readme.find("```cpp\n");
  ASSERT_NE(start, std::string::npos);
  const std::string code =
      readme.substr(start + 7, readme.find("```", start + 7) - start - 7);
  ASSERT_GT(code.size(), 100u);
  EXPECT_NE(TextOf("examples/quick_start.cc").find(code), std::string::npos)
      << code;
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
