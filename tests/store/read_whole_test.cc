// SPDX-License-Identifier: Apache-2.0
#include "store/read_whole.h"

#include <cstdint>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/base/temp_dir.h"

namespace tamis::testing {
namespace {

constexpr std::uint64_t kFiveTerabytes = 5'000'000'000'000;

void ExpectTooLarge(const Status& status, const std::string& path) {
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_TRUE(status.message().starts_with(path)) << status.ToString();
}

TEST(ReadWholeFile, GivesAllOfIt) {
  const TempDir dir;
  for (const std::size_t bytes : {0u, 1u, 1u << 20, (3u << 20) + 7u}) {
    const std::string content(bytes, 'c');
    auto read = ReadWholeFile(DefaultEnv(), dir.Write("f", content), bytes);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_TRUE(*read == content);
  }
}

TEST(ReadWholeFile, RefusesWhatIsTooLongByName) {
  const TempDir dir;
  const std::string path = dir.Write("f", "123456");
  ExpectTooLarge(ReadWholeFile(DefaultEnv(), path, 5).status(), path);
  std::filesystem::resize_file(path, kFiveTerabytes);
  ExpectTooLarge(ReadWholeFile(DefaultEnv(), path, UINT64_MAX).status(), path);
  EXPECT_EQ(ReadWholeFile(DefaultEnv(), dir.File("no"), 5).status().code(),
            StatusCode::kNotFound);
}

TEST(ReadWholeFile, ALogMayBeAsLongAsWhatAStoreGathers) {
  StoreOptions options;
  EXPECT_GE(MostLogBytes(options), std::uint64_t{1} << 32);
  options.write_buffer_bytes = std::size_t{1} << 40;
  EXPECT_GT(MostLogBytes(options), std::uint64_t{1} << 40);
  options.write_buffer_bytes = SIZE_MAX;
  EXPECT_EQ(MostLogBytes(options), UINT64_MAX);
}

class SparseFile : public ::testing::Test {
 protected:
  SparseFile() : path_(dir_.File("db")) {
    auto store = *Store::Open(path_, {.create_if_missing = true});
    EXPECT_TRUE(store->Put({}, "a", "1").ok());
    EXPECT_TRUE(store->Flush().ok());
    EXPECT_TRUE(store->Put({}, "b", "2").ok());
  }
  // Makes the file that ends, or begins, so that long.
  std::string Enlarge(const std::string& part) {
    for (const auto& file : std::filesystem::directory_iterator(path_)) {
      const std::string name = file.path().filename().string();
      if (name.find(part) == std::string::npos) continue;
      std::filesystem::resize_file(file.path(), kFiveTerabytes);
      return file.path().string();
    }
    return "none";
  }
  Status Open(bool read_only) {
    return Store::Open(path_, {.read_only = read_only}).status();
  }
  Result<CheckReport> Check() { return CheckStore(path_); }

  TempDir dir_;
  std::string path_;
};

TEST_F(SparseFile, AsALogIsRefusedByName) {
  const std::string log = Enlarge(".log");
  ExpectTooLarge(Open(true), log);
  ExpectTooLarge(Open(false), log);
  ExpectTooLarge(Check().status(), log);
}

TEST_F(SparseFile, AsAManifestIsRefusedByName) {
  const std::string manifest = Enlarge("MANIFEST-");
  ExpectTooLarge(Open(true), manifest);
  ExpectTooLarge(Open(false), manifest);
  ExpectTooLarge(Check().status(), manifest);
  ExpectTooLarge(RepairStore(path_).status(), manifest);
}

TEST_F(SparseFile, AsATableIsRefusedByName) {
  const std::string table = Enlarge(".ldb");
  const Status opened = Open(true);
  EXPECT_EQ(opened.code(), StatusCode::kCorruption) << opened.ToString();
  EXPECT_TRUE(opened.message().starts_with(table)) << opened.ToString();
  auto report = Check();
  ASSERT_TRUE(report.ok());
  ASSERT_GE(report->problems.size(), 1u);
  EXPECT_TRUE(report->problems[0].starts_with(table)) << report->problems[0];
  ExpectTooLarge(RepairStore(path_).status(), table);
}

}  // namespace
}  // namespace tamis::testing
