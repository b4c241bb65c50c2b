// SPDX-License-Identifier: Apache-2.0
#include "base/partial_read.h"

#include <algorithm>
#include <iterator>

#include "base/damage.h"

namespace tamis {
namespace {

constexpr std::uint64_t kLargePiece = std::uint64_t{1} << 20;
constexpr std::uint64_t kSmallPiece = 4096;  // what systems read at once

class PartialRead {
 public:
  PartialRead(const ReadableFile& file, std::string* bytes,
              UnreadableRanges* unreadable)
      : file_(file), bytes_(bytes), unreadable_(unreadable) {}

  // Reads in pieces that end at multiples of `piece`.
  Status Read(std::uint64_t offset, std::uint64_t end, std::uint64_t piece) {
    while (offset < end) {
      const std::uint64_t to = std::min(end, (offset / piece + 1) * piece);
      Status read = ReadPiece(offset, to);
      if (!read.ok() && !IsDamage(read)) return read;
      if (!read.ok() && piece > kSmallPiece) {
        read = Read(offset, to, kSmallPiece);
        if (!read.ok()) return read;
      } else if (!read.ok()) {
        bytes_->append(static_cast<std::size_t>(to - offset), '\0');
        unreadable_->Add(offset, to);
      }
      offset = to;
    }
    return Status::Ok();
  }

 private:
  Status ReadPiece(std::uint64_t from, std::uint64_t to) {
    const auto count = static_cast<std::size_t>(to - from);
    const Result<Slice> read = file_.Read(from, count, &scratch_);
    if (!read.ok()) unreadable_->SetReason(read.status().message());
    if (!read.ok()) return read.status();
    if (read->size() != count) {
      return Status::IoError("a read returned fewer bytes than requested");
    }
    bytes_->append(*read);
    return Status::Ok();
  }

  const ReadableFile& file_;
  std::string* bytes_;
  UnreadableRanges* unreadable_;
  std::string scratch_;
};

}  // namespace

void UnreadableRanges::Add(std::uint64_t begin, std::uint64_t end) {
  auto next = ends_.upper_bound(begin);
  if (next != ends_.begin() && std::prev(next)->second >= begin) --next;
  while (next != ends_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = ends_.erase(next);
  }
  ends_.emplace(begin, end);
}

std::vector<std::string> UnreadableRanges::ToSentences() const {
  std::vector<std::string> sentences;
  for (const auto& [begin, end] : ends_) {
    sentences.push_back("bytes " + std::to_string(begin) + " to " +
                        std::to_string(end - 1) + " cannot be read (" +
                        reason_ + ")");
  }
  return sentences;
}

Status ReadWhatCanBeRead(const ReadableFile& file, std::uint64_t offset,
                         std::size_t count, std::string* bytes,
                         UnreadableRanges* unreadable) {
  bytes->clear();
  bytes->reserve(count);
  return PartialRead(file, bytes, unreadable)
      .Read(offset, offset + count, kLargePiece);
}

}  // namespace tamis
