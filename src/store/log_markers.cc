// SPDX-License-Identifier: Apache-2.0
#include "store/log_markers.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

#include "base/coding.h"
#include "base/crc32c.h"
#include "store/batch_access.h"
#include "store/log_format.h"
#include "store/log_writer.h"

namespace tamis {
namespace {

constexpr std::size_t kMarkBytes = kLogHeaderBytes + kBatchHeaderBytes;

void AppendFragment(std::string* dst, FragmentType type, Slice data) {
  const FragmentHeader header = HeaderOf(type, data);
  dst->append(header.data(), header.size());
  dst->append(data);
}

// The bits of a digit of a file number in the head of a log.
constexpr unsigned kDigitBits = 3;
constexpr std::uint64_t kDigitMask = (1U << kDigitBits) - 1;
constexpr unsigned kNumberBits = 63;  // more than kMaxFileNumber has
// The last record of a head is split after this byte: no digit is so large.
constexpr std::size_t kEndOfHead = 9;

void AppendInTwo(std::string* dst, Slice record, std::size_t first_piece) {
  AppendFragment(dst, FragmentType::kFirst, record.substr(0, first_piece));
  AppendFragment(dst, FragmentType::kLast, record.substr(first_piece));
}

// Checks kMarkBytes bytes.  Cheap if they are not even similar.
bool IsFramedMark(Slice bytes) noexcept {
  return LoadLittle<std::uint16_t>(bytes.data() + 4) == kBatchHeaderBytes &&
         bytes[6] == static_cast<char>(FragmentType::kFull) &&
         LoadLittle32(bytes.data() + kLogHeaderBytes + kBatchCountAt) == 0 &&
         Crc32c(bytes.substr(6)) == UnmaskCrc32c(LoadLittle32(bytes.data()));
}

// The same if a record ends within them: zeros may follow.
bool MayBecomeFramedMark(Slice bytes) noexcept {
  std::array<char, kMarkBytes> filled = {};
  std::copy(bytes.begin(), bytes.end(), filled.begin());
  return IsFramedMark({filled.data(), filled.size()});
}

}  // namespace

std::string MarkRecord(Sequence next) {
  assert(next > 0);
  std::string record;
  AppendFixed64(&record, next);
  AppendFixed32(&record, 0);
  return record;
}

bool IsMark(Slice record) noexcept {
  return record.size() == kBatchHeaderBytes &&
         BatchAccess::CountOfContents(record) == 0;
}

std::string LogHeadBytes(const LogHead& head) {
  std::string bytes;
  const std::string mark = MarkRecord(std::max<Sequence>(head.follows, 1));
  AppendInTwo(&bytes, mark, 0);
  for (std::uint64_t rest = head.previous_log; rest != 0; rest >>= kDigitBits) {
    AppendInTwo(&bytes, mark, 1 + (rest & kDigitMask));
  }
  AppendInTwo(&bytes, mark, kEndOfHead);
  return bytes;
}

LogHeadReader::Found LogHeadReader::Take(
    Slice record, std::optional<std::size_t> first_piece) noexcept {
  if (!IsMark(record)) return Found::kNone;
  if (!has_begun_) {
    has_begun_ = first_piece == std::size_t{0};
    return has_begun_ ? Found::kMore : Found::kNone;
  }
  if (!first_piece) return Found::kNone;
  if (*first_piece == kEndOfHead) {
    head_.follows = BatchAccess::SequenceOfContents(record);
    return Found::kWhole;
  }
  const std::uint64_t digit = *first_piece - 1;
  if (*first_piece == 0 || digit > kDigitMask || shift_ >= kNumberBits) {
    return Found::kNone;
  }
  head_.previous_log |= digit << shift_;
  shift_ += kDigitBits;
  return Found::kMore;
}

bool HoldsSyncMark(Slice bytes, Sequence from) noexcept {
  for (; bytes.size() >= kMarkBytes; bytes.remove_prefix(1)) {
    const Slice here = bytes.substr(0, kMarkBytes);
    if (!IsFramedMark(here)) continue;
    const Sequence next = LoadLittle64(here.data() + kLogHeaderBytes);
    if (next > 0 && next >= from && next <= kMaxSequence) return true;
  }
  return false;
}

std::vector<std::size_t> CutsThroughMarks(Slice record) {
  constexpr std::size_t kLengthAt = 4;
  // The length and the type: few records match even these.
  constexpr std::string_view kLengthAndType("\x0c\0\x01", 3);
  static_assert(kBatchHeaderBytes == 12);
  std::vector<std::size_t> cuts;
  std::size_t found = record.find(kLengthAndType, kLengthAt);
  for (; found != Slice::npos; found = record.find(kLengthAndType, found + 1)) {
    const std::size_t start = found - kLengthAt;
    if (MayBecomeFramedMark(record.substr(start, kMarkBytes))) {
      // After its header: the header that takes its place there has another
      // type.
      cuts.push_back(start + kLogHeaderBytes);
    }
  }
  return cuts;
}

}  // namespace tamis
