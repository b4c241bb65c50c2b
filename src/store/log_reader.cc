#include "store/log_reader.h"

#include <algorithm>

#include "base/coding.h"
#include "base/crc32c.h"
#include "store/log_format.h"

namespace tamis {
namespace {

bool IsZero(Slice bytes) noexcept {
  return bytes.find_first_not_of('\0') == Slice::npos;
}

// Does a record whose beginning is whole begin anywhere in there?
bool HasRecord(Slice bytes) noexcept {
  for (; bytes.size() >= kLogHeaderBytes; bytes.remove_prefix(1)) {
    const std::size_t length = LoadLittle<std::uint16_t>(bytes.data() + 4);
    const unsigned type = static_cast<unsigned char>(bytes[6]);
    if ((type != static_cast<unsigned>(FragmentType::kFull) &&
         type != static_cast<unsigned>(FragmentType::kFirst)) ||
        kLogHeaderBytes + length > bytes.size()) {
      continue;
    }
    if (Crc32c(bytes.substr(6, length + 1)) ==
        UnmaskCrc32c(LoadLittle32(bytes.data()))) {
      return true;
    }
  }
  return false;
}

// With some other length the checksum is right, so it is the length that is
// wrong.  `bytes` starts with a fragment's header.
bool HasWrongLength(Slice bytes) noexcept {
  const std::uint32_t expected = UnmaskCrc32c(LoadLittle32(bytes.data()));
  std::uint32_t crc = Crc32c(bytes.substr(6, 1));
  for (std::size_t end = kLogHeaderBytes; end < bytes.size(); ++end) {
    if (crc == expected) return true;
    crc = Crc32c(bytes.substr(end, 1), crc);
  }
  return crc == expected;
}

}  // namespace

// Of a fragment at at_ whose checksum is wrong: did the machine stop while it
// was being written?  Then a sector of it was never written, and nothing whole
// follows.  What has been synced has all its sectors.
bool LogReader::IsTorn(std::size_t bytes) const noexcept {
  constexpr std::size_t kSector = 512;
  const std::size_t end = at_ + bytes;
  bool has_gap = false;
  for (std::size_t from = at_; from < end && !has_gap;) {
    const std::size_t to = std::min(end, (from / kSector + 1) * kSector);
    // A few zeros at either end may be the record's own.
    constexpr std::size_t kFewest = 16;
    has_gap = to - from >= kFewest && IsZero(contents_.substr(from, to - from));
    from = to;
  }
  if (!has_gap || HasWrongLength(contents_.substr(at_, bytes))) return false;
  const std::size_t block_end =
      std::min(contents_.size(), (at_ / kLogBlockBytes + 1) * kLogBlockBytes);
  if (HasRecord(contents_.substr(end, block_end - end))) return false;
  for (std::size_t block = block_end; block < contents_.size();
       block += kLogBlockBytes) {
    const Slice rest = contents_.substr(block, kLogBlockBytes);
    if (!IsZero(rest) && HasRecord(rest)) return false;
  }
  return true;
}

bool LogReader::Next(Slice* record) {
  in_pieces_ = false;
  pieces_.clear();
  for (;;) {
    Fragment fragment;
    switch (NextFragment(&fragment)) {
      case Found::kFragment:
        if (Take(fragment, record)) return true;
        break;
      case Found::kNone:
        break;
      case Found::kEnd:
        ended_clean_ =
            damage_.empty() &&
            contents_.find_first_not_of(
                '\0', static_cast<std::size_t>(end_of_record_)) == Slice::npos;
        return false;
    }
  }
}

// What follows in the file, up to the end of a block at most.
LogReader::Found LogReader::NextFragment(Fragment* fragment) {
  const std::size_t in_block = kLogBlockBytes - at_ % kLogBlockBytes;
  const Slice rest = contents_.substr(at_, in_block);
  const bool block_is_cut = rest.size() < in_block;
  if (rest.size() < kLogHeaderBytes) {
    SkipBlock();
    return rest.empty() || block_is_cut ? Found::kEnd : Found::kNone;
  }
  const std::size_t length = LoadLittle<std::uint16_t>(rest.data() + 4);
  const unsigned type = static_cast<unsigned char>(rest[6]);
  if (kLogHeaderBytes + length > rest.size()) {
    SkipBlock();
    // The file ends within a record, unless that only seems so.  (Whole
    // fragments in the rest prove nothing: a value may hold a log.)
    if (block_is_cut && !HasWrongLength(rest)) return Found::kEnd;
    Damage(rest.size(), "a length beyond its block");
    ForgetPieces("a record whose middle is damaged");
    return Found::kNone;
  }
  if (type == static_cast<unsigned>(FragmentType::kZeros) && length == 0) {
    // Also of many: LevelDB may write on behind those of a killed writer.
    SkipBlock();
    unfinished_bytes_ += pieces_.size();
    in_pieces_ = false;
    pieces_.clear();
    return Found::kNone;
  }
  // The checksum covers the type byte and the data, which lie side by side.
  const std::uint32_t expected = UnmaskCrc32c(LoadLittle32(rest.data()));
  if (Crc32c(rest.substr(6, length + 1)) != expected) {
    const bool is_torn = IsTorn(kLogHeaderBytes + length);
    SkipBlock();  // the length may be what is damaged
    if (is_torn) return Found::kEnd;
    Damage(rest.size(), "a checksum that does not match");
    ForgetPieces("a record whose middle is damaged");
    return Found::kNone;
  }
  at_ += kLogHeaderBytes + length;
  *fragment = {type, rest.substr(kLogHeaderBytes, length)};
  return Found::kFragment;
}

// True: with this fragment *record is whole.
bool LogReader::Take(const Fragment& fragment, Slice* record) {
  switch (static_cast<FragmentType>(fragment.type)) {
    case FragmentType::kFull:
      ForgetPieces("a record without its end");
      Give(fragment.data, record);
      return true;
    case FragmentType::kFirst:
      ForgetPieces("a record without its end");
      in_pieces_ = true;
      pieces_ = fragment.data;
      return false;
    case FragmentType::kMiddle:
    case FragmentType::kLast:
      if (!in_pieces_) {
        Damage(fragment.data.size(), "a record without its start");
        return false;
      }
      pieces_ += fragment.data;
      if (static_cast<FragmentType>(fragment.type) == FragmentType::kMiddle) {
        return false;
      }
      Give(pieces_, record);
      return true;
    case FragmentType::kZeros:
      break;  // with data: as unknown as the others
  }
  Damage(fragment.data.size(), "a fragment of unknown type");
  ForgetPieces("a record whose middle is damaged");
  return false;
}

void LogReader::Give(Slice whole, Slice* record) {
  if (unfinished_bytes_ > 0) {  // so they were not the file's last record
    Damage(unfinished_bytes_, "a record without its end");
    unfinished_bytes_ = 0;
  }
  end_of_record_ = at_;
  *record = whole;
}

// An empty first fragment is none: old versions of LevelDB left such at the
// end of a block.
void LogReader::ForgetPieces(std::string_view why) {
  if (in_pieces_ && !pieces_.empty()) Damage(pieces_.size(), why);
  in_pieces_ = false;
  pieces_.clear();
}

void LogReader::Damage(std::uint64_t bytes, std::string_view what) {
  damaged_bytes_ += bytes;
  if (!damage_.empty()) return;
  damage_ = "in the block at ";
  damage_ += std::to_string((at_ == 0 ? 0 : at_ - 1) / kLogBlockBytes *
                            kLogBlockBytes);
  damage_ += ": ";
  damage_ += what;
}

void LogReader::SkipBlock() noexcept {
  at_ = std::min(contents_.size(), (at_ / kLogBlockBytes + 1) * kLogBlockBytes);
}

}  // namespace tamis
