// SPDX-License-Identifier: Apache-2.0
// CheckStore() beside a writer: what comes and goes meanwhile is no damage, and
// damage is found all the same.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/base/temp_dir.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::StillOptions;
using testing::TestStore;

// A file the first `reads` reads of which give other bytes: half a write.
class TornFile final : public ReadableFile {
 public:
  TornFile(std::unique_ptr<ReadableFile> file, int* reads)
      : file_(std::move(file)), reads_(reads) {}
  std::uint64_t size() const noexcept override { return file_->size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    Result<Slice> read = file_->Read(offset, bytes, scratch);
    // What is read behind the end is empty, and not torn.
    if (!read.ok() || read->empty() || --*reads_ < 0) return read;
    std::string torn(*read);
    torn[20] = static_cast<char>(torn[20] ^ 1);
    *scratch = torn;
    return Slice(*scratch);
  }

 private:
  std::unique_ptr<ReadableFile> file_;
  int* reads_;
};

// Calls `before_open` before it opens a file.
class WatchedEnv final : public Env {
 public:
  explicit WatchedEnv(Env* env) : env_(*env) {}

  std::function<void(const std::string& path)> before_open;
  int torn_log_reads = 0;

  Result<std::unique_ptr<ReadableFile>> OpenReadable(const std::string& path,
                                                     bool map) override {
    if (before_open) before_open(path);
    auto file = env_.OpenReadable(path, map);
    if (!file.ok() || !path.ends_with(".log")) return file;
    return std::unique_ptr<ReadableFile>(
        std::make_unique<TornFile>(*std::move(file), &torn_log_reads));
  }
  Result<std::unique_ptr<WritableFile>> Create(const std::string& path,
                                               WriteKind kind) override {
    return env_.Create(path, kind);
  }
  Result<std::unique_ptr<WritableFile>> Reopen(const std::string& path,
                                               std::uint64_t keep,
                                               WriteKind kind) override {
    return env_.Reopen(path, keep, kind);
  }
  Result<std::vector<std::string>> List(const std::string& dir) override {
    return env_.List(dir);
  }
  bool Exists(const std::string& path) override { return env_.Exists(path); }
  Result<std::uint64_t> FileSize(const std::string& path) override {
    return env_.FileSize(path);
  }
  Status Remove(const std::string& path) override { return env_.Remove(path); }
  Status Rename(const std::string& from, const std::string& to) override {
    return env_.Rename(from, to);
  }
  Status CreateDirectory(const std::string& dir) override {
    return env_.CreateDirectory(dir);
  }
  Status RemoveDirectory(const std::string& dir) override {
    return env_.RemoveDirectory(dir);
  }
  Status SyncDirectory(const std::string& dir) override {
    return env_.SyncDirectory(dir);
  }
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override {
    return env_.Lock(path);
  }

 private:
  Env& env_;
};

class StoreCheckLive : public ::testing::Test {
 protected:
  StoreCheckLive() : store_(StillOptions()), watched_(&store_.env()) {
    Change();
    Change();
    options_ = store_.options();
    options_.env = &watched_;
  }

  // A new table, or all of them replaced by one.
  void Change() {
    ++changes_;
    store_.Put(NumberKey(changes_), "value");
    store_.Put("all", std::to_string(changes_));
    if (changes_ % 3 == 0) {
      store_.Compact();
    } else {
      store_.Flush();
    }
  }
  CheckReport Check() {
    const auto checked = CheckStore("/db", options_);
    EXPECT_TRUE(checked.ok()) << checked.status().ToString();
    return checked.ok() ? *checked : CheckReport();
  }

  TestStore store_;
  WatchedEnv watched_;
  StoreOptions options_;
  std::uint64_t changes_ = 0;
};

TEST_F(StoreCheckLive, PassesOverTablesThatAreReplacedMeanwhile) {
  bool is_done = false;
  watched_.before_open = [&](const std::string& path) {
    if (is_done || !path.ends_with(".ldb")) return;
    is_done = true;
    Change();  // a compaction: all tables that the manifest named go
    while (store_.Files(".ldb").size() > 1) {
      std::this_thread::yield();
    }
  };
  const CheckReport report = Check();
  EXPECT_TRUE(is_done);
  EXPECT_EQ(report.problems, std::vector<std::string>{});
  // What is live now was checked.
  EXPECT_EQ(report.tables, 1u);
  EXPECT_EQ(report.entries, 4u);
}

TEST_F(StoreCheckLive, PassesOverAManifestThatIsReplacedMeanwhile) {
  bool is_done = false;
  watched_.before_open = [&](const std::string& path) {
    if (is_done || path.find("MANIFEST") == std::string::npos) return;
    is_done = true;
    // Who opens a store writes a manifest of his own.
    const std::string manifest = store_.Manifest();
    store_.Reopen();
    Change();
    EXPECT_FALSE(store_.env().Exists(manifest));
  };
  EXPECT_EQ(Check().problems, std::vector<std::string>{});
  EXPECT_TRUE(is_done);
}

TEST_F(StoreCheckLive, DoesNotChaseAFastWriterForEver) {
  int opened = 0;
  watched_.before_open = [&](const std::string& path) {
    if (!path.ends_with(".ldb")) return;
    ++opened;
    Change();
    Change();
    Change();
  };
  const CheckReport report = Check();
  EXPECT_EQ(report.problems, std::vector<std::string>{});
  ASSERT_FALSE(report.notes.empty());
  EXPECT_NE(report.notes[0].find("faster than it can be checked"),
            std::string::npos);
  EXPECT_LT(opened, 500);
}

TEST_F(StoreCheckLive, FindsATableThatIsGoneAlthoughTheManifestNamesIt) {
  const std::string table = store_.Files(".ldb").front();
  ASSERT_TRUE(store_.env().Remove(table).ok());
  watched_.before_open = [&](const std::string& path) {
    if (path.ends_with(".ldb") && changes_ < 20) {
      ++changes_;
      store_.Put("more", std::to_string(changes_));
      store_.Flush();
    }
  };
  const CheckReport report = Check();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_NE(report.problems[0].find(table), std::string::npos);
}

TEST_F(StoreCheckLive, PassesOverHalfAWriteToALog) {
  store_.Put("in", "the log");
  watched_.torn_log_reads = 2;
  EXPECT_EQ(Check().problems, std::vector<std::string>{});
  watched_.torn_log_reads = 1000;
  EXPECT_EQ(Check().problems.size(), 1u);
}

// All of it at once, on the real files.
TEST(StoreCheckLiveThreads, FindsNothingWrongBesideABusyWriter) {
  const TempDir dir;
  const std::string path = dir.File("db");
  StoreOptions options = testing::SmallOptions();
  options.create_if_missing = true;
  auto store = Store::Open(path, options);
  ASSERT_TRUE(store.ok());
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> written = 0;
  std::thread writer([&] {
    for (std::uint64_t i = 0; !stop; ++i, ++written) {
      const std::string value(100 + i % 50 * (i % 97 == 0 ? 200 : 1), 'x');
      ASSERT_TRUE(store->Put({}, NumberKey(i * 7919 % 3000), value).ok());
    }
  });
  for (int i = 0; i < 15 || written < 3'000; ++i) {
    const auto checked = CheckStore(path);
    EXPECT_TRUE(checked.ok()) << checked.status().ToString();
    if (!checked.ok()) break;
    for (const std::string& problem : checked->problems) {
      ADD_FAILURE() << problem;
    }
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace tamis
