// SPDX-License-Identifier: Apache-2.0
// Blocks that were read once and that the system has evicted since are loaded
// again as the first time: with one request each, and many at a time where the
// caller has said which.  Counted by what the system counts for a thread.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/eviction_watch.h"
#include "tests/base/temp_dir.h"
#include "tests/support/tables.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21  // since Linux 5.4
#endif

namespace tamis::testing {
namespace {

constexpr std::size_t kBlocks = 2000;

struct ::rusage UsageOfThisThread() {
  struct ::rusage usage = {};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

// Pages that it has waited for.
std::uint64_t WaitsOfThisThread() {
  return static_cast<std::uint64_t>(UsageOfThisThread().ru_majflt);
}

// Pages that it has requested, waiting for them or not.
std::uint64_t RequestsOfThisThread() {
  constexpr std::uint64_t kSectorsPerPage = 8;
  return static_cast<std::uint64_t>(UsageOfThisThread().ru_inblock) /
         kSectorsPerPage;
}

// A table on disk; of each block there is one key to look up.
class TableOnDisk {
 public:
  explicit TableOnDisk(std::size_t block_bytes) {
    TableWriteOptions options;
    options.in_pages = true;
    options.block_bytes = block_bytes;
    constexpr std::size_t kPerBlock = 4;
    Entries entries;
    for (std::size_t i = 0; i < kBlocks * kPerBlock; ++i) {
      entries.push_back({"user" + std::to_string(100'000'000 + i), i + 1,
                         ValueType::kValue,
                         std::string(block_bytes / kPerBlock - 60, 'v')});
      if (i % kPerBlock == 0) keys_.push_back(entries.back().user_key);
    }
    const std::string path = dir_.Write("t", BuildTable(options, entries));
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ::fsync(fd);  // else the pages cannot be evicted
    ::close(fd);
    auto file = DefaultEnv().OpenReadable(path, true);
    if (!file.ok()) return;
    mapped_ = (*file)->mapped();
    auto table = Table::Open({}, *std::move(file), path);
    if (table.ok()) table_ = *std::move(table);
  }

  const std::vector<std::string>& keys() const { return keys_; }
  const Table* table() const { return table_.get(); }

  // False: this system or this file system cannot.
  bool Evict() const {
    char* const start = const_cast<char*>(mapped_.data());
    if (::madvise(start, mapped_.size(), MADV_PAGEOUT) != 0) return false;
    std::vector<unsigned char> pages((mapped_.size() + 4095) / 4096);
    if (::mincore(start, mapped_.size(), pages.data()) != 0) return false;
    const auto left = std::count_if(pages.begin(), pages.end(),
                                    [](unsigned char in) { return in & 1; });
    return static_cast<std::size_t>(left) < pages.size() / 20;
  }

 private:
  TempDir dir_{::testing::TempDir()};  // on a disk
  std::vector<std::string> keys_;
  Slice mapped_;
  std::unique_ptr<Table> table_;
};

void GetAll(const TableOnDisk& disk) {
  for (const std::string& key : disk.keys()) {
    ASSERT_TRUE(
        Lookup(*disk.table(), key, kMaxSequence).starts_with("value v"));
  }
}

// Takes the first steps of a lookup.  Returns the number of the block.
std::size_t Requested(const Table& table, Slice user_key) {
  const std::size_t block = table.FindBlock(LookupKey(user_key, kMaxSequence));
  table.WillRead(block);
  return block;
}

// As MultiGet: a group of keys is announced before the first is read.  Adds the
// pages that were requested by that.
void GetAllInGroups(const TableOnDisk& disk, std::uint64_t* requested) {
  constexpr std::size_t kGroup = 16;
  const std::vector<std::string>& keys = disk.keys();
  for (std::size_t first = 0; first < keys.size(); first += kGroup) {
    const std::size_t end = std::min(first + kGroup, keys.size());
    std::vector<std::size_t> blocks;
    const std::uint64_t before = RequestsOfThisThread();
    for (std::size_t i = first; i < end; ++i) {
      blocks.push_back(Requested(*disk.table(), keys[i]));
    }
    *requested += RequestsOfThisThread() - before;
    for (std::size_t i = first; i < end; ++i) {
      ASSERT_TRUE(Lookup(*disk.table(), keys[i], kMaxSequence, nullptr,
                         {.block = blocks[i - first]})
                      .starts_with("value v"));
    }
  }
}

TEST(TableEviction, ABlockOfSeveralPagesIsLoadedWithOneRequest) {
  const TableOnDisk disk(16'384);
  ASSERT_NE(disk.table(), nullptr);
  GetAll(disk);  // all blocks are known from here on
  if (!disk.Evict()) GTEST_SKIP() << "pages cannot be evicted here";
  const std::uint64_t before = WaitsOfThisThread();
  GetAll(disk);
  // Two pages of each block are touched.  The reads until the thread has
  // noticed wait for both.
  EXPECT_LT(WaitsOfThisThread() - before, kBlocks * 3 / 2);
}

TEST(TableEviction, BlocksThatWereAnnouncedAreLoadedTogether) {
  const TableOnDisk disk(4096);
  ASSERT_NE(disk.table(), nullptr);
  std::uint64_t requested = 0;
  GetAllInGroups(disk, &requested);
  if (!disk.Evict()) GTEST_SKIP() << "pages cannot be evicted here";
  requested = 0;
  GetAllInGroups(disk, &requested);
  EXPECT_GT(requested, kBlocks / 2);
}

// Counts the requests.
class CountingFile final : public ReadableFile {
 public:
  explicit CountingFile(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string*) const override {
    return Slice(bytes_).substr(static_cast<std::size_t>(offset), bytes);
  }
  Slice mapped() const noexcept override { return bytes_; }
  void WillRead(std::uint64_t, std::size_t) const noexcept override {
    ++requests;
  }
  mutable std::size_t requests = 0;

 private:
  const std::string bytes_;
};

TEST(TableEviction, WhatIsInMemoryIsNotRequestedAgain) {
  TableWriteOptions options;
  Entries entries;
  for (std::size_t i = 0; i < 1000; ++i) {
    entries.push_back({"user" + std::to_string(100'000'000 + i), i + 1,
                       ValueType::kValue, std::string(5000, 'v')});
  }
  auto counting = std::make_unique<CountingFile>(BuildTable(options, entries));
  const CountingFile& file = *counting;
  auto table = Table::Open({}, std::move(counting), "t");
  ASSERT_TRUE(table.ok());
  for (const unsigned round : {1u, 2u, 3u}) {
    file.requests = 0;
    for (const Entry& entry : entries) {
      static_cast<void>(Requested(**table, entry.user_key));
      ASSERT_EQ(Lookup(**table, entry.user_key, kMaxSequence),
                "value " + entry.value);
    }
    if (round == 1) {
      EXPECT_GE(file.requests, entries.size()) << "the first time";
    } else if (round == 3) {
      EXPECT_EQ(file.requests, 0u);
    }
  }
}

}  // namespace
}  // namespace tamis::testing
