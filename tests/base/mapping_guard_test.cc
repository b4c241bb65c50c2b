// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/file_descriptor.h"
#include "base/file_mapping.h"
#include "base/mapped_file.h"
#include "tamis/env.h"
#include "tests/base/temp_dir.h"

namespace tamis {
namespace {

std::size_t PageBytes() { return static_cast<std::size_t>(::getpagesize()); }

// A file of so many pages of 'x', mapped whole.
class MappedPages {
 public:
  explicit MappedPages(std::size_t pages,
                       MappingAccess access = MappingAccess::kRead)
      : path_(dir_.Write("f", std::string(pages * PageBytes(), 'x'))),
        fd_(::open(path_.c_str(), O_RDWR | O_CLOEXEC)),
        mapping_(fd_.get(), 0, pages * PageBytes(), access) {}

  void Cut(std::size_t pages) {
    std::filesystem::resize_file(path_, pages * PageBytes());
  }
  FileMapping& mapping() { return mapping_; }
  volatile char& page(std::size_t i) {
    return mapping_.data()[i * PageBytes()];
  }

 private:
  TempDir dir_;
  std::string path_;
  FileDescriptor fd_;
  FileMapping mapping_;
};

TEST(MappingGuard, APageThatCannotBeReadShowsZerosAndIsKnown) {
  GuardMappings();
  MappedPages cut(3);
  MappedPages whole(3);
  cut.Cut(1);
  EXPECT_EQ(cut.page(0), 'x');
  EXPECT_FALSE(cut.mapping().faulted());
  EXPECT_EQ(cut.page(1), '\0');
  EXPECT_TRUE(cut.mapping().faulted());
  EXPECT_EQ(cut.page(2), '\0');
  EXPECT_EQ(whole.page(2), 'x');
  EXPECT_FALSE(whole.mapping().faulted()) << "that is another file";
}

TEST(MappingGuard, APageThatCannotBeWrittenIsKnown) {
  GuardMappings();
  MappedPages pages(2, MappingAccess::kReadWrite);
  pages.page(1) = 'y';
  EXPECT_FALSE(pages.mapping().faulted());
  pages.Cut(1);
  pages.page(1) = 'z';
  EXPECT_TRUE(pages.mapping().faulted());
}

TEST(MappingGuard, KnowsManyMappingsApart) {
  GuardMappings();
  std::vector<std::unique_ptr<MappedPages>> many;
  for (int i = 0; i < 150; ++i) {
    many.push_back(std::make_unique<MappedPages>(2));
  }
  for (std::size_t i = 0; i < many.size(); i += 7) {
    many[i]->Cut(1);
    EXPECT_EQ(many[i]->page(1), '\0');
  }
  for (std::size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(many[i]->mapping().faulted(), i % 7 == 0) << i;
  }
  // Their places are used again, without what happened there.
  many.clear();
  for (int i = 0; i < 150; ++i) {
    many.push_back(std::make_unique<MappedPages>(2));
    EXPECT_FALSE(many.back()->mapping().faulted());
  }
}

TEST(MappingGuard, WorksWhileOthersMapAndUnmap) {
  GuardMappings();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        MappedPages pages(2);
        if ((i + t) % 2 == 0) pages.Cut(1);
        const bool is_zero = pages.page(1) == '\0';
        if (is_zero != ((i + t) % 2 == 0)) ++wrong;
        if (pages.mapping().faulted() != is_zero) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(MappingGuard, WhatIsMovedIsGuardedStill) {
  GuardMappings();
  MappedPages pages(2);
  FileMapping moved = std::move(pages.mapping());
  pages.Cut(1);
  EXPECT_EQ(static_cast<volatile char*>(moved.data())[PageBytes()], '\0');
  EXPECT_TRUE(moved.faulted());
}

TEST(FileMapping, PopulateSaysWhatCannotBeReadAndRaisesNothing) {
  // Not guarded: a signal would end this.
  MappedPages pages(4);
  ASSERT_TRUE(pages.mapping().valid());
  if (pages.mapping().Populate(0, 1) == EINVAL) {
    GTEST_SKIP() << "this system cannot tell";
  }
  EXPECT_EQ(pages.mapping().Populate(5, 3 * PageBytes()), 0);
  pages.Cut(2);
  EXPECT_EQ(pages.mapping().Populate(0, 2 * PageBytes()), 0);
  EXPECT_NE(pages.mapping().Populate(PageBytes(), PageBytes() + 1), 0);
}

TEST(MappedFileGuard, NamesTheFileThatCannotBeRead) {
  GuardMappings();
  const TempDir dir;
  const std::string path =
      dir.Write("f", std::string(MappedFile::kMaxBytesRead + PageBytes(), 'x'));
  auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->status().ok());
  std::filesystem::resize_file(path, PageBytes());
  EXPECT_EQ(*static_cast<const volatile char*>(&file->bytes()[PageBytes()]),
            '\0');
  EXPECT_EQ(file->status().code(), StatusCode::kIoError);
  EXPECT_TRUE(file->status().message().starts_with(path));
}

// The rest is about the handler that was there before, and one process has one:
// each of these begins anew in a process of its own.

// Touches a page that cannot be read, in a mapping that is not ours.
void FaultElsewhere() {
  const TempDir dir;
  const std::string path = dir.Write("f", std::string(PageBytes(), 'x'));
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  void* const start =
      ::mmap(nullptr, PageBytes(), PROT_READ, MAP_SHARED, fd.get(), 0);
  std::filesystem::resize_file(path, 0);
  std::filesystem::remove_all(dir.path());
  (void)*static_cast<volatile char*>(start);
}

void FaultInOurs() {
  MappedPages pages(2);
  pages.Cut(1);
  if (pages.page(1) != '\0' || !pages.mapping().faulted()) std::_Exit(99);
}

void OnSignal(int /*signal*/) { std::_Exit(41); }
void OnSignalWithInfo(int signal, siginfo_t* info, void* /*context*/) {
  std::_Exit(signal == SIGBUS && info->si_addr != nullptr ? 42 : 98);
}

class MappingGuardDeathTest : public ::testing::Test {
 protected:
  MappingGuardDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(MappingGuardDeathTest, AFaultElsewhereGoesToTheHandlerThatWasThere) {
  EXPECT_EXIT(
      {
        struct sigaction theirs = {};
        theirs.sa_sigaction = &OnSignalWithInfo;
        theirs.sa_flags = SA_SIGINFO;
        ::sigaction(SIGBUS, &theirs, nullptr);
        GuardMappings();
        FaultInOurs();
        FaultElsewhere();
      },
      ::testing::ExitedWithCode(42), "");
  EXPECT_EXIT(
      {
        ::signal(SIGBUS, &OnSignal);
        GuardMappings();
        FaultInOurs();
        FaultElsewhere();
      },
      ::testing::ExitedWithCode(41), "");
}

TEST_F(MappingGuardDeathTest, AFaultElsewhereEndsTheProcessAsItWould) {
  EXPECT_EXIT(
      {
        ::signal(SIGBUS, SIG_DFL);
        GuardMappings();
        FaultInOurs();
        FaultElsewhere();
      },
      ::testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(
      {
        ::signal(SIGBUS, SIG_IGN);
        GuardMappings();
        FaultElsewhere();
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

TEST_F(MappingGuardDeathTest, ASignalThatIsSentDoesWhatItWould) {
  EXPECT_EXIT(
      {
        ::signal(SIGBUS, SIG_DFL);
        GuardMappings();
        ::raise(SIGBUS);
      },
      ::testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(
      {
        ::signal(SIGBUS, SIG_IGN);
        GuardMappings();
        ::raise(SIGBUS);
        FaultInOurs();
        std::_Exit(43);
      },
      ::testing::ExitedWithCode(43), "");
}

TEST_F(MappingGuardDeathTest, WhatIsUnmappedIsNotOursAnyMore) {
  EXPECT_EXIT(
      {
        ::signal(SIGBUS, &OnSignal);
        GuardMappings();
        MappedPages pages(2);
        char* const start = pages.mapping().data();
        pages.mapping().Unmap();
        const TempDir dir;
        const std::string path = dir.Write("f", std::string(PageBytes(), 'x'));
        const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        ::mmap(start, PageBytes(), PROT_READ, MAP_SHARED | MAP_FIXED, fd.get(),
               0);
        std::filesystem::resize_file(path, 0);
        std::filesystem::remove_all(dir.path());
        (void)*static_cast<volatile char*>(start);
      },
      ::testing::ExitedWithCode(41), "");
}

}  // namespace
}  // namespace tamis
