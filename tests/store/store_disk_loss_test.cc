// SPDX-License-Identifier: Apache-2.0
// The power fails while a store writes to a real file system: its image is
// copied at some moment, and what the copy holds is a prefix of what was
// written.  Needs root and loop devices.
//
//   TAMIS_SOAK_SECONDS=600 tests_store --gtest_filter='StoreOnALostDisk.*'

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/batch_history.h"
#include "tests/store/stores.h"
#include "tests/support/loop_disk.h"

namespace tamis::testing {
namespace {

constexpr std::uint64_t kDiskBytes = std::uint64_t{32} << 20;

// Writes keys 0, 1, 2, ... without syncing, until it is killed.
[[noreturn]] void WriteUnsynced(const std::string& dir, std::uint64_t seed) {
  StoreOptions options;
  options.create_if_missing = true;
  auto store = Store::Open(dir, options);
  if (!store.ok()) ::_exit(1);
  std::mt19937_64 random(seed);
  // Bounded: should nobody kill it, it ends by itself.
  for (std::uint64_t i = 0; i < 2'000'000; ++i) {
    const std::string value(20 + random() % 180, 'v');
    if (!store->Put({}, NumberKey(i), value).ok()) ::_exit(2);
    if (i % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  ::_exit(3);
}

// The system writes what it has of the log, at some moment.
void WriteBackLogs(const std::string& dir) {
  for (const auto& file : std::filesystem::directory_iterator(dir)) {
    if (file.path().extension() != ".log") continue;
    const int fd = ::open(file.path().c_str(), O_RDONLY);
    if (fd < 0) continue;
    ::fdatasync(fd);
    ::close(fd);
  }
}

void ExpectPrefix(const std::string& dir) {
  for (const bool read_only : {true, false}) {
    const auto store = Store::Open(dir, {.read_only = read_only});
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    const auto it = store->NewIterator();
    std::uint64_t i = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++i) {
      ASSERT_EQ(it->key(), NumberKey(i)) << "a hole";
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
  }
}

void LosePowerOnce(std::uint64_t seed) {
  const LoopDisk disk(kDiskBytes, "-E lazy_itable_init=0,lazy_journal_init=0");
  SKIP_WITHOUT_DISK(disk);
  const std::string dir = disk.path() + "/db";
  const pid_t writer = ::fork();
  if (writer == 0) WriteUnsynced(dir, seed);
  while (!std::filesystem::exists(dir + "/CURRENT")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30 + seed * 7 % 60));
  WriteBackLogs(dir);
  const std::unique_ptr<LoopDisk> after = disk.Copy();
  ::kill(writer, SIGKILL);
  ASSERT_EQ(::waitpid(writer, nullptr, 0), writer);
  ASSERT_EQ(after->why_not(), "");
  ExpectPrefix(after->path() + "/db");
}

TEST(StoreOnALostDisk, HoldsAPrefixOfWhatWasWritten) {
  const std::uint64_t seconds = NumberFrom("TAMIS_SOAK_SECONDS", 0);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::uint64_t seed = 0;
  do {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LosePowerOnce(seed++);
    if (HasFailure() || IsSkipped()) return;
  } while (seed < 3 || std::chrono::steady_clock::now() < end);
  std::printf("%llu power losses\n", static_cast<unsigned long long>(seed));
}

}  // namespace
}  // namespace tamis::testing
