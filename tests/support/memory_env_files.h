// SPDX-License-Identifier: Apache-2.0
// support/memory_env_files.h -- the files and locks that a MemoryEnv gives out.
// For memory_env.cc alone.

#pragma once

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {

class MemoryEnv::Readable final : public ReadableFile {
 public:
  // REQUIRES: the mutex is held, and file.shown is not null
  Readable(MemoryEnv* env, std::string path, const Inode& file, bool map)
      : env_(env),
        path_(std::move(path)),
        content_(file.shown),
        unreadable_(file.unreadable),
        is_mapped_(map && unreadable_.empty()),
        epoch_(env->epoch_) {}

  std::uint64_t size() const noexcept override { return content_->size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    if (Status called = Called(); !called.ok()) return called;
    const Slice content = *content_;
    if (offset > content.size() || bytes > content.size() - offset) {
      return Status::IoError(path_ + ": ends before");
    }
    for (const auto& [begin, end] : unreadable_) {
      if (offset < end && offset + bytes > begin) {
        return SystemError(path_, EIO);
      }
    }
    const Slice piece = content.substr(static_cast<std::size_t>(offset), bytes);
    if (is_mapped_) return piece;
    *scratch = piece;
    return Slice(*scratch);
  }
  Slice mapped() const noexcept override {
    return is_mapped_ ? Slice(*content_) : Slice();
  }

 private:
  // After a crash what was shown before is shown still.
  Status Called() const {
    const std::lock_guard guard(env_->mutex_);
    if (env_->epoch_ != epoch_) return Status::Ok();
    return env_->Called(kReadCalls, path_);
  }

  MemoryEnv* env_;
  std::string path_;
  std::shared_ptr<const std::string> content_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> unreadable_;
  bool is_mapped_;
  std::uint64_t epoch_;
};

// Keeps bytes to itself until Flush(), as the real ones may.
class MemoryEnv::Writable final : public WritableFile {
 public:
  Writable(MemoryEnv* env, std::string path, std::shared_ptr<Inode> file)
      : env_(env),
        path_(std::move(path)),
        file_(std::move(file)),
        epoch_(env->epoch_) {}
  Writable(const Writable&) = delete;
  Writable& operator=(const Writable&) = delete;
  ~Writable() override {
    const std::lock_guard guard(env_->mutex_);
    if (IsAlive().ok()) static_cast<void>(HandOver().ok());
  }

  Status Append(Slice bytes) override {
    const std::lock_guard guard(env_->mutex_);
    if (Status alive = IsAlive(); !alive.ok()) return alive;
    Status called = env_->Called(kWriteCalls, path_);
    if (called.ok()) {
      called = env_->CheckRoom(path_, buffer_.size() + bytes.size());
    }
    if (called.ok()) {
      buffer_ += bytes;
    } else if (env_->options_.tear_failed_writes) {
      file_->content += buffer_;
      file_->content += bytes.substr(0, bytes.size() / 2);
      file_->shown = nullptr;
      buffer_.clear();
    }
    return called;
  }

  Status Flush() override { return Do(kWriteCalls, false); }
  Status Sync() override { return Do(kSyncCalls, true); }
  Status Close() override {
    Status done = Do(kCloseCalls, false);
    is_closed_ = true;
    return done;
  }

 private:
  // REQUIRES, for these two: the mutex is held
  Status IsAlive() const {
    if (is_closed_) return Status::IoError(path_ + ": closed already");
    if (env_->epoch_ == epoch_) return Status::Ok();
    return Status::IoError(path_ + ": was opened before the crash");
  }
  Status HandOver() {
    if (buffer_.empty()) return Status::Ok();
    if (Status room = env_->CheckRoom(path_, buffer_.size()); !room.ok()) {
      return room;
    }
    file_->content += buffer_;
    file_->shown = nullptr;
    buffer_.clear();
    return Status::Ok();
  }

  Status Do(CallKinds kind, bool sync) {
    const std::lock_guard guard(env_->mutex_);
    if (Status alive = IsAlive(); !alive.ok()) return alive;
    if (Status called = env_->Called(kind, path_); !called.ok()) {
      if (sync && env_->options_.failed_syncs_lose && HandOver().ok()) {
        file_->LoseWhatIsSynced();
      }
      return called;
    }
    if (Status handed_over = HandOver(); !handed_over.ok()) return handed_over;
    if (sync) file_->MarkSynced();
    return Status::Ok();
  }

  MemoryEnv* env_;
  std::string path_;
  std::shared_ptr<Inode> file_;
  std::uint64_t epoch_;
  std::string buffer_;
  bool is_closed_ = false;
};

class MemoryEnv::HeldLock final : public FileLock {
 public:
  HeldLock(MemoryEnv* env, std::string path)
      : env_(env), path_(std::move(path)), epoch_(env->epoch_) {}
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  ~HeldLock() override {
    const std::lock_guard guard(env_->mutex_);
    if (env_->epoch_ == epoch_) env_->locked_.erase(path_);
  }

 private:
  MemoryEnv* env_;
  std::string path_;
  std::uint64_t epoch_;
};

}  // namespace tamis::testing
