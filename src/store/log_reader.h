// SPDX-License-Identifier: Apache-2.0
// store/log_reader.h -- reads the records of a log or a manifest, from bytes
// that may end or be damaged anywhere.
//
// The reader handles the framing alone.  Its user decides whether missing
// records should have been durable: see store/log_replay.h.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/slice.h"

namespace tamis {

// What is between two records, or after the last one.  Later values are worse.
enum class LogGap : std::uint8_t {
  kNone,   // nothing, or the few unused bytes of a block
  kZeros,  // zeros up to the end of a block: it was filled up, or this part of
           // the file was never written
  kTorn,   // a record that is not whole, a part of which reads as zeros up to
           // the end of a disk's sector, or as the end of the file: power
           // was lost before it was written
  kDamaged,  // bytes that were written and are wrong
};

// Takes time and memory in proportion to the contents, whatever they are.
class LogReader {
 public:
  // A disk writes a sector whole or not at all.
  static constexpr std::size_t kSectorBytes = 512;

  struct Range {
    std::size_t start = 0;
    std::size_t end = 0;
  };

  // REQUIRES: `contents` outlives the reader and its records
  explicit LogReader(Slice contents) noexcept : contents_(contents) {}

  // Reads the next complete record: a view of the contents, or of the reader if
  // the record was in pieces (then valid until the next call).  False: no more.
  // What is not a record is skipped, as LevelDB does: see gap().
  bool Next(Slice* record);

  // The worst gap between the current record and the one before it; or, after
  // Next() was false, between the last record and the end.
  LogGap gap() const noexcept { return gap_; }
  // The bytes that were skipped there, except the zeros of kZeros.
  const std::vector<Range>& passed_over() const noexcept {
    return passed_over_;
  }
  // How many zeros were skipped there as kZeros.
  std::uint64_t zeros() const noexcept { return zeros_; }
  // True: bytes that may contain records were skipped there: neither zeros nor
  // one torn record.
  bool may_hide_records() const noexcept { return may_hide_records_; }
  // The length of the first fragment of the current record; nothing: the record
  // is in one piece.
  std::optional<std::size_t> first_piece() const noexcept {
    return first_piece_;
  }
  // True: the current record started with a fragment of no data.
  bool began_empty() const noexcept { return first_piece_ == std::size_t{0}; }

  // What was skipped so far: the first sentence and how many bytes.  An
  // incomplete last record is not damage, nor are zeros: a killed writer leaves
  // them, and so does power loss.
  const std::string& damage() const noexcept { return damage_; }
  std::uint64_t damaged_bytes() const noexcept { return damaged_bytes_; }

  // The end of the current record.
  std::uint64_t end_of_record() const noexcept { return end_of_record_; }
  // After Next() was false: nothing but zeros (or nothing) follows the last
  // complete record, and there was no damage: writing may continue at
  // end_of_record().
  bool ended_clean() const noexcept { return ended_clean_; }

  // The number of bytes that were examined so far, with repetitions.
  std::uint64_t work() const noexcept { return work_; }

 private:
  struct Fragment {
    unsigned type = 0;
    Slice data;
  };
  enum class Found { kFragment, kNone, kEnd };

  Found NextFragment(Fragment* fragment);
  Found PassShortRest(Slice rest, bool block_is_cut);
  Found PassTooLong(Slice rest, bool block_is_cut);
  Found PassZeros(Slice rest);
  Found PassBadChecksum(Slice rest, std::size_t bytes);
  bool Take(const Fragment& fragment, Slice* record);
  void TakeWithoutStart(const Fragment& fragment);
  void Give(Slice whole, Slice* record);
  void End();
  void ForgetPieces(std::string_view why);
  void Torn(std::uint64_t bytes, std::string_view what);
  void Damage(std::uint64_t bytes, std::string_view what);
  void NoteDamage(std::size_t at, std::uint64_t bytes, std::string_view what);
  void PassTo(std::size_t end);
  std::size_t EndOfBlock() const noexcept;
  bool ChecksumHolds(Slice fragment) noexcept;
  bool IsWholeFragmentAt(std::size_t at) noexcept;
  bool MayEndAt(std::size_t at) noexcept;
  bool HasWrongLength(Slice bytes) noexcept;
  bool MayBeUnwrittenFrom(std::size_t at) noexcept;
  bool HasWrongBit(Slice fragment) noexcept;
  bool HasUnwrittenSector(std::size_t bytes) noexcept;
  bool LacksSector(std::size_t bytes) noexcept;
  bool IsZero(Slice bytes) noexcept;

  Slice contents_;
  std::size_t at_ = 0;           // all before it is read or skipped
  std::size_t fragment_at_ = 0;  // the start of the last one
  bool in_pieces_ = false;       // a first fragment was read, but no last one
  std::string pieces_;
  LogGap gap_ = LogGap::kNone;
  std::vector<Range> passed_over_;
  std::uint64_t zeros_ = 0;
  bool may_hide_records_ = false;
  std::optional<std::size_t> first_piece_;
  std::uint64_t torn_bytes_ = 0;  // in this gap: damage if a record follows
  std::size_t torn_at_ = 0;
  std::string_view torn_;
  std::size_t tried_in_ = ~std::size_t{0};  // a block
  std::string damage_;
  std::uint64_t damaged_bytes_ = 0;
  std::uint64_t end_of_record_ = 0;
  bool at_end_ = false;
  bool ended_clean_ = false;
  std::uint64_t work_ = 0;
};

}  // namespace tamis
