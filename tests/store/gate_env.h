// SPDX-License-Identifier: Apache-2.0
// store/gate_env.h -- an Env in which reads of some files wait at a gate, as at
// a slow disk.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tamis/env.h"

namespace tamis::testing {

// Reads of the thread that made it never wait.
class GateEnv final : public Env {
 public:
  using IsSlow =
      std::function<bool(const std::string& path, std::uint64_t offset)>;

  // REQUIRES: `real` outlives this, and all files that are opened
  explicit GateEnv(Env& real) : real_(real) {}

  // From now on other threads wait where is_slow(path, offset) of a read.
  void CloseFor(IsSlow is_slow) {
    const std::lock_guard lock(mutex_);
    is_slow_ = std::move(is_slow);
  }
  void OpenGate() {
    const std::lock_guard lock(mutex_);
    is_slow_ = nullptr;
    changed_.notify_all();
  }
  // Returns when a thread waits there; false: none comes.
  bool WaitForReader() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kLong, [this] { return waiting_ > 0; });
  }
  // True: a reader was let through though nobody had opened the gate, so that a
  // test which would hang fails.
  bool was_forced() const {
    const std::lock_guard lock(mutex_);
    return was_forced_;
  }

  Result<std::unique_ptr<ReadableFile>> OpenReadable(const std::string& path,
                                                     bool /*map*/) override {
    auto file = real_.OpenReadable(path, /*map=*/false);
    if (!file.ok()) return file;
    return std::unique_ptr<ReadableFile>(
        std::make_unique<File>(*this, path, *std::move(file)));
  }
  Result<std::unique_ptr<WritableFile>> Create(const std::string& path,
                                               WriteKind kind) override {
    return real_.Create(path, kind);
  }
  Result<std::unique_ptr<WritableFile>> Reopen(const std::string& path,
                                               std::uint64_t keep,
                                               WriteKind kind) override {
    return real_.Reopen(path, keep, kind);
  }
  Result<std::vector<std::string>> List(const std::string& dir) override {
    return real_.List(dir);
  }
  bool Exists(const std::string& path) override { return real_.Exists(path); }
  Result<std::uint64_t> FileSize(const std::string& path) override {
    return real_.FileSize(path);
  }
  Status Remove(const std::string& path) override { return real_.Remove(path); }
  Status Rename(const std::string& from, const std::string& to) override {
    return real_.Rename(from, to);
  }
  Status CreateDirectory(const std::string& dir) override {
    return real_.CreateDirectory(dir);
  }
  Status RemoveDirectory(const std::string& dir) override {
    return real_.RemoveDirectory(dir);
  }
  Status SyncDirectory(const std::string& dir) override {
    return real_.SyncDirectory(dir);
  }
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override {
    return real_.Lock(path);
  }

 private:
  static constexpr std::chrono::seconds kLong{20};

  class File final : public ReadableFile {
   public:
    File(GateEnv& env, std::string path, std::unique_ptr<ReadableFile> real)
        : env_(env), path_(std::move(path)), real_(std::move(real)) {}
    std::uint64_t size() const noexcept override { return real_->size(); }
    Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                       std::string* scratch) const override {
      env_.Pass(path_, offset);
      return real_->Read(offset, bytes, scratch);
    }

   private:
    GateEnv& env_;
    const std::string path_;
    const std::unique_ptr<ReadableFile> real_;
  };

  void Pass(const std::string& path, std::uint64_t offset) {
    std::unique_lock lock(mutex_);
    if (std::this_thread::get_id() == maker_) return;
    if (!is_slow_ || !is_slow_(path, offset)) return;
    ++waiting_;
    changed_.notify_all();
    if (!changed_.wait_for(lock, kLong, [this] { return !is_slow_; })) {
      was_forced_ = true;
    }
    --waiting_;
  }

  Env& real_;
  const std::thread::id maker_ = std::this_thread::get_id();
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  IsSlow is_slow_;
  int waiting_ = 0;
  bool was_forced_ = false;
};

}  // namespace tamis::testing
