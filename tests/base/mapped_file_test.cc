#include "base/mapped_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "tests/base/temp_dir.h"

namespace tamis {
namespace {

TEST(MappedFile, ShowsTheBytesOfARegularFileWithoutCopying) {
  TempDir dir;
  std::string content(100'000, 'x');
  content[0] = '\0';
  content.back() = '\n';
  auto file = MappedFile::Open(dir.Write("f", content));
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(file->is_mapped());
  EXPECT_EQ(file->bytes(), content);
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
  auto mapped = MappedFile::Open(dir.Write("f", "mapped"));
  ASSERT_TRUE(opened.ok() && mapped.ok());
  const std::string_view read_bytes = opened->bytes();
  const std::string_view mapped_bytes = mapped->bytes();
  MappedFile a = *std::move(opened);
  MappedFile b = *std::move(mapped);
  EXPECT_EQ(a.bytes().data(), read_bytes.data());
  EXPECT_EQ(b.bytes().data(), mapped_bytes.data());
  EXPECT_EQ(b.bytes(), "mapped");
  a = std::move(b);
  EXPECT_EQ(a.bytes(), "mapped");
}

}  // namespace
}  // namespace tamis
