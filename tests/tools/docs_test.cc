// The sessions in docs/command.md and README.md are true: each ```console block
// is run, and prints what it says.  A block goes on in the directory of the one
// before.  The README's C++ is that of an example, which is built and run.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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

void CheckSessions(const std::string& document, std::size_t at_least) {
  const auto steps = StepsOf(TAMIS_SOURCE_DIR "/" + document, "```console");
  ASSERT_GE(steps.size(), at_least);
  RunSteps(document, steps, TempDir());
}

TEST(CommandDocument, EverySessionPrintsWhatItSays) {
  CheckSessions("docs/command.md", 15);
}

TEST(CommandDocument, EverySessionWithAParquetFilePrintsWhatItSays) {
  const std::string document = "docs/command.md";
  const auto steps =
      StepsOf(TAMIS_SOURCE_DIR "/" + document, "```console parquet");
  ASSERT_GE(steps.size(), 3u);
  const auto path = tamis::testing::CorpusPath(
      "parquet/data_index_bloom_encoding_stats.parquet");
  if (!path) GTEST_SKIP() << tamis::testing::kNoCorpus;
  TempDir dir;
  std::filesystem::copy_file(*path, dir.File("stats.parquet"));
  RunSteps(document, steps, dir);
}

TEST(Readme, ItsSessionPrintsWhatItSays) { CheckSessions("README.md", 4); }

TEST(Readme, ItsCodeIsThatOfTheExample) {
  const auto read = [](const char* path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string readme = read(TAMIS_SOURCE_DIR "/README.md");
  const std::size_t start = readme.find("```cpp\n");
  ASSERT_NE(start, std::string::npos);
  const std::string code =
      readme.substr(start + 7, readme.find("```", start + 7) - start - 7);
  ASSERT_GT(code.size(), 100u);
  EXPECT_NE(read(TAMIS_SOURCE_DIR "/examples/quick_start.cc").find(code),
            std::string::npos)
      << code;
}

TEST(CommandDocument, EveryCommandHasASection) {
  std::ifstream in(TAMIS_SOURCE_DIR "/docs/command.md");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  for (const std::string name :
       {"size", "build", "query", "inspect", "merge", "add", "remove", "rotate",
        "fold", "dedupe", "db"}) {
    EXPECT_NE(text.find("## `tamis " + name + "`"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace tamis::tools
