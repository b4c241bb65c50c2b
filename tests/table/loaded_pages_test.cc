// SPDX-License-Identifier: Apache-2.0
// What a compaction has passed may go, except for pages that were in memory
// before it came.

#include "table/loaded_pages.h"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/read_ahead.h"
#include "tests/base/temp_dir.h"

namespace tamis {
namespace {

constexpr std::size_t kPages = 1024;

// A mapped file that notes what is released.
class NotingFile final : public ReadableFile {
 public:
  explicit NotingFile(const std::string& path) {
    auto file = DefaultEnv().OpenReadable(path, true);
    if (file.ok()) file_ = *std::move(file);
  }
  std::uint64_t size() const noexcept override { return file_->size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    return file_->Read(offset, bytes, scratch);
  }
  Slice mapped() const noexcept override { return file_->mapped(); }
  void HasRead(std::uint64_t offset,
               std::size_t bytes) const noexcept override {
    for (std::uint64_t at = offset; at < offset + bytes; at += kPageBytes) {
      released[static_cast<std::size_t>(at / kPageBytes)] = true;
    }
  }

  mutable std::vector<bool> released = std::vector<bool>(kPages);

 private:
  std::unique_ptr<ReadableFile> file_;
};

// Writes a file of which no page is in memory.  Empty: that cannot be done
// here.
std::string WriteCold(const TempDir& dir) {
  const std::string path =
      dir.Write("f", std::string(kPages * kPageBytes, 'a'));
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ::fsync(fd);  // only pages that are written can be dropped
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
  const NotingFile file(path);
  std::vector<unsigned char> pages(kPages);
  const bool is_cold = FindResident(file.mapped().data(), kPageBytes, pages) &&
                       std::none_of(pages.begin(), pages.end(),
                                    [](unsigned char in) { return in & 1; });
  return is_cold ? path : "";
}

TEST(LoadedPages, WhatWasInMemoryBeforeAWalkIsNotReleasedByIt) {
  const TempDir dir(::testing::TempDir());  // on a disk
  const std::string path = WriteCold(dir);
  if (path.empty()) GTEST_SKIP() << "pages cannot be dropped here";
  const NotingFile file(path);
  const std::vector<std::size_t> hot = {0, 3, 4, 255, 256, 257, 600};
  for (const std::size_t page : hot) {
    ASSERT_EQ(file.mapped()[page * kPageBytes], 'a');  // loads it alone
  }
  ReadAhead ahead(/*reads_once=*/true);
  for (std::uint64_t at = 0; at < kPages * kPageBytes; at += kPageBytes) {
    ahead.Visit(file, at, at + kPageBytes - 96);
  }
  for (std::size_t page = 0; page < kPages / 2; ++page) {
    const bool is_hot = std::find(hot.begin(), hot.end(), page) != hot.end();
    EXPECT_EQ(file.released[page], !is_hot) << page;
  }
  EXPECT_FALSE(file.released[600]);
}

}  // namespace
}  // namespace tamis
