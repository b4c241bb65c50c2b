// The sessions in docs/command.md are true: each ```console block is run, and
// prints what it says.  A block goes on in the directory of the one before.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/temp_dir.h"
#include "tests/support/golden.h"
#include "tests/tools/sessions.h"

namespace tamis::tools {
namespace {

TEST(CommandDocument, EverySessionPrintsWhatItSays) {
  const std::string document = "docs/command.md";
  const auto steps = SessionSteps(document, kConsoleFence);
  ASSERT_GE(steps.size(), 15u);
  ExpectSession(document, steps, TempDir());
}

TEST(CommandDocument, EverySessionWithAParquetFilePrintsWhatItSays) {
  const std::string document = "docs/command.md";
  const auto steps = SessionSteps(document, kParquetFence);
  ASSERT_GE(steps.size(), 3u);
  const auto path = tamis::testing::CorpusPath(
      "parquet/data_index_bloom_encoding_stats.parquet");
  if (!path) GTEST_SKIP() << tamis::testing::kNoCorpus;
  TempDir dir;
  std::filesystem::copy_file(*path, dir.File("stats.parquet"));
  ExpectSession(document, steps, dir);
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
