// SPDX-License-Identifier: Apache-2.0
#include "key_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "interrupt.h"
#include "text.h"

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
  if (path.empty()) return Status::InvalidArgument("no file name");
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
    if (flushed_ != nullptr && WouldWait()) flushed_->Flush();
    if (flushed_ != nullptr) flushed_->FlushOld();
    if (!WaitForInput(fd_)) {
      was_cut_ = true;
      return std::size_t{0};
    }
    const ssize_t got = ::read(fd_, out, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return SystemError(name_, errno);
  }
}

bool FileSource::WouldWait() const {
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

std::string HexProblem(std::string_view digits) {
  if (digits.ends_with('\r')) {
    return "ends in a carriage return; remove those first, as with tr -d "
           "'\\r'";
  }
  const auto wrong = std::find_if(digits.begin(), digits.end(),
                                  [](char c) { return HexValue(c) < 0; });
  if (wrong != digits.end()) {
    const std::string_view shown(&*wrong, 1);
    return fmt::format("'{}' is not a hexadecimal digit",
                       IsUtf8(shown) ? Printable(shown) : "\\x" + ToHex(shown));
  }
  if (digits.size() % 2 == 0) return "";
  return fmt::format("an odd number of hexadecimal digits ({})",
                     Grouped(digits.size()));
}

bool DecodeKey(const KeySyntax& syntax, std::string_view record,
               std::string* out) {
  return syntax.hex ? DecodeHex(record, out)
                    : AppendPlain(syntax.type, record, out);
}

std::string KeyProblem(const KeySyntax& syntax, std::string_view record) {
  return syntax.hex ? HexProblem(record) : PlainProblem(syntax.type, record);
}

Status BadListedKey(const KeySyntax& syntax, std::string_view text) {
  return Status::InvalidArgument(
      fmt::format("--key '{}': {}", text, KeyProblem(syntax, text)));
}

KeyReader::KeyReader(ByteSource* source, KeySyntax syntax,
                     std::size_t buffer_bytes, const RecordLimit& limit)
    : source_(source), syntax_(syntax), limit_(limit), buffer_(buffer_bytes) {}

Status KeyReader::BadRecord(std::uint64_t number, std::string_view what) const {
  const std::string_view name = source_->name();
  return Status::InvalidArgument(
      fmt::format("{}{}{} {}: {}", name, name.empty() ? "" : ": ",
                  syntax_.nul ? "record" : "line", number, what));
}

// The size of the longest record, with its terminator.
std::size_t KeyReader::max_buffer_bytes() const {
  return limit_.bytes * (syntax_.hex ? 2 : 1) + 1;
}

// Moves the incomplete record to the front and reads once after it.
Status KeyReader::Fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    searched_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (end_ >= max_buffer_bytes()) {
      return BadRecord(records_before_ + 1,
                       fmt::format("longer than {}", limit_.words));
    }
    buffer_.resize(std::min(buffer_.size() * 2, max_buffer_bytes()));
  }
  auto got = source_->Read(buffer_.data() + end_, buffer_.size() - end_);
  if (!got.ok()) return got.status();
  end_ += *got;
  bytes_read_ += *got;
  at_end_ = *got == 0;
  return Status::Ok();
}

// Splits what was read into records; an incomplete last one counts only at the
// end.
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
  if (at_end_ && begin_ < end_ && !source_->was_cut()) {
    records_.emplace_back(data + begin_, end_ - begin_);
    begin_ = searched_ = end_;
  }
}

// Decodes the records up to the first that is not a key.
void KeyReader::DecodeRecords() {
  decoded_.clear();
  // Reserves, so that views stay valid: half the digits, or a number each.
  constexpr std::size_t kMaxNumberBytes = 8;
  decoded_.reserve(
      std::max(buffer_.size() / 2, records_.size() * kMaxNumberBytes));
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const std::size_t start = decoded_.size();
    if (!DecodeKey(syntax_, records_[i], &decoded_)) {
      failed_ =
          BadRecord(records_before_ + i + 1, KeyProblem(syntax_, records_[i]));
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
  if (!syntax_.is_verbatim()) DecodeRecords();
  return records_.empty() ? failed_ : Status::Ok();
}

}  // namespace tamis::tools
