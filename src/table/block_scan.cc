// SPDX-License-Identifier: Apache-2.0
#include "table/block_scan.h"

#include <algorithm>
#include <utility>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/crc32c_walk.h"
#include "base/damage.h"
#include "table/broken_block.h"
#include "table/checksum_pairs.h"

namespace tamis {
namespace {

constexpr std::uint64_t kChecksumBytes = 4;
constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::uint64_t kLargestWindow = 2 * kMaxBlockBehindDamage;
constexpr std::uint64_t kSmallestWindow = std::uint64_t{16} << 10;
// How far to search for an end once the budget is used up.
constexpr std::uint64_t kNearEnd = std::uint64_t{64} << 10;

}  // namespace

BlockScan::BlockScan(const ReadableFile& file, BlockScanOptions options)
    : file_(file),
      options_(std::move(options)),
      end_budget_(4 * file.size()),
      window_budget_(2 * file.size() + 4 * kLargestWindow) {}

void BlockScan::AddGap(std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return;
  if (!gaps_.empty() && gaps_.back().second == begin) {
    gaps_.back().second = end;
  } else {
    gaps_.emplace_back(begin, end);
  }
}

// After a block.  No data block begins with two zeros: the key of its first
// entry is whole and not empty.  (A metaindex without entries does; should a
// page end within its first zeros, only that block is lost to the scan.)
void BlockScan::SkipPadding() {
  if (at_ % kPageBytes == 0) return;
  const std::uint64_t end =
      std::min((at_ / kPageBytes + 1) * kPageBytes, file_.size());
  const auto count = static_cast<std::size_t>(end - at_);
  const Slice bytes = BytesFrom(at_, count + 1).substr(0, count + 1);
  if (!status_.ok() || bytes.size() < 2) return;
  const std::size_t zeros = std::min(bytes.find_first_not_of('\0'), count);
  // The last zero may be the first byte of the block behind the padding.
  if (zeros == count && bytes[1] == '\0') at_ = end;
}

bool BlockScan::Next(ScannedBlock* block) {
  if (is_at_begin_) SkipPadding();
  while (status_.ok() && at_ + kBlockTrailerBytes <= file_.size()) {
    if (const std::optional<std::uint64_t> end = FindEnd(at_)) {
      Take(at_, *end, block);
      at_ = *end + kChecksumBytes;
      is_at_begin_ = true;
      return status_.ok();
    }
    if (status_.ok() && FindBehindDamage(block)) return true;
  }
  AddGap(at_, file_.size());
  at_ = file_.size();
  return false;
}

void BlockScan::Read(std::uint64_t offset, std::size_t count,
                     std::string* bytes) {
  status_ = ReadWhatCanBeRead(file_, offset, count, bytes, &unreadable_);
  if (!status_.ok()) bytes->clear();
}

// Returns the buffer's bytes from there on: `wanted` or more, unless the file
// ends before.
// REQUIRES: offset <= the file's size; wanted <= kBufferBytes
Slice BlockScan::BytesFrom(std::uint64_t offset, std::size_t wanted) {
  const std::uint64_t end = std::min(file_.size(), offset + wanted);
  if (offset < buffer_at_ || end > buffer_at_ + buffer_.size()) {
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(kBufferBytes, file_.size() - offset));
    buffer_at_ = offset;
    Read(offset, count, &buffer_);
    if (!status_.ok()) return {};
  }
  return Slice(buffer_).substr(static_cast<std::size_t>(offset - buffer_at_));
}

std::optional<std::uint64_t> BlockScan::FindEnd(std::uint64_t begin) {
  const std::uint64_t far = end_budget_ > 0 ? kMaxBlockBytes : kNearEnd;
  const std::uint64_t limit = std::min(file_.size(), begin + far);
  std::uint32_t crc = kCrc32cStart;
  for (std::uint64_t at = begin; at + kChecksumBytes < limit;) {
    const Slice bytes = BytesFrom(at, 2 * kChecksumBytes)
                            .substr(0, static_cast<std::size_t>(limit - at));
    if (!status_.ok()) return std::nullopt;
    std::size_t i = 0;
    for (; i + kChecksumBytes < bytes.size(); ++i) {
      const auto byte = static_cast<std::uint8_t>(bytes[i]);
      crc = Crc32cForward(crc, byte);
      if (byte <= static_cast<unsigned>(Compression::kZstd) &&
          UnmaskCrc32c(LoadLittle32(bytes.data() + i + 1)) == ~crc) {
        return at + i + 1;
      }
    }
    at += i;
  }
  end_budget_ -= std::min(end_budget_, limit - begin);
  return std::nullopt;
}

// Reads and unpacks a block whose place is known.
void BlockScan::Take(std::uint64_t begin, std::uint64_t checksum_at,
                     ScannedBlock* block) {
  const auto size = static_cast<std::size_t>(checksum_at - 1 - begin);
  block->handle = {begin, size};
  block->is_behind_damage = !gaps_.empty();
  Read(begin, size + 1, &stored_);
  if (!status_.ok()) return;
  const auto codec = static_cast<unsigned char>(stored_.back());
  stored_.pop_back();
  block->unpacked = Status::Ok();
  block->contents = stored_;
  if (codec == static_cast<unsigned>(Compression::kNone)) return;
  block->unpacked = Decompress(codec, stored_, &raw_, options_.unpack);
  block->contents = block->unpacked.ok() ? Slice(raw_) : Slice();
  SetStatus(begin, UnlessDamage(block->unpacked));
}

void BlockScan::SetStatus(std::uint64_t begin, const Status& status) {
  if (status.ok()) return;
  status_ = status.WithMessage("the block at offset " + std::to_string(begin) +
                               ": " + status.message());
}

// Returns an upper bound on the original length of the file.
std::uint64_t BlockScan::BytesOnce() {
  if (options_.file_bytes != 0) {
    return std::max(options_.file_bytes, file_.size());
  }
  // A file that ends with a footer is not truncated.
  if (file_.size() < kFooterBytes) return UINT64_MAX;
  const Slice magic = BytesFrom(file_.size() - kMagicBytes, kMagicBytes);
  return status_.ok() && LoadLittle64(magic.data()) == kTableMagic
             ? file_.size()
             : UINT64_MAX;
}

// At the start of a block that has no end: skips what are certainly its
// entries.
void BlockScan::SkipEntries() {
  const FileLengths lengths{file_.size(), BytesOnce()};
  const std::uint64_t end = EndOfEntries(
      [this](std::uint64_t offset, std::size_t wanted) {
        return offset < file_.size() && status_.ok() ? BytesFrom(offset, wanted)
                                                     : Slice();
      },
      at_, lengths);
  AddGap(at_, end);
  at_ = end;
}

// Continues after a block that has no end.  False: at_ has advanced, and
// nothing was found before it.
bool BlockScan::FindBehindDamage(ScannedBlock* block) {
  if (std::exchange(is_at_begin_, false)) SkipEntries();
  const std::uint64_t rest = file_.size() - at_;
  // The largest first: the first block in it cannot be part of a larger intact
  // one.
  std::uint64_t bytes = window_budget_ > 0 ? kLargestWindow : kSmallestWindow;
  for (;; bytes *= 4) {
    const std::uint64_t window = std::min({bytes, kLargestWindow, rest});
    window_budget_ -= std::min(window_budget_, window);
    if (FindInWindow(window, block)) return true;
    if (!status_.ok()) return false;
    if (window == rest) {
      AddGap(at_, file_.size());
      at_ = file_.size();
      return false;
    }
    if (window == kLargestWindow) break;
  }
  AddGap(at_, at_ + kLargestWindow / 2);
  at_ += kLargestWindow / 2;
  return false;
}

bool BlockScan::FindInWindow(std::uint64_t bytes, ScannedBlock* block) {
  Read(at_, static_cast<std::size_t>(bytes), &window_);
  // A few wrong pairs occur by chance; an attacker can make many.
  std::uint64_t left = 16 * bytes;
  for (const ChecksumPair& pair : FindChecksumPairs(window_)) {
    const std::uint64_t cost = pair.checksum_at - pair.begin;
    if (cost > left) return false;
    left -= cost;
    if (!TryPair(window_, pair.begin, pair.checksum_at, block)) {
      if (!status_.ok()) return false;
      continue;
    }
    AddGap(at_, at_ + pair.begin);
    block->handle.offset += at_;
    block->is_behind_damage = true;
    at_ += pair.checksum_at + kChecksumBytes;
    is_at_begin_ = true;
    return true;
  }
  return false;
}

bool BlockScan::TryPair(Slice window, std::size_t begin,
                        std::size_t checksum_at, ScannedBlock* block) {
  const Slice stored = window.substr(begin, checksum_at - 1 - begin);
  const auto codec = static_cast<unsigned char>(window[checksum_at - 1]);
  block->handle = {begin, stored.size()};
  block->contents = stored;
  block->unpacked = Status::Ok();
  if (codec != static_cast<unsigned>(Compression::kNone)) {
    block->unpacked = Decompress(codec, stored, &raw_, options_.unpack);
    block->contents = raw_;
    // An unsupported codec may be chance; a frame that is too large and has the
    // right checksum is not.
    if (block->unpacked.code() == StatusCode::kResourceExhausted) {
      SetStatus(at_ + begin, block->unpacked);
    }
  }
  return block->unpacked.ok() && options_.is_block(block->contents);
}

}  // namespace tamis
