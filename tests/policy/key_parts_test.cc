// SPDX-License-Identifier: Apache-2.0
#include "tamis/key_parts.h"

#include <sys/stat.h>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tamis/policy_settings.h"

namespace tamis {
namespace {

constexpr std::uint64_t kKeys = 3000;

std::string Key(std::uint64_t i) { return "key" + std::to_string(i); }

class FoldersOfParts : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "parts.XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const KeyParts& parts, std::uint64_t part) const {
    return folder_ + "/" + parts.FileName(part);
  }

  // Writes the part's filter of keys 0 to kKeys - 1.
  void Build(const KeyParts& parts, std::uint64_t part,
             const std::string& spec) const {
    auto settings = ParsePolicy(spec);
    ASSERT_TRUE(settings.ok()) << settings.status().message();
    settings->seed = parts.SeedOf(part);
    const auto policy = MakePolicy(*settings);
    ASSERT_TRUE(policy.ok()) << policy.status().message();
    const auto builder = policy->NewBuilder();
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      if (parts.PartOf(Key(i)) == part) builder->Add(Key(i));
    }
    std::string bytes;
    ASSERT_TRUE(builder->Finish(&bytes).ok());
    ASSERT_TRUE(
        WriteFilterFile(Path(parts, part), bytes, IfExists::kReplace).ok());
  }
  void BuildAll(const KeyParts& parts, const std::string& spec) const {
    for (std::uint64_t i = 0; i < parts.count; ++i) Build(parts, i, spec);
  }

  // Returns how many of `keys` keys from `first` on are "maybe", one by one and
  // together, which agree.
  static std::uint64_t Maybes(const FilterReader& filter, std::uint64_t first,
                              std::uint64_t keys) {
    std::vector<std::string> texts;
    for (std::uint64_t i = 0; i < keys; ++i) texts.push_back(Key(first + i));
    const std::vector<Slice> slices(texts.begin(), texts.end());
    const auto answers = std::make_unique<bool[]>(keys);
    filter.MayContainMany(slices, std::span(answers.get(), keys));
    std::uint64_t maybes = 0;
    for (std::uint64_t i = 0; i < keys; ++i) {
      EXPECT_EQ(answers[i], filter.MayContain(slices[i])) << texts[i];
      if (answers[i]) ++maybes;
    }
    return maybes;
  }

  std::string folder_;
};

// The division is frozen: filters outlive versions.  The values are those of
// the rule of docs/formats/key-parts.md in another program (python3-xxhash).
TEST_F(FoldersOfParts, DivideKeysAsWritten) {
  const KeyParts parts{.count = 16};
  EXPECT_EQ(parts.PartOf(""), 2u);
  EXPECT_EQ(parts.PartOf("apple"), 15u);
  EXPECT_EQ(parts.PartOf("banana"), 10u);
  EXPECT_EQ(parts.PartOf(std::string(300, 'x')), 13u);
  EXPECT_EQ(parts.SeedOf(3), 2563370605571189188u);
  EXPECT_EQ(parts.FileName(3), "part-00003-of-00016.tamis");
  EXPECT_EQ((KeyParts{.count = 16384}).FileName(16383),
            "part-16383-of-16384.tamis");
}

TEST_F(FoldersOfParts, HaveEachSeedOnce) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t count = 1; count <= 64; ++count) {
    for (std::uint64_t part = 0; part < count; ++part) {
      seeds.insert(KeyParts{.count = count}.SeedOf(part));
    }
  }
  EXPECT_EQ(seeds.size(), 64u * 65 / 2);
}

TEST_F(FoldersOfParts, AnswerAsOneFilter) {
  for (const char* const spec :
       {"ribbon:8", "fuse8", "bloom:12", "classic:12"}) {
    SCOPED_TRACE(spec);
    const KeyParts parts{.count = 7};
    BuildAll(parts, spec);
    const auto folder = FilterFolder::Open(folder_);
    ASSERT_TRUE(folder.ok()) << folder.status().message();
    EXPECT_TRUE((*folder)->missing().empty());
    EXPECT_EQ((*folder)->parts().count, 7u);
    EXPECT_EQ(Maybes(**folder, 0, kKeys), kKeys);
    EXPECT_LT(Maybes(**folder, kKeys, kKeys), kKeys / 50);
    EXPECT_EQ((*folder)->Describe().keys, kKeys);
    EXPECT_LT((*folder)->Describe().rate, 0.01);
    EXPECT_TRUE((*folder)->status().ok());
  }
}

TEST_F(FoldersOfParts, SayMaybeForPartsThatAreMissingOrDamaged) {
  const KeyParts parts{.count = 5};
  BuildAll(parts, "ribbon:12");
  std::filesystem::remove(Path(parts, 1));
  std::fstream(Path(parts, 3), std::ios::in | std::ios::out | std::ios::binary)
      .seekp(100)
      .put('\x5a');
  const auto folder = FilterFolder::Open(folder_);
  ASSERT_TRUE(folder.ok());
  ASSERT_EQ((*folder)->missing().size(), 2u);
  EXPECT_EQ((*folder)->missing()[0].part, 1u);
  EXPECT_EQ((*folder)->missing()[0].status.code(), StatusCode::kNotFound);
  EXPECT_EQ((*folder)->missing()[1].part, 3u);
  EXPECT_EQ((*folder)->missing()[1].status.code(), StatusCode::kCorruption);
  EXPECT_EQ(Maybes(**folder, 0, kKeys), kKeys);
  // Two fifths of the absent keys, and hardly any other.
  const std::uint64_t maybes = Maybes(**folder, kKeys, kKeys);
  EXPECT_GT(maybes, kKeys * 3 / 10);
  EXPECT_LT(maybes, kKeys / 2);
  EXPECT_FALSE((*folder)->Describe().keys.has_value());
}

TEST_F(FoldersOfParts, DoNotWaitForAPipeInPlaceOfAPart) {
  const KeyParts parts{.count = 2};
  BuildAll(parts, "bloom:10");
  std::filesystem::remove(Path(parts, 1));
  ASSERT_EQ(::mkfifo(Path(parts, 1).c_str(), 0600), 0);
  const auto folder = FilterFolder::Open(folder_);
  ASSERT_TRUE(folder.ok());
  ASSERT_EQ((*folder)->missing().size(), 1u);
  EXPECT_EQ((*folder)->missing()[0].status.code(), StatusCode::kIoError);
  EXPECT_EQ(Maybes(**folder, 0, kKeys), kKeys);
}

// A file that was renamed or copied would hide the keys of its place.
TEST_F(FoldersOfParts, DoNotTrustAFileInTheWrongPlace) {
  const KeyParts parts{.count = 4};
  BuildAll(parts, "bloom:10");
  std::filesystem::copy_file(Path(parts, 0), Path(parts, 2),
                             std::filesystem::copy_options::overwrite_existing);
  // A filter of all keys without the part's seed is not recognised either.
  const auto policy = MakePolicy("bloom:10");
  std::string bytes;
  ASSERT_TRUE(policy->NewBuilder()->Finish(&bytes).ok());
  ASSERT_TRUE(WriteFilterFile(Path(parts, 1), bytes, IfExists::kReplace).ok());
  const auto folder = FilterFolder::Open(folder_);
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ((*folder)->missing().size(), 2u);
  EXPECT_EQ(Maybes(**folder, 0, kKeys), kKeys);
}

TEST_F(FoldersOfParts, AreRefusedWhereTheirNumberIsInDoubt) {
  EXPECT_EQ(FilterFolder::Open(folder_).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(FilterFolder::Open(folder_ + "/none").status().code(),
            StatusCode::kNotFound);
  for (const char* const name :
       {"part-00004-of-00004.tamis", "part-00000-of-00000.tamis",
        "part-0-of-4.tamis", "part-00000-of-99999.tamis",
        "part-00000-of-00004.tamis.tmp", "part-0x000-of-00004.tamis"}) {
    std::ofstream(folder_ + "/" + name);
  }
  EXPECT_EQ(FilterFolder::Open(folder_).status().code(), StatusCode::kNotFound);
  Build({.count = 4}, 1, "bloom:10");
  Build({.count = 5}, 1, "bloom:10");
  EXPECT_EQ(FilterFolder::Open(folder_).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tamis
