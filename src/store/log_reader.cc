// SPDX-License-Identifier: Apache-2.0
#include "store/log_reader.h"

#include <algorithm>
#include <utility>

#include "base/coding.h"
#include "base/crc32c.h"
#include "store/log_format.h"

namespace tamis {
namespace {

// Zeros of fewer bytes are common in values.
constexpr std::size_t kFewZeros = 16;

bool IsKnownType(unsigned type) noexcept {
  return type >= static_cast<unsigned>(FragmentType::kFull) &&
         type <= static_cast<unsigned>(FragmentType::kLast);
}

}  // namespace

bool LogReader::IsZero(Slice bytes) noexcept {
  const std::size_t first = bytes.find_first_not_of('\0');
  work_ += std::min(first, bytes.size());
  return first == Slice::npos;
}

// `fragment` is a header and its data.
bool LogReader::ChecksumHolds(Slice fragment) noexcept {
  work_ += fragment.size();
  // The checksum covers the type byte and the data, which lie side by side.
  return Crc32c(fragment.substr(6)) ==
         UnmaskCrc32c(LoadLittle32(fragment.data()));
}

bool LogReader::IsWholeFragmentAt(std::size_t at) noexcept {
  const Slice rest = contents_.substr(at, EndOfBlock() - at);
  if (rest.size() < kLogHeaderBytes) return false;
  const std::size_t length = LoadLittle<std::uint16_t>(rest.data() + 4);
  const unsigned type = static_cast<unsigned char>(rest[6]);
  return IsKnownType(type) && kLogHeaderBytes + length <= rest.size() &&
         ChecksumHolds(rest.substr(0, kLogHeaderBytes + length));
}

// Returns whether nothing, or a possible header of a fragment, is there.  In
// the block of at_.
bool LogReader::MayEndAt(std::size_t at) noexcept {
  const Slice rest = contents_.substr(at, EndOfBlock() - at);
  return rest.size() < kLogHeaderBytes || MayBeUnwrittenFrom(at) ||
         IsKnownType(static_cast<unsigned char>(rest[6]));
}

// Returns true if the checksum is right with some other length, and a fragment
// may end there: then the length is wrong.  `bytes` starts with a fragment's
// header, at at_.  No fragment ends in a sector that was never written: each of
// its zeros would be another chance for an accidental match.
bool LogReader::HasWrongLength(Slice bytes) noexcept {
  work_ += bytes.size();
  const std::uint32_t expected = UnmaskCrc32c(LoadLittle32(bytes.data()));
  std::uint32_t crc = Crc32c(bytes.substr(6, 1));
  std::size_t zeros = 0;  // before `end`
  for (std::size_t end = kLogHeaderBytes; end < bytes.size(); ++end) {
    const bool is_in_zeros = zeros > kFewZeros && bytes[end] == '\0';
    if (crc == expected && !is_in_zeros) return MayEndAt(at_ + end);
    crc = Crc32c(bytes.substr(end, 1), crc);
    zeros = bytes[end] == '\0' ? zeros + 1 : 0;
  }
  return crc == expected;
}

// Returns whether there are only zeros from there to the end of its sector.
bool LogReader::MayBeUnwrittenFrom(std::size_t at) noexcept {
  const std::size_t end =
      std::min(contents_.size(), (at / kSectorBytes + 1) * kSectorBytes);
  return IsZero(contents_.substr(at, end - at));
}

// Returns true if the checksum is right with one bit changed, and that bit is
// not where a sector may not have been written: then no sector is missing.
// `fragment` is a header and its data, at at_.
bool LogReader::HasWrongBit(Slice fragment) noexcept {
  const Slice covered = fragment.substr(6);
  work_ += covered.size();
  const std::uint32_t crc = Crc32c(covered);
  const std::uint32_t stored = LoadLittle32(fragment.data());
  for (unsigned bit = 0; bit < 32; ++bit) {
    if (UnmaskCrc32c(stored ^ (1u << bit)) == crc) {
      return !MayBeUnwrittenFrom(at_ + bit / 8);
    }
  }
  // The contribution of the last bit, of the one before it, ... to the
  // checksum: one more step of the division each time.
  constexpr std::uint32_t kPolynomial = 0x82f63b78;
  const std::uint32_t difference = crc ^ UnmaskCrc32c(stored);
  std::uint32_t change = kPolynomial;
  for (std::size_t i = 0; i < 8 * covered.size(); ++i) {
    if (change == difference) {
      return !MayBeUnwrittenFrom(at_ + fragment.size() - 1 - i / 8);
    }
    change = (change >> 1) ^ ((change & 1) != 0 ? kPolynomial : 0);
  }
  return false;
}

// For a fragment of so many bytes at at_ whose checksum is wrong: returns
// whether a sector of it may never have been written, or only in an earlier
// state.  Then there are zeros from the fragment to the end of a sector.
bool LogReader::HasUnwrittenSector(std::size_t bytes) noexcept {
  const std::size_t end = at_ + bytes;
  std::size_t sector_end = (at_ / kSectorBytes + 1) * kSectorBytes;
  for (; sector_end < end; sector_end += kSectorBytes) {
    if (contents_[sector_end - 1] == '\0') return true;
  }
  return MayBeUnwrittenFrom(end - 1);
}

// For the same fragment: returns whether a sector of it starts with zeros that
// fill all of the fragment's part, and more.  Values seldom have zeros just
// there, so that sector was never written, and its bits are unknown.
bool LogReader::LacksSector(std::size_t bytes) noexcept {
  const std::size_t end = at_ + bytes;
  std::size_t start = (at_ / kSectorBytes + 1) * kSectorBytes;
  for (; start + kFewZeros <= end; start += kSectorBytes) {
    if (contents_[start - 1] != '\0' && MayBeUnwrittenFrom(start)) return true;
  }
  return false;
}

bool LogReader::Next(Slice* record) {
  if (at_end_) return false;
  in_pieces_ = false;
  pieces_.clear();
  gap_ = LogGap::kNone;
  passed_over_.clear();
  zeros_ = 0;
  may_hide_records_ = false;
  torn_bytes_ = 0;
  for (;;) {
    Fragment fragment;
    switch (NextFragment(&fragment)) {
      case Found::kFragment:
        if (Take(fragment, record)) return true;
        break;
      case Found::kNone:
        break;
      case Found::kEnd:
        End();
        return false;
    }
  }
}

void LogReader::End() {
  at_end_ = true;
  const auto end = static_cast<std::size_t>(end_of_record_);
  const bool only_zeros = IsZero(contents_.substr(end));
  if (!only_zeros) gap_ = std::max(gap_, LogGap::kTorn);
  ended_clean_ = only_zeros && damage_.empty();
}

// Reads what follows in the file, at most up to the end of a block.
LogReader::Found LogReader::NextFragment(Fragment* fragment) {
  fragment_at_ = at_;
  const std::size_t in_block = kLogBlockBytes - at_ % kLogBlockBytes;
  const Slice rest = contents_.substr(at_, in_block);
  const bool block_is_cut = rest.size() < in_block;
  if (rest.empty()) return Found::kEnd;
  if (rest.size() < kLogHeaderBytes) return PassShortRest(rest, block_is_cut);
  const std::size_t length = LoadLittle<std::uint16_t>(rest.data() + 4);
  const unsigned type = static_cast<unsigned char>(rest[6]);
  const std::size_t bytes = kLogHeaderBytes + length;
  if (bytes > rest.size()) return PassTooLong(rest, block_is_cut);
  if (type == static_cast<unsigned>(FragmentType::kZeros) && length == 0) {
    return PassZeros(rest);
  }
  if (!ChecksumHolds(rest.substr(0, bytes))) {
    return PassBadChecksum(rest, bytes);
  }
  at_ += bytes;
  *fragment = {type, rest.substr(kLogHeaderBytes, length)};
  return Found::kFragment;
}

// Too short for a header: the rest of a block, or the end of the file.
LogReader::Found LogReader::PassShortRest(Slice rest, bool block_is_cut) {
  at_ += rest.size();
  return block_is_cut ? Found::kEnd : Found::kNone;
}

LogReader::Found LogReader::PassTooLong(Slice rest, bool block_is_cut) {
  // The file ends within a record, unless the length is wrong.  (Whole
  // fragments in the rest prove nothing: a value may contain a log.)
  if (block_is_cut && !HasWrongLength(rest)) {
    Torn(rest.size(), "a record that the file ends in");
  } else {
    Damage(rest.size(), "a length beyond its block");
    ForgetPieces("a record whose middle is damaged");
    may_hide_records_ = true;
  }
  PassTo(at_ + rest.size());
  return Found::kNone;
}

// A header of zeros: normally nothing was written from here to the end of the
// block.
LogReader::Found LogReader::PassZeros(Slice rest) {
  const bool in_record = in_pieces_ && !pieces_.empty();
  const bool is_zero = IsZero(rest);
  if (is_zero && !in_record) {
    gap_ = std::max(gap_, LogGap::kZeros);
    zeros_ += rest.size();
    at_ += rest.size();
  } else {
    Torn(pieces_.size() + (is_zero ? 0 : rest.size()),
         in_record ? "a record without its end"
                   : "bytes after a part that was never written");
    may_hide_records_ |= !IsZero(rest.substr(kLogHeaderBytes));
    PassTo(at_ + rest.size());
  }
  in_pieces_ = false;
  pieces_.clear();
  return Found::kNone;
}

LogReader::Found LogReader::PassBadChecksum(Slice rest, std::size_t bytes) {
  // Other lengths and bits are tried once per block: it takes time in
  // proportion to the block.
  const std::size_t block = at_ / kLogBlockBytes;
  const bool may_try = std::exchange(tried_in_, block) != block;
  if (!HasUnwrittenSector(bytes) ||
      (may_try &&
       (HasWrongLength(rest) ||
        (!LacksSector(bytes) && HasWrongBit(rest.substr(0, bytes)))))) {
    Damage(rest.size(), "a checksum that does not match");
    ForgetPieces("a record whose middle is damaged");
    may_hide_records_ = true;
    PassTo(at_ + rest.size());
    return Found::kNone;
  }
  Torn(bytes + pieces_.size(), "a record of which a sector was never written");
  in_pieces_ = false;
  pieces_.clear();
  // The written part of a record has the right length; otherwise the search
  // resumes in the next block.
  if (IsWholeFragmentAt(at_ + bytes)) {
    PassTo(at_ + bytes);
  } else {
    may_hide_records_ |= !IsZero(rest.substr(bytes));
    PassTo(at_ + rest.size());
  }
  return Found::kNone;
}

// Returns true if *record is complete with this fragment.
bool LogReader::Take(const Fragment& fragment, Slice* record) {
  switch (static_cast<FragmentType>(fragment.type)) {
    case FragmentType::kFull:
      ForgetPieces("a record without its end");
      first_piece_.reset();
      Give(fragment.data, record);
      return true;
    case FragmentType::kFirst:
      ForgetPieces("a record without its end");
      in_pieces_ = true;
      first_piece_ = fragment.data.size();
      pieces_ = fragment.data;
      return false;
    case FragmentType::kMiddle:
    case FragmentType::kLast:
      if (!in_pieces_) {
        TakeWithoutStart(fragment);
        return false;
      }
      pieces_ += fragment.data;
      if (static_cast<FragmentType>(fragment.type) == FragmentType::kMiddle) {
        return false;
      }
      Give(pieces_, record);
      return true;
    case FragmentType::kZeros:
      break;  // with data: unknown, too
  }
  Damage(fragment.data.size(), "a fragment of unknown type");
  ForgetPieces("a record whose middle is damaged");
  return false;
}

// Its start may be in the bytes that were skipped before it.
void LogReader::TakeWithoutStart(const Fragment& fragment) {
  constexpr std::string_view kWhat = "a record without its start";
  if (gap_ == LogGap::kZeros || gap_ == LogGap::kTorn) {
    Torn(fragment.data.size(), kWhat);
  } else {
    Damage(fragment.data.size(), kWhat);
  }
}

void LogReader::Give(Slice whole, Slice* record) {
  // So the torn record was not the file's last one.
  if (torn_bytes_ > 0) NoteDamage(torn_at_, torn_bytes_, torn_);
  end_of_record_ = at_;
  *record = whole;
}

// An empty first fragment does not count: old versions of LevelDB left one at
// the end of a block.
void LogReader::ForgetPieces(std::string_view why) {
  if (in_pieces_ && !pieces_.empty()) Damage(pieces_.size(), why);
  in_pieces_ = false;
  pieces_.clear();
}

void LogReader::Torn(std::uint64_t bytes, std::string_view what) {
  gap_ = std::max(gap_, LogGap::kTorn);
  if (torn_bytes_ == 0) {
    torn_ = what;
    torn_at_ = fragment_at_;
  }
  torn_bytes_ += bytes;
}

void LogReader::Damage(std::uint64_t bytes, std::string_view what) {
  gap_ = LogGap::kDamaged;
  NoteDamage(fragment_at_, bytes, what);
}

void LogReader::NoteDamage(std::size_t at, std::uint64_t bytes,
                           std::string_view what) {
  damaged_bytes_ += bytes;
  if (!damage_.empty()) return;
  damage_ = "in the block at ";
  damage_ += std::to_string(at / kLogBlockBytes * kLogBlockBytes);
  damage_ += ": ";
  damage_ += what;
}

void LogReader::PassTo(std::size_t end) {
  passed_over_.push_back({at_, end});
  at_ = end;
}

std::size_t LogReader::EndOfBlock() const noexcept {
  return std::min(contents_.size(),
                  (at_ / kLogBlockBytes + 1) * kLogBlockBytes);
}

}  // namespace tamis
