// SPDX-License-Identifier: Apache-2.0
// store/stores.h -- a store for a test, in memory, that can be closed and
// opened again.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/comparator.h"
#include "tamis/store.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {

// Where the stores are that live in a MemoryEnv.
inline constexpr char kDir[] = "/db";

// What background threads are about to do, sooner or later: true once it is.
template <typename Condition>
bool ComesTrue(const Condition& condition) {
  constexpr std::chrono::seconds kLongEnough(20);
  const auto end = std::chrono::steady_clock::now() + kLongEnough;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Buffers, tables and levels so small that a few hundred entries fill several
// levels.
inline StoreOptions SmallOptions() {
  StoreOptions options;
  options.write_buffer_bytes = std::size_t{16} << 10;
  options.table_bytes = std::uint64_t{8} << 10;
  options.level1_bytes = std::uint64_t{32} << 10;
  options.level_growth = 4;
  options.block_bytes = 1024;
  // So that every lookup queries the filters that there are.
  options.filter_loading = FilterLoading::kWhenFirstAsked;
  return options;
}

// The same, and flushes and compactions come soon: each call of the env matters
// to what is tested with it.
inline StoreOptions BusyOptions(Env* env) {
  StoreOptions options = SmallOptions();
  options.create_if_missing = true;
  options.env = env;
  options.write_buffer_bytes = std::size_t{8} << 10;
  options.level0_compact_at = 2;
  return options;
}

// Nothing happens by itself: tables stay where the test put them.
inline StoreOptions StillOptions() {
  StoreOptions options;
  options.automatic_compaction = false;
  options.filter_loading = FilterLoading::kWhenFirstAsked;
  return options;
}

class TestStore {
 public:
  explicit TestStore(StoreOptions options = {}) : options_(std::move(options)) {
    options_.create_if_missing = true;
    options_.env = &env_;
    Open();
  }

  Store* operator->() { return store_.get(); }
  Store& operator*() { return *store_; }
  MemoryEnv& env() { return env_; }
  // For the next opening.
  StoreOptions& options() { return options_; }
  static const std::string& dir() {
    static const std::string dir = kDir;
    return dir;
  }

  void Close() { store_.reset(); }
  void Open() {
    Result<std::unique_ptr<Store>> opened = Store::Open(dir(), options_);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    store_ = *std::move(opened);
  }
  void Reopen() {
    Close();
    Open();
  }
  Status TryOpen() {
    Result<std::unique_ptr<Store>> opened = Store::Open(dir(), options_);
    if (opened.ok()) store_ = *std::move(opened);
    return opened.status();
  }

  void Put(Slice key, Slice value) {
    const Status put = store_->Put({}, key, value);
    ASSERT_TRUE(put.ok()) << put.ToString();
  }
  void Delete(Slice key) {
    const Status gone = store_->Delete({}, key);
    ASSERT_TRUE(gone.ok()) << gone.ToString();
  }
  void Flush() {
    const Status flushed = store_->Flush();
    ASSERT_TRUE(flushed.ok()) << flushed.ToString();
  }
  void Compact() {
    const Status compacted = store_->Compact();
    ASSERT_TRUE(compacted.ok()) << compacted.ToString();
  }
  // The value; "(none)" where there is none; an error as its text.
  std::string Get(Slice key, const Snapshot* snapshot = nullptr) {
    std::string value;
    const Status got = store_->Get({.snapshot = snapshot}, key, &value);
    if (got.code() == StatusCode::kNotFound) return "(none)";
    return got.ok() ? value : got.ToString();
  }
  // "key=value key=value ..." in order.
  std::string All(const Snapshot* snapshot = nullptr) {
    std::string all;
    const auto it = store_->NewIterator({.snapshot = snapshot});
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      if (!all.empty()) all += ' ';
      all += std::string(it->key()) + "=" + std::string(it->value());
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    return all;
  }
  std::uint64_t TablesAt(int level) {
    return store_->Stats().levels[static_cast<std::size_t>(level)].tables;
  }
  // Paths of the files that end so, in order.
  std::string Manifest() {
    for (const std::string& path : Files("")) {
      if (path.find("MANIFEST-") != std::string::npos) return path;
    }
    return "none";
  }
  std::vector<std::string> Files(const std::string& ending) {
    std::vector<std::string> found;
    const Result<std::vector<std::string>> names = env_.List(dir());
    for (const std::string& name : *names) {
      if (name.ends_with(ending)) found.push_back(dir() + "/" + name);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  MemoryEnv env_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
};

// Bytes by path.
using Files = std::map<std::string, std::string>;

// Those in a directory, but for what a repair has put aside.  None: there is no
// such directory.
inline Files FilesOf(MemoryEnv* env, const std::string& dir = kDir) {
  Files files;
  const Result<std::vector<std::string>> names = env->List(dir);
  if (!names.ok()) return files;
  for (const std::string& name : *names) {
    const std::string path = dir + "/" + name;
    if (name != "lost") files[path] = env->Contents(path);
  }
  return files;
}

// Makes the directory, with these in it.
inline void PutFiles(const Files& files, MemoryEnv* env) {
  ASSERT_TRUE(env->CreateDirectory(kDir).ok());
  for (const auto& [path, bytes] : files) env->SetContents(path, bytes);
}

// Fails the running test where the store cannot be repaired.
inline RepairReport Repair(TestStore* store,
                           RepairMode mode = RepairMode::kWrite) {
  Result<RepairReport> repaired =
      RepairStore(TestStore::dir(), store->options(), mode);
  EXPECT_TRUE(repaired.ok()) << repaired.status().ToString();
  return repaired.ok() ? *std::move(repaired) : RepairReport();
}

// Another order than the usual one.
class Backwards final : public Comparator {
 public:
  std::string_view name() const noexcept override { return "test.Backwards"; }
  int Compare(Slice a, Slice b) const noexcept override { return b.compare(a); }
  bool EqualMeansIdentical() const noexcept override { return true; }
};

// A key of eight digits, so that numbers and keys order alike.
inline std::string NumberKey(std::uint64_t number) {
  std::string digits = std::to_string(number);
  return std::string(digits.size() < 8 ? 8 - digits.size() : 0, '0') + digits;
}

}  // namespace tamis::testing
