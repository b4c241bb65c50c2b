// SPDX-License-Identifier: Apache-2.0
#include "tamis/filter_file.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/env.h"
#include "tests/base/temp_dir.h"
#include "tests/support/specs.h"

namespace tamis {
namespace {

std::string FilterOver(std::string_view spec, int keys) {
  auto policy = MakePolicy(spec);
  EXPECT_TRUE(policy.ok()) << policy.status().message();
  auto builder = policy->NewBuilder();
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
  EXPECT_EQ(file->spec(), "tamis");
  ASSERT_TRUE(
      WriteFilterFile(path, FilterOver("tamis:10", 1), IfExists::kReplace)
          .ok());
  EXPECT_EQ(file->bytes(), bytes);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(file->reader().MayContain("key" + std::to_string(i)));
  }
  EXPECT_EQ(file->reader().Describe().keys, 1000u);
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
  EXPECT_TRUE(named->reader().MayContain("key7"));
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

std::vector<std::string> NumberedKeys(int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back("key" + std::to_string(i));
  return keys;
}

std::ptrdiff_t HiddenIn(const FilterReader& reader,
                        const std::vector<std::string>& keys) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const auto answers = std::make_unique<bool[]>(keys.size());
  reader.MayContainMany(slices, {answers.get(), keys.size()});
  return std::count(answers.get(), answers.get() + keys.size(), false);
}

TEST(FilterFile, ThatIsShortHidesNoKeyWhateverBecomesOfTheFile) {
  const std::vector<std::string> keys = NumberedKeys(2000);
  for (const std::string& spec : testing::EverySpec()) {
    SCOPED_TRACE(spec);
    const std::string bytes = FilterOver(spec, 2000);
    const TempDir dir;
    const std::string path = dir.Write("f", bytes);
    auto file = FilterFile::Open(path, spec);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    std::filesystem::resize_file(path,
                                 std::min<std::size_t>(100, bytes.size()));
    EXPECT_EQ(HiddenIn(file->reader(), keys), 0);
    EXPECT_TRUE(file->status().ok());
    EXPECT_EQ(file->reader().Describe().always_maybe, "");
  }
}

// Zeros in the place of what cannot be read would hide keys, or worse, in
// whatever part of whichever filter.
TEST(FilterFile, ThatLosesItsPagesHidesNoKey) {
  GuardMappings();
  constexpr int kKeys = 1'200'000;  // more than what is read, not mapped
  const std::vector<std::string> keys = NumberedKeys(kKeys);
  for (const char* spec :
       {"bloom:10", "ribbon:8", "fuse8", "cuckoo:fpr=0.01", "leveldb:10",
        "rocksdb-ribbon:10", "cassandra:ka", "scalable:fpr=0.01"}) {
    SCOPED_TRACE(spec);
    const std::string bytes = FilterOver(spec, kKeys);
    for (const std::uintmax_t left :
         {std::uintmax_t{0}, std::uintmax_t{4096}}) {
      const TempDir dir;
      const std::string path = dir.Write("f", bytes);
      auto file = FilterFile::Open(path, spec);
      ASSERT_TRUE(file.ok()) << file.status().ToString();
      EXPECT_TRUE(file->status().ok());
      std::filesystem::resize_file(path, left);
      EXPECT_EQ(HiddenIn(file->reader(), keys), 0);
      for (std::size_t i = 0; i < 1000; ++i) {
        ASSERT_TRUE(file->reader().MayContain(keys[i]));
      }
      EXPECT_TRUE(file->reader().MayContainRange("a", "b"));
      EXPECT_TRUE(file->reader().MayContain("another"));
      EXPECT_EQ(file->status().code(), StatusCode::kIoError);
      EXPECT_TRUE(file->status().message().starts_with(path));
      EXPECT_NE(file->reader().Describe().always_maybe, "");
    }
  }
}

// The searches in a range filter end even in bits that have become zeros.
TEST(FilterFile, OfRangesThatLosesItsPagesSkipsNothing) {
  GuardMappings();
  constexpr int kKeys = 300'000;
  const std::string bytes = FilterOver("range:32", kKeys);
  ASSERT_GT(bytes.size(), 1'100'000u);
  for (const std::uintmax_t pages : {0u, 1u, 16u, 49u, 245u}) {
    const std::uintmax_t left = 4096 * pages;
    SCOPED_TRACE(left);
    const TempDir dir;
    const std::string path = dir.Write("f", bytes);
    auto file = FilterFile::Open(path, "range:32");
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    const FilterReader& reader = file->reader();
    std::string to;
    ASSERT_TRUE(reader.SkipForward("a", &to));
    EXPECT_GT(to, "a");
    std::filesystem::resize_file(path, left);
    for (int i = 0; i < kKeys; i += 17) {
      const std::string key = "key" + std::to_string(i);
      ASSERT_TRUE(reader.MayContainRange(key, key + "0"));
      ASSERT_TRUE(reader.SkipForward(key, &to));
      ASSERT_LE(to, key);
      ASSERT_TRUE(reader.SkipBackward(key, &to));
      ASSERT_GE(to, key);
    }
    EXPECT_EQ(file->status().code(), StatusCode::kIoError);
    ASSERT_TRUE(reader.SkipForward("a", &to));
    EXPECT_EQ(to, "a");
    ASSERT_TRUE(reader.SkipBackward("z", &to));
    EXPECT_EQ(to, "z");
  }
}

// Nothing faults there; but whoever asks before the answers count is told.
TEST(FilterFile, ThatIsCutWithinItsLastPageSaysSo) {
  const std::string bytes = FilterOver("bloom:10", 1'000'000);
  const TempDir dir;
  const std::string path = dir.Write("f", bytes);
  auto file = FilterFile::Open(path, "bloom:10");
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_TRUE(file->status().ok());
  std::filesystem::resize_file(path, bytes.size() - 64);
  EXPECT_EQ(file->status().code(), StatusCode::kIoError);
  EXPECT_TRUE(file->status().message().starts_with(path));
}

}  // namespace
}  // namespace tamis
