// SPDX-License-Identifier: Apache-2.0
#include "posix_files.h"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "convert.h"

namespace tamis::dropin {
namespace {

// Closes it at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Returns what close() does.
  int Close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

class SequentialPosixFile final : public leveldb::SequentialFile {
 public:
  SequentialPosixFile(std::string path, Descriptor fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}

  leveldb::Status Read(size_t n, leveldb::Slice* result,
                       char* scratch) override {
    for (;;) {
      const ssize_t bytes = ::read(fd_.get(), scratch, n);
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0) return SystemError(path_, errno);
      *result = leveldb::Slice(scratch, static_cast<std::size_t>(bytes));
      return leveldb::Status();
    }
  }
  leveldb::Status Skip(uint64_t n) override {
    return ::lseek(fd_.get(), static_cast<off_t>(n), SEEK_CUR) < 0
               ? SystemError(path_, errno)
               : leveldb::Status();
  }

 private:
  const std::string path_;
  const Descriptor fd_;
};

class RandomAccessPosixFile final : public leveldb::RandomAccessFile {
 public:
  RandomAccessPosixFile(std::string path, Descriptor fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}

  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                       char* scratch) const override {
    std::size_t done = 0;
    while (done < n) {
      const ssize_t bytes = ::pread(fd_.get(), scratch + done, n - done,
                                    static_cast<off_t>(offset + done));
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0) return SystemError(path_, errno);
      if (bytes == 0) break;
      done += static_cast<std::size_t>(bytes);
    }
    *result = leveldb::Slice(scratch, done);
    return leveldb::Status();
  }

 private:
  const std::string path_;
  const Descriptor fd_;
};

// Buffers small pieces.
class WritablePosixFile final : public leveldb::WritableFile {
 public:
  WritablePosixFile(std::string path, Descriptor fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}
  ~WritablePosixFile() override {
    if (fd_.valid()) (void)Close();
  }

  leveldb::Status Append(const leveldb::Slice& data) override {
    if (buffer_.size() + data.size() > kBufferBytes) {
      leveldb::Status flushed = Flush();
      if (!flushed.ok()) return flushed;
    }
    if (data.size() > kBufferBytes) return WriteOut(Ours(data));
    buffer_.append(data.data(), data.size());
    return leveldb::Status();
  }
  leveldb::Status Flush() override {
    leveldb::Status written = WriteOut(buffer_);
    buffer_.clear();
    return written;
  }
  leveldb::Status Sync() override {
    // A new manifest is durable only with its name.
    if (IsManifest()) {
      leveldb::Status synced = SyncDirectory();
      if (!synced.ok()) return synced;
    }
    leveldb::Status flushed = Flush();
    if (!flushed.ok()) return flushed;
    return ::fdatasync(fd_.get()) == 0 ? leveldb::Status()
                                       : SystemError(path_, errno);
  }
  leveldb::Status Close() override {
    leveldb::Status flushed = Flush();
    if (fd_.Close() != 0 && flushed.ok()) return SystemError(path_, errno);
    return flushed;
  }

 private:
  static constexpr std::size_t kBufferBytes = 65536;

  leveldb::Status WriteOut(Slice bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return SystemError(path_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return leveldb::Status();
  }
  bool IsManifest() const {
    const std::size_t slash = path_.rfind('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    return path_.compare(name, 8, "MANIFEST") == 0;
  }
  leveldb::Status SyncDirectory() const {
    const std::size_t slash = path_.rfind('/');
    const std::string dir =
        slash == std::string::npos ? "." : path_.substr(0, slash);
    const Descriptor fd(::open(dir.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid() || (::fsync(fd.get()) != 0 && errno != EINVAL)) {
      return SystemError(dir, errno);
    }
    return leveldb::Status();
  }

  const std::string path_;
  Descriptor fd_;
  std::string buffer_;
};

// A line is its time, its thread and its text, with one line break at the end.
class PosixLogger final : public leveldb::Logger {
 public:
  explicit PosixLogger(std::FILE* file) : file_(file) {}
  ~PosixLogger() override { std::fclose(file_); }

  void Logv(const char* format, std::va_list ap) override {
    timeval now{};
    ::gettimeofday(&now, nullptr);
    std::tm local{};
    ::localtime_r(&now.tv_sec, &local);
    ::flockfile(file_);
    std::fprintf(file_, "%04d/%02d/%02d-%02d:%02d:%02d.%06ld %zu ",
                 local.tm_year + 1900, local.tm_mon + 1, local.tm_mday,
                 local.tm_hour, local.tm_min, local.tm_sec,
                 static_cast<long>(now.tv_usec),
                 std::hash<std::thread::id>()(std::this_thread::get_id()));
    const std::string text = Formatted(format, ap);
    std::fwrite(text.data(), 1, text.size(), file_);
    if (text.empty() || text.back() != '\n') std::fputc('\n', file_);
    std::fflush(file_);
    ::funlockfile(file_);
  }

 private:
  [[gnu::format(printf, 1, 0)]] static std::string Formatted(const char* format,
                                                             std::va_list ap) {
    std::va_list again;
    va_copy(again, ap);
    const int bytes = std::vsnprintf(nullptr, 0, format, ap);
    std::string text(bytes > 0 ? static_cast<std::size_t>(bytes) : 0, '\0');
    if (bytes > 0) {
      std::vsnprintf(text.data(), text.size() + 1, format, again);
    }
    va_end(again);
    return text;
  }

  std::FILE* const file_;
};

template <typename File, typename Base>
leveldb::Status Open(const std::string& path, int flags, Base** result) {
  *result = nullptr;
  Descriptor fd(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!fd.valid()) return SystemError(path, errno);
  *result = new File(path, std::move(fd));
  return leveldb::Status();
}

}  // namespace

leveldb::Status NewPosixSequentialFile(const std::string& path,
                                       leveldb::SequentialFile** result) {
  return Open<SequentialPosixFile>(path, O_RDONLY, result);
}

leveldb::Status NewPosixRandomAccessFile(const std::string& path,
                                         leveldb::RandomAccessFile** result) {
  return Open<RandomAccessPosixFile>(path, O_RDONLY, result);
}

leveldb::Status NewPosixWritableFile(const std::string& path, int flags,
                                     leveldb::WritableFile** result) {
  return Open<WritablePosixFile>(path, flags | O_WRONLY | O_CREAT, result);
}

leveldb::Status NewPosixLogger(const std::string& path,
                               leveldb::Logger** result) {
  *result = nullptr;
  std::FILE* const file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return SystemError(path, errno);
  *result = new PosixLogger(file);
  return leveldb::Status();
}

}  // namespace tamis::dropin
