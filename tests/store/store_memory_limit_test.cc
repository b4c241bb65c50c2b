// SPDX-License-Identifier: Apache-2.0
// A process that may not have more memory: what does not fit fails, the store
// lives, and what failed works when there is more.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/base/temp_dir.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAMIS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define TAMIS_SANITIZED 1
#endif
#endif

namespace tamis {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
// More than a heap keeps for later.
constexpr std::size_t kLargeBytes = 72 * kMiB;

// From now on so much more than what is in use.
void LimitMemory(std::size_t more) {
#ifdef __GLIBC__
  ::malloc_trim(0);  // what earlier tests have left
#endif
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  statm >> pages;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = pages * page + more;
  ::setrlimit(RLIMIT_AS, &limit);
}
void LiftLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_AS, &limit);
}

// In a child that reports by its exit code; an exception or a signal is none.
#define CHILD_EXPECT(condition)                                    \
  do {                                                             \
    if (!(condition)) {                                            \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      std::_Exit(1);                                               \
    }                                                              \
  } while (false)

template <typename Body>
void InAChild(const Body& body) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    body();
    std::_Exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Earlier tests of this process may have left so much free memory that what
// must not fit does.
bool HasMuchFreeMemory() {
#ifdef __GLIBC__
  return ::mallinfo2().fordblks > kLargeBytes / 8;
#else
  return false;
#endif
}

// Runs a test of that name in a process without a past.
void RunAlone(const std::string& name) {
  const std::string filter = "--gtest_filter=" + name;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::execl("/proc/self/exe", "alone", filter.c_str(), nullptr);
    std::_Exit(127);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

bool IsNoMemory(const Status& status) {
  return status.code() == StatusCode::kResourceExhausted;
}

class MemoryLimit : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef TAMIS_SANITIZED
    GTEST_SKIP() << "a sanitizer takes memory of its own";
#endif
    if (!HasMuchFreeMemory()) return;
    const auto* const test =
        ::testing::UnitTest::GetInstance()->current_test_info();
    RunAlone(std::string(test->test_suite_name()) + "." + test->name());
    GTEST_SKIP() << "it ran in a process of its own";
  }

  // A large value in a table, before there is a limit.
  void WriteLargeValue() {
    InAChild([&] {
      auto store = Store::Open(path_, {.create_if_missing = true});
      CHILD_EXPECT(store.ok());
      CHILD_EXPECT(store->Put({}, "key", std::string(kLargeBytes, 'v')).ok());
      CHILD_EXPECT(store->Put({}, "small", "value").ok());
      CHILD_EXPECT(store->Flush().ok());
    });
  }

  const TempDir dir_{TempDir::InMemory()};
  const std::string path_ = dir_.File("db");
};

TEST_F(MemoryLimit, AWriteThatDoesNotFitFailsAndTheNextOneWorks) {
  InAChild([&] {
    const std::string value(kLargeBytes, 'v');
    auto store = Store::Open(path_, {.create_if_missing = true});
    CHILD_EXPECT(store.ok());
    // Room for the batch, but not for the memtable's copy, or for neither.
    for (const std::size_t more :
         {kLargeBytes + kLargeBytes / 2, kLargeBytes / 2}) {
      LimitMemory(more);
      CHILD_EXPECT(IsNoMemory(store->Put({}, "large", value)));
      CHILD_EXPECT(IsNoMemory(store->Put({.sync = true}, "large", value)));
      CHILD_EXPECT(store->Put({}, "small", "value").ok());
      LiftLimit();
      std::string got;
      CHILD_EXPECT(store->Get({}, "large", &got).code() ==
                   StatusCode::kNotFound);
      CHILD_EXPECT(store->Get({}, "small", &got).ok() && got == "value");
    }
    CHILD_EXPECT(store->Put({}, "large", value).ok());
    store.value().reset();
    store = Store::Open(path_, {});
    CHILD_EXPECT(store.ok());
    std::string got;
    CHILD_EXPECT(store->Get({}, "large", &got).ok() && got == value);
  });
}

TEST_F(MemoryLimit, ReadsThatDoNotFitFailAndOthersWork) {
  WriteLargeValue();
  InAChild([&] {
    auto store = Store::Open(path_, {});
    CHILD_EXPECT(store.ok());
    LimitMemory(kLargeBytes / 2);
    std::string got;
    const Slice key = "key";
    Status many;
    CHILD_EXPECT(IsNoMemory(store->Get({}, key, &got)));
    store->MultiGet({}, {&key, 1}, {&got, 1}, {&many, 1});
    CHILD_EXPECT(IsNoMemory(many));
    const auto it = store->NewIterator();
    it->SeekToFirst();
    CHILD_EXPECT(!it->Valid() && IsNoMemory(it->status()));
    CHILD_EXPECT(store->Put({}, "other", "value").ok());
    CHILD_EXPECT(store->Get({}, "other", &got).ok());
    LiftLimit();
    CHILD_EXPECT(store->Get({}, key, &got).ok() && got.size() == kLargeBytes);
  });
}

// What there is no memory for is not damaged, and stays where it is.
TEST_F(MemoryLimit, ARepairThatDoesNotFitChangesNothing) {
  WriteLargeValue();
  InAChild([&] {
    LimitMemory(kLargeBytes / 2);
    const Status checked = CheckStore(path_).status();
    const Status repaired = RepairStore(path_).status();
    LiftLimit();
    for (const Status& status : {checked, repaired}) {
      CHILD_EXPECT(IsNoMemory(status));
      CHILD_EXPECT(status.message().starts_with(path_ + "/0"));
      CHILD_EXPECT(status.message().find(".ldb: ") != std::string::npos);
    }
    const auto again = RepairStore(path_);
    CHILD_EXPECT(again.ok() && again->was_clean);
  });
}

TEST_F(MemoryLimit, BackgroundWorkIsTriedAgain) {
  WriteLargeValue();
  InAChild([&] {
    StoreOptions options;
    options.level0_compact_at = 2;
    auto store = Store::Open(path_, options);
    CHILD_EXPECT(store.ok());
    LimitMemory(kLargeBytes / 2);
    CHILD_EXPECT(store->Put({}, "a", "value").ok());
    CHILD_EXPECT(store->Put({}, "z", "value").ok());
    CHILD_EXPECT(store->Flush().ok());
    CHILD_EXPECT(IsNoMemory(store->WaitForQuiet()));
    CHILD_EXPECT(!store->Stats().background_error.empty());
    CHILD_EXPECT(store->Put({}, "b", "value").ok());
    std::string got;
    CHILD_EXPECT(store->Get({}, "a", &got).ok());
    LiftLimit();
    CHILD_EXPECT(store->Compact().ok());
    CHILD_EXPECT(store->Get({}, "key", &got).ok() && got.size() == kLargeBytes);
    CHILD_EXPECT(store->Get({}, "b", &got).ok() && got == "value");
  });
}

}  // namespace
}  // namespace tamis
