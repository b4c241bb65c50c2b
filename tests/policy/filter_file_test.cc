#include "tamis/filter_file.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/base/temp_dir.h"

namespace tamis {
namespace {

std::string FilterOver(std::string_view spec, int keys) {
  auto policy = MakePolicy(spec);
  EXPECT_TRUE(policy.ok()) << policy.status().message();
  auto builder = (*policy)->NewBuilder();
  for (int i = 0; i < keys; ++i) builder->Add("key" + std::to_string(i));
  std::string bytes;
  EXPECT_TRUE(builder->Finish(&bytes).ok());
  return bytes;
}

TEST(FilterFile, AnswersFromTheFileAfterItWasReplacedByRename) {
  TempDir dir;
  const std::string path = dir.File("f.tamis");
  const std::string bytes = FilterOver("tamis:10", 1000);
  ASSERT_TRUE(WriteFilterFile(path, bytes, IfExists::kFail).ok());
  auto file = FilterFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ((*file)->spec(), "tamis");
  ASSERT_TRUE(
      WriteFilterFile(path, FilterOver("tamis:10", 1), IfExists::kReplace)
          .ok());
  EXPECT_EQ((*file)->bytes(), bytes);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE((*file)->reader().MayContain("key" + std::to_string(i)));
  }
  EXPECT_EQ((*file)->reader().Describe().keys, 1000u);
}

TEST(FilterFile, AGuessIsRefusedAndTheNamedFormatIsTaken) {
  TempDir dir;
  const std::string path = dir.Write("plain", FilterOver("lab:10", 100));
  auto guessed = FilterFile::Open(path);
  ASSERT_FALSE(guessed.ok());
  EXPECT_EQ(guessed.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(guessed.status().message().find("lab"), std::string::npos);
  auto named = FilterFile::Open(path, "lab");
  ASSERT_TRUE(named.ok()) << named.status().message();
  EXPECT_TRUE((*named)->reader().MayContain("key7"));
}

TEST(FilterFile, DamageIsCorruptionAndNamesTheFile) {
  TempDir dir;
  std::string bytes = FilterOver("tamis:10", 1000);
  bytes[bytes.size() - 20] = static_cast<char>(bytes[bytes.size() - 20] ^ 1);
  const std::string path = dir.Write("f.tamis", bytes);
  auto file = FilterFile::Open(path);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::kCorruption);
  EXPECT_TRUE(file.status().message().starts_with(path));
}

TEST(FilterFile, AMissingFileIsNotFoundAndAnUnknownOneInvalid) {
  TempDir dir;
  EXPECT_EQ(FilterFile::Open(dir.File("no")).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(FilterFile::Open(dir.Write("text", "hello\n")).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(FilterFile::Open(dir.Write("g", "x"), "nonsense").status().code(),
            StatusCode::kInvalidArgument);
}

TEST(FilterFile, DoesNotOverwriteUnlessAsked) {
  TempDir dir;
  const std::string path = dir.Write("f", "old");
  EXPECT_EQ(WriteFilterFile(path, "new", IfExists::kFail).code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(dir.Read("f"), "old");
}

}  // namespace
}  // namespace tamis
