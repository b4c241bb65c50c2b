// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/posix_files.h"
#include "tests/base/temp_dir.h"
#include "tests/support/in_child.h"

namespace tamis {
namespace {

std::unique_ptr<WritableFile> CreateLog(const std::string& path) {
  auto file = DefaultEnv().Create(path, WriteKind::kLog);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  return file.ok() ? *std::move(file) : nullptr;
}

// Two parts, the first of seven bytes as a log's header.
Status AddRecord(WritableFile* file, Slice record) {
  const Slice parts[] = {
      record.substr(0, 7),
      record.substr(std::min<std::size_t>(7, record.size()))};
  return file->AppendRecord(parts);
}

// Records of all lengths up to some pages, some empty, some written whole.
std::string WriteRecords(WritableFile* file, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = i % 50 == 49 ? 5000 + i : i * 37 % 300;
    const std::string record(size, static_cast<char>('a' + i % 26));
    const Status added = AddRecord(file, record);
    EXPECT_TRUE(added.ok()) << added.ToString();
    all += record;
  }
  return all;
}

// No file of this process may become longer, while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit before_ = {};
};

// This process gets no more memory from the system, while it lives.
class AddressSpaceLimit {
 public:
  AddressSpaceLimit() {
    ::getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = 0;
    ::setrlimit(RLIMIT_AS, &limit);
  }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;
  ~AddressSpaceLimit() { ::setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_ = {};
};

TEST(PosixLogFile, HoldsExactlyItsRecordsOnceClosed) {
  const TempDir dir;
  auto file = CreateLog(dir.File("f"));
  const std::string all = WriteRecords(file.get(), 5000);
  ASSERT_TRUE(file->Sync().ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(dir.Read("f"), all);
  EXPECT_FALSE(AddRecord(file.get(), "after").ok());
  EXPECT_FALSE(AddRecord(file.get(), std::string(5000, 'x')).ok());
  EXPECT_EQ(dir.Read("f"), all);
}

TEST(PosixLogFile, DestroyingItClosesIt) {
  const TempDir dir;
  const std::string all = WriteRecords(CreateLog(dir.File("f")).get(), 100);
  EXPECT_EQ(dir.Read("f"), all);
}

TEST(PosixLogFile, WhatIsAppendedIsInTheFileAtOnceWithZerosBehind) {
  const TempDir dir;
  auto file = CreateLog(dir.File("f"));
  const std::string all = WriteRecords(file.get(), 140);
  const std::string content = dir.Read("f");
  ASSERT_GE(content.size(), all.size());
  EXPECT_EQ(content.size() % 65536, 0u);
  EXPECT_EQ(content, all + std::string(content.size() - all.size(), '\0'));
}

TEST(PosixLogFile, AProcessThatIsKilledLosesNothing) {
  const TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) {
    auto file = CreateLog(dir.File("f"));
    WriteRecords(file.get(), 1000);
    ::kill(::getpid(), SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  auto file = CreateLog(dir.File("g"));
  const std::string all = WriteRecords(file.get(), 1000);
  EXPECT_TRUE(dir.Read("f").starts_with(all));
  EXPECT_EQ(dir.Read("f").find_first_not_of('\0', all.size()),
            std::string::npos);
}

// Memory for a mapping may be lacking for a moment.  Then nothing is prepared,
// and the thread that appends maps the file itself where its records end.
TEST(PosixLogFile, AWindowThatCannotBeMappedIsNotSkipped) {
  const TempDir dir;
  const auto append_beside_failures = [&] {
    auto file = CreateLog(dir.File("f"));
    const std::string record(1000, 'x');
    for (int i = 0; i < 400; ++i) {
      if (!AddRecord(file.get(), record).ok()) return 1;
    }
    {
      const AddressSpaceLimit none;
      file->PrepareMore();
    }
    file->PrepareMore();
    for (int i = 400; i < 4000; ++i) {
      if (!AddRecord(file.get(), record).ok()) return 2;
    }
    return file->Close().ok() ? 0 : 3;
  };
  EXPECT_EQ(testing::InChild(append_beside_failures), 0);
  EXPECT_EQ(dir.Read("f"), std::string(4'000'000, 'x'));
}

// Spaces that were prepared are zeros until they are used, and go when the file
// is closed.
TEST(PosixLogFile, WhatIsPreparedIsThereBeforeItIsNeeded) {
  const TempDir dir;
  auto file = CreateLog(dir.File("f"));
  file->PrepareMore();  // there is nothing yet to continue
  ASSERT_TRUE(AddRecord(file.get(), "the first record").ok());
  const std::size_t before = dir.Read("f").size();
  file->PrepareMore();
  file->PrepareMore();  // is ready already
  const std::string content = dir.Read("f");
  EXPECT_EQ(content.size(), before + (1u << 20));
  EXPECT_EQ(content.find_first_not_of('\0', 16), std::string::npos);
  // Past the end of the first window, and of the one that was prepared.
  std::string all = "the first record";
  const std::string record(1000, 'x');
  while (all.size() < content.size() + (1u << 20)) {
    ASSERT_TRUE(AddRecord(file.get(), record).ok());
    all += record;
  }
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(dir.Read("f"), all);
}

TEST(PosixLogFile, AnotherThreadPreparesWhileRecordsAreAppended) {
  const TempDir dir;
  auto file = CreateLog(dir.File("f"));
  std::atomic<bool> stop{false};
  std::thread preparing([&] {
    while (!stop.load()) file->PrepareMore();
  });
  std::string all;
  for (int i = 0; i < 4; ++i) all += WriteRecords(file.get(), 1000);
  const std::string record(2000, 'y');
  while (all.size() < (4u << 20)) {
    EXPECT_TRUE(AddRecord(file.get(), record).ok());
    all += record;
  }
  stop.store(true);
  preparing.join();
  ASSERT_TRUE(file->Sync().ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(dir.Read("f"), all);
}

// Preparing must not extend the file over what is missing.
TEST(PosixLogFile, PreparingDoesNotHideThatOthersTruncatedIt) {
  const TempDir dir;
  auto file = CreateLog(dir.File("f"));
  const std::string record(1000, 'x');
  ASSERT_TRUE(AddRecord(file.get(), record).ok());
  std::filesystem::resize_file(dir.File("f"), 500);
  file->PrepareMore();
  EXPECT_EQ(dir.Read("f").size(), 500u);
  EXPECT_FALSE(file->Sync().ok());
}

TEST(PosixLogFile, ALongRecordLeavesNoZerosBehindIt) {
  const TempDir dir;
  auto file = CreateLog(dir.File("f"));
  ASSERT_TRUE(AddRecord(file.get(), "short one").ok());
  const std::string record(100'000, 'x');
  ASSERT_TRUE(AddRecord(file.get(), record).ok());
  EXPECT_EQ(dir.Read("f"), "short one" + record);
}

TEST(PosixLogFile, ThreePartsAreWrittenAtTheEnd) {
  const TempDir dir;
  auto file = CreateLog(dir.File("f"));
  const Slice parts[] = {"one", "two", "three"};
  ASSERT_TRUE(file->AppendRecord(parts).ok());
  EXPECT_EQ(dir.Read("f"), "onetwothree");
  ASSERT_TRUE(file->Append("four").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(dir.Read("f"), "onetwothreefour");
}

TEST(PosixLogFile, WithoutAMappingItWritesAllTheSame) {
  const TempDir dir;
  // A file that may not be read cannot be mapped for writing.
  FileDescriptor fd(::open(dir.Write("f", "").c_str(), O_WRONLY | O_CLOEXEC));
  const auto file = NewPosixLogFile(dir.File("f"), std::move(fd), 0);
  const std::string all = WriteRecords(file.get(), 200);
  EXPECT_EQ(dir.Read("f"), all);  // no zeros behind
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(dir.Read("f"), all);
}

TEST(PosixLogFile, WithoutAllocationItWritesAllTheSame) {
  auto file = CreateLog("/dev/null");
  EXPECT_TRUE(AddRecord(file.get(), "a record").ok());
  EXPECT_TRUE(AddRecord(file.get(), "another").ok());
  // It was truly written, not lost.
  const Status full = AddRecord(CreateLog("/dev/full").get(), "a record");
  EXPECT_EQ(full.code(), StatusCode::kIoError);
  EXPECT_TRUE(full.message().starts_with("/dev/full: No space left"))
      << full.ToString();
}

TEST(PosixLogFile, WithoutRoomItIsAsItWasAndGoesOnLater) {
  const TempDir dir;
  auto file = CreateLog(dir.File("f"));
  std::string all;
  Status added;
  const std::string record(1000, 'r');
  {
    const FileSizeLimit limit(200'000);
    while (added.ok() && all.size() < 400'000) {
      added = AddRecord(file.get(), record);
      if (added.ok()) all += record;
    }
    EXPECT_FALSE(AddRecord(file.get(), record).ok());
    EXPECT_FALSE(AddRecord(file.get(), std::string(100'000, 'l')).ok());
  }
  EXPECT_EQ(added.code(), StatusCode::kIoError) << added.ToString();
  EXPECT_TRUE(added.message().starts_with(dir.File("f")));
  EXPECT_GT(all.size(), 60'000u);
  const std::string content = dir.Read("f");
  EXPECT_TRUE(content.starts_with(all));
  EXPECT_EQ(content.find_first_not_of('\0', all.size()), std::string::npos);
  ASSERT_TRUE(AddRecord(file.get(), "again").ok());
  ASSERT_TRUE(AddRecord(file.get(), record).ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(dir.Read("f"), all + "again" + record);
}

TEST(PosixLogFile, AWriteThatFailedInPartIsCutOff) {
  const TempDir dir;
  auto file = CreateLog(dir.File("f"));
  ASSERT_TRUE(AddRecord(file.get(), "first").ok());
  {
    const FileSizeLimit limit(50'000);
    EXPECT_FALSE(AddRecord(file.get(), std::string(100'000, 'l')).ok());
  }
  EXPECT_EQ(dir.Read("f"), "first");
  ASSERT_TRUE(AddRecord(file.get(), "second").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(dir.Read("f"), "firstsecond");
}

TEST(PosixLogFile, SaysThatSomebodyElseHasCutIt) {
  GuardMappings();
  for (const bool is_long : {false, true}) {
    const TempDir dir;
    const std::string path = dir.File("f");
    auto file = CreateLog(path);
    const std::string record(is_long ? 5000 : 100, 'r');
    ASSERT_TRUE(AddRecord(file.get(), record).ok());
    ASSERT_TRUE(AddRecord(file.get(), record).ok());
    std::filesystem::resize_file(path, 0);
    const Status added = AddRecord(file.get(), record);
    EXPECT_EQ(added.code(), StatusCode::kIoError) << added.ToString();
    EXPECT_TRUE(added.message().starts_with(path)) << added.ToString();
    // For good: what was appended before is gone.
    EXPECT_FALSE(AddRecord(file.get(), "more").ok());
    EXPECT_FALSE(AddRecord(file.get(), std::string(5000, 'l')).ok());
    EXPECT_FALSE(file->Sync().ok());
    EXPECT_FALSE(file->Close().ok());
    EXPECT_EQ(dir.Read("f"), "");
  }
}

TEST(PosixLogFile, ConfirmsNothingInAFileThatWasCut) {
  // Within the page that is being written nothing faults.
  const TempDir dir;
  const std::string path = dir.File("f");
  auto file = CreateLog(path);
  ASSERT_TRUE(AddRecord(file.get(), std::string(100, 'r')).ok());
  std::filesystem::resize_file(path, 50);
  ASSERT_TRUE(AddRecord(file.get(), std::string(100, 's')).ok());
  const Status synced = file->Sync();
  EXPECT_EQ(synced.code(), StatusCode::kIoError) << synced.ToString();
  EXPECT_TRUE(synced.message().starts_with(path)) << synced.ToString();
  EXPECT_FALSE(AddRecord(file.get(), "more").ok());
}

TEST(PosixLogFile, AllocatesNothingBehindAHole) {
  const TempDir dir;
  const std::string path = dir.File("f");
  auto file = CreateLog(path);
  ASSERT_TRUE(AddRecord(file.get(), "short").ok());
  // Unmaps, then maps again once enough others were written.
  ASSERT_TRUE(AddRecord(file.get(), std::string(5000, 'l')).ok());
  std::filesystem::resize_file(path, 10);
  const Status added = AddRecord(file.get(), "short");
  EXPECT_EQ(added.code(), StatusCode::kIoError) << added.ToString();
  EXPECT_EQ(dir.Read("f").size(), 10u);
}

}  // namespace
}  // namespace tamis
