#include "key_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tamis::tools {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

FileSource::FileSource(std::string name, FileDescriptor owned, int fd)
    : name_(std::move(name)), owned_(std::move(owned)), fd_(fd) {}

Result<std::unique_ptr<FileSource>> FileSource::Open(const std::string& path,
                                                     int standard_input) {
  const bool standard = path == "-";
  FileDescriptor owned;
  if (!standard) {
    owned = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!owned.valid()) return SystemError(path, errno);
  }
  const int fd = standard ? standard_input : owned.get();
  std::unique_ptr<FileSource> source(
      new FileSource(standard ? "standard input" : path, std::move(owned), fd));
  struct stat info;
  if (::fstat(fd, &info) != 0) return SystemError(source->name_, errno);
  if (S_ISDIR(info.st_mode)) return SystemError(source->name_, EISDIR);
  if (S_ISREG(info.st_mode)) {
    const off_t at = ::lseek(fd, 0, SEEK_CUR);
    if (at >= 0 && at < info.st_size) {
      source->total_bytes_ = static_cast<std::uint64_t>(info.st_size - at);
    }
  }
  return source;
}

Result<std::size_t> FileSource::Read(char* out, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(fd_, out, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return SystemError(name_, errno);
  }
}

bool FileSource::WouldWait() {
  pollfd request = {fd_, POLLIN, 0};
  return ::poll(&request, 1, 0) == 0;
}

Result<std::size_t> MemorySource::Read(char* out, std::size_t size) {
  const std::size_t n = std::min({size, piece_, bytes_.size()});
  std::memcpy(out, bytes_.data(), n);
  bytes_.remove_prefix(n);
  return n;
}

bool DecodeHex(std::string_view digits, std::string* out) {
  if (digits.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = HexValue(digits[i]);
    const int low = HexValue(digits[i + 1]);
    if (high < 0 || low < 0) return false;
    out->push_back(static_cast<char>(high * 16 + low));
  }
  return true;
}

KeyReader::KeyReader(ByteSource* source, KeySyntax syntax,
                     std::size_t buffer_bytes)
    : source_(source), syntax_(syntax), buffer_(buffer_bytes) {}

std::string KeyReader::RecordName(std::uint64_t number) const {
  return (syntax_.nul ? "record " : "line ") + std::to_string(number);
}

// Moves the unfinished record to the front and reads once behind it.
Status KeyReader::Fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    searched_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (end_ >= kMaxRecordBytes) {
      return Status::InvalidArgument(RecordName(records_before_ + 1) +
                                     " is longer than 64 MiB");
    }
    buffer_.resize(std::min(buffer_.size() * 2, kMaxRecordBytes));
  }
  auto got = source_->Read(buffer_.data() + end_, buffer_.size() - end_);
  if (!got.ok()) return got.status();
  end_ += *got;
  bytes_read_ += *got;
  at_end_ = *got == 0;
  return Status::Ok();
}

// Cuts what was read into records, the unfinished last one only at the end.
void KeyReader::TakeRecords() {
  const char* data = buffer_.data();
  while (searched_ < end_) {
    const void* hit =
        std::memchr(data + searched_, syntax_.terminator(), end_ - searched_);
    if (hit == nullptr) {
      searched_ = end_;
      break;
    }
    const auto at =
        static_cast<std::size_t>(static_cast<const char*>(hit) - data);
    records_.emplace_back(data + begin_, at - begin_);
    begin_ = searched_ = at + 1;
  }
  if (at_end_ && begin_ < end_) {
    records_.emplace_back(data + begin_, end_ - begin_);
    begin_ = searched_ = end_;
  }
}

// Makes keys of the records up to the first that is none.
void KeyReader::DecodeRecords() {
  decoded_.clear();
  decoded_.reserve(buffer_.size() / 2);  // so that it does not move below us
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const std::size_t start = decoded_.size();
    if (!DecodeHex(records_[i], &decoded_)) {
      failed_ = Status::InvalidArgument(
          RecordName(records_before_ + i + 1) +
          " is not an even number of hexadecimal digits");
      records_.resize(i);
      return;
    }
    keys_.emplace_back(decoded_.data() + start, decoded_.size() - start);
  }
}

Status KeyReader::Next() {
  records_before_ += records_.size();
  records_.clear();
  keys_.clear();
  if (!failed_.ok()) return failed_;
  while (records_.empty() && !at_end_) {
    failed_ = Fill();
    if (!failed_.ok()) return failed_;
    TakeRecords();
  }
  if (syntax_.hex) DecodeRecords();
  return records_.empty() ? failed_ : Status::Ok();
}

}  // namespace tamis::tools
