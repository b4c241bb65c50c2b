// SPDX-License-Identifier: Apache-2.0
// leveldb::NewMemEnv(): files in memory; the rest is another Env's.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <leveldb/env.h>
#include <leveldb/helpers/memenv.h>
#include <leveldb/slice.h>

namespace leveldb {
namespace {

// The contents of a file, which its openings share.  Thread-safe.
class Contents {
 public:
  std::uint64_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_.size();
  }
  void Clear() {
    const std::lock_guard lock(mutex_);
    bytes_.clear();
  }
  void Append(const Slice& data) {
    const std::lock_guard lock(mutex_);
    bytes_.append(data.data(), data.size());
  }
  Status Read(std::uint64_t offset, std::size_t n, Slice* result,
              char* scratch) const {
    const std::lock_guard lock(mutex_);
    if (offset > bytes_.size()) {
      return Status::IOError("Offset greater than file size.");
    }
    n = bytes_.copy(scratch, n, static_cast<std::size_t>(offset));
    *result = Slice(scratch, n);
    return Status();
  }

 private:
  mutable std::mutex mutex_;
  std::string bytes_;
};

using SharedContents = std::shared_ptr<Contents>;

class MemorySequentialFile final : public SequentialFile {
 public:
  explicit MemorySequentialFile(SharedContents file) : file_(std::move(file)) {}
  Status Read(size_t n, Slice* result, char* scratch) override {
    Status read = file_->Read(at_, n, result, scratch);
    if (read.ok()) at_ += result->size();
    return read;
  }
  Status Skip(uint64_t n) override {
    const std::uint64_t end = file_->bytes();
    if (at_ > end) return Status::IOError("at_ > file_->Size()");
    at_ += std::min(n, end - at_);
    return Status();
  }

 private:
  const SharedContents file_;
  std::uint64_t at_ = 0;
};

class MemoryRandomAccessFile final : public RandomAccessFile {
 public:
  explicit MemoryRandomAccessFile(SharedContents file)
      : file_(std::move(file)) {}
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    return file_->Read(offset, n, result, scratch);
  }

 private:
  const SharedContents file_;
};

class MemoryWritableFile final : public WritableFile {
 public:
  explicit MemoryWritableFile(SharedContents file) : file_(std::move(file)) {}
  Status Append(const Slice& data) override {
    file_->Append(data);
    return Status();
  }
  Status Close() override { return Status(); }
  Status Flush() override { return Status(); }
  Status Sync() override { return Status(); }

 private:
  const SharedContents file_;
};

class NoLogger final : public Logger {
 public:
  void Logv(const char* /*format*/, std::va_list /*ap*/) override {}
};

// Directories exist as their files do.
class MemoryEnv final : public EnvWrapper {
 public:
  explicit MemoryEnv(Env* base) : EnvWrapper(base) {}

  Status NewSequentialFile(const std::string& fname,
                           SequentialFile** result) override {
    return Open<MemorySequentialFile>(fname, result);
  }
  Status NewRandomAccessFile(const std::string& fname,
                             RandomAccessFile** result) override {
    return Open<MemoryRandomAccessFile>(fname, result);
  }
  Status NewWritableFile(const std::string& fname,
                         WritableFile** result) override {
    const std::lock_guard lock(mutex_);
    SharedContents& file = Made(fname);
    file->Clear();
    *result = new MemoryWritableFile(file);
    return Status();
  }
  Status NewAppendableFile(const std::string& fname,
                           WritableFile** result) override {
    const std::lock_guard lock(mutex_);
    *result = new MemoryWritableFile(Made(fname));
    return Status();
  }
  bool FileExists(const std::string& fname) override {
    const std::lock_guard lock(mutex_);
    return files_.contains(fname);
  }
  Status GetChildren(const std::string& dir,
                     std::vector<std::string>* result) override {
    const std::lock_guard lock(mutex_);
    result->clear();
    const std::string start = dir + "/";
    for (const auto& [name, file] : files_) {
      if (name.size() > start.size() && name.starts_with(start)) {
        result->push_back(name.substr(start.size()));
      }
    }
    return Status();
  }
  Status RemoveFile(const std::string& fname) override {
    const std::lock_guard lock(mutex_);
    return files_.erase(fname) != 0 ? Status() : Missing(fname);
  }
  Status CreateDir(const std::string& /*dirname*/) override { return Status(); }
  Status RemoveDir(const std::string& /*dirname*/) override { return Status(); }
  Status GetFileSize(const std::string& fname, uint64_t* file_size) override {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(fname);
    if (found == files_.end()) return Missing(fname);
    *file_size = found->second->bytes();
    return Status();
  }
  Status RenameFile(const std::string& src,
                    const std::string& target) override {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(src);
    if (found == files_.end()) return Missing(src);
    SharedContents file = found->second;
    files_.erase(found);
    files_[target] = std::move(file);
    return Status();
  }
  Status LockFile(const std::string& /*fname*/, FileLock** lock) override {
    *lock = new FileLock;
    return Status();
  }
  Status UnlockFile(FileLock* lock) override {
    delete lock;
    return Status();
  }
  Status GetTestDirectory(std::string* path) override {
    *path = "/test";
    return Status();
  }
  Status NewLogger(const std::string& /*fname*/, Logger** result) override {
    *result = new NoLogger;
    return Status();
  }

 private:
  static Status Missing(const std::string& fname) {
    return Status::IOError(fname, "File not found");
  }

  template <typename File, typename Base>
  Status Open(const std::string& fname, Base** result) {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(fname);
    *result = found == files_.end() ? nullptr : new File(found->second);
    return *result != nullptr ? Status() : Missing(fname);
  }

  // REQUIRES: mutex_ is held
  SharedContents& Made(const std::string& fname) {
    SharedContents& file = files_[fname];
    if (file == nullptr) file = std::make_shared<Contents>();
    return file;
  }

  std::mutex mutex_;
  std::map<std::string, SharedContents> files_;
};

}  // namespace

Env* NewMemEnv(Env* base_env) { return new MemoryEnv(base_env); }

}  // namespace leveldb
