// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/temp_dir.h"

namespace tamis {
namespace {

// Of so many bytes that the file is mapped; the last page is not full.
std::string LongContent() {
  return std::string(MappedFile::kMaxBytesRead + 100, 'x');
}

TEST(MappedFile, ShowsTheBytesOfALongFileWithoutCopying) {
  TempDir dir;
  std::string content = LongContent();
  content[0] = '\0';
  content.back() = '\n';
  auto file = MappedFile::Open(dir.Write("f", content));
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(file->is_mapped());
  EXPECT_EQ(file->bytes(), content);
}

TEST(MappedFile, AShortFileStaysWhatItWasWhateverBecomesOfIt) {
  TempDir dir;
  for (const std::uint64_t bytes :
       {std::uint64_t{1}, std::uint64_t{4096}, MappedFile::kMaxBytesRead}) {
    const std::string content(static_cast<std::size_t>(bytes), 'x');
    const std::string path = dir.Write("f", content);
    auto file = MappedFile::Open(path);
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_FALSE(file->is_mapped());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file->bytes().data()) % 64, 0u);
    std::filesystem::resize_file(path, 0);
    EXPECT_EQ(file->bytes(), content);
    EXPECT_TRUE(file->status().ok());
  }
}

// No signal tells of that: the rest of the page reads as zeros.
TEST(MappedFile, SaysThatItWasCutWithinItsLastPage) {
  TempDir dir;
  const std::string path = dir.Write("f", LongContent());
  auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(file->status().ok());
  std::filesystem::resize_file(path, LongContent().size() - 50);
  EXPECT_EQ(file->bytes().back(), '\0');
  EXPECT_FALSE(file->faulted());
  EXPECT_EQ(file->status().code(), StatusCode::kIoError);
  EXPECT_TRUE(file->status().message().starts_with(path));
}

TEST(MappedFile, SaysThatItWasCutAndHasItsLengthAgain) {
  TempDir dir;
  const std::string path = dir.Write("f", LongContent());
  const auto earlier = std::filesystem::last_write_time(path) -
                       std::chrono::hours(1);  // clocks tick slowly
  std::filesystem::last_write_time(path, earlier);
  auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(file->status().ok());
  std::filesystem::resize_file(path, 0);
  std::filesystem::resize_file(path, LongContent().size());
  EXPECT_EQ(file->status().code(), StatusCode::kIoError);
}

TEST(MappedFile, ThatIsReplacedOrRemovedIsStillWhole) {
  TempDir dir;
  const std::string path = dir.Write("f", LongContent());
  auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  std::filesystem::rename(dir.Write("g", "another"), path);
  EXPECT_TRUE(file->status().ok());
  EXPECT_EQ(file->bytes(), LongContent());
}

TEST(MappedFile, ManyMayBeOpenWhereFewDescriptorsMay) {
  TempDir dir;
  const std::string path = dir.Write("f", LongContent());
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<MappedFile> files;
  for (int i = 0; i < 100; ++i) {
    auto file = MappedFile::Open(path);
    ASSERT_TRUE(file.ok()) << i << " " << file.status().message();
    files.push_back(*std::move(file));
  }
  EXPECT_EQ(files.back().bytes(), LongContent());
  EXPECT_TRUE(files.back().status().ok());
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(MappedFile, AnEmptyFileIsEmptyAndNotAnError) {
  TempDir dir;
  auto file = MappedFile::Open(dir.Write("f", ""));
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFile, AMissingFileIsNotFoundAndNamed) {
  TempDir dir;
  auto file = MappedFile::Open(dir.File("missing"));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(file.status().message().starts_with(dir.File("missing")));
}

TEST(MappedFile, ADirectoryIsAnError) {
  TempDir dir;
  auto file = MappedFile::Open(dir.path());
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::kIoError);
  EXPECT_NE(file.status().message().find("directory"), std::string::npos);
}

TEST(MappedFile, AFifoIsReadToItsEnd) {
  TempDir dir;
  const std::string path = dir.File("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string content(300'000, 'q');  // more than a pipe holds
  std::thread writer([&] { std::ofstream(path) << content; });
  auto file = MappedFile::Open(path);
  writer.join();
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_FALSE(file->is_mapped());
  EXPECT_EQ(file->bytes(), content);
}

TEST(MappedFile, AFileOfProcIsReadThoughItsLengthSaysZero) {
  auto file = MappedFile::Open("/proc/self/status");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(file->bytes().starts_with("Name:"));
}

TEST(MappedFile, TheBytesSurviveAMove) {
  TempDir dir;
  // Short enough that a string would keep it inside itself.
  auto opened = MappedFile::Open("/proc/self/comm");
  auto mapped = MappedFile::Open(dir.Write("f", LongContent()));
  auto loaded = MappedFile::Open(dir.Write("g", "short"));
  ASSERT_TRUE(opened.ok() && mapped.ok() && loaded.ok());
  const std::string_view read_bytes = opened->bytes();
  const std::string_view mapped_bytes = mapped->bytes();
  MappedFile a = *std::move(opened);
  MappedFile b = *std::move(mapped);
  EXPECT_EQ(a.bytes().data(), read_bytes.data());
  EXPECT_EQ(b.bytes().data(), mapped_bytes.data());
  EXPECT_EQ(b.bytes(), LongContent());
  a = std::move(b);
  EXPECT_EQ(a.bytes(), LongContent());
  MappedFile c = *std::move(loaded);
  EXPECT_EQ(c.bytes(), "short");
  a = std::move(c);
  EXPECT_EQ(a.bytes(), "short");
}

}  // namespace
}  // namespace tamis
