// store/log_reader.h -- the records of a log or a manifest, from bytes that may
// end or be damaged anywhere.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tamis/slice.h"

namespace tamis {

class LogReader {
 public:
  // REQUIRES: `contents` outlives the reader and the records it gave
  explicit LogReader(Slice contents) noexcept : contents_(contents) {}

  // The next whole record: a view of the contents, or of the reader where the
  // record was in pieces (then until the next call).  False: no more.
  // Records that are damaged are passed over, as LevelDB does: see damage().
  bool Next(Slice* record);

  // What was passed over so far: the first sentence and how many bytes.  A
  // last record that was not written to its end is no damage, nor are zeros: a
  // writer that was killed leaves them, and so does a machine that stopped.
  const std::string& damage() const noexcept { return damage_; }
  std::uint64_t damaged_bytes() const noexcept { return damaged_bytes_; }

  // Where the last record that Next() gave ends.
  std::uint64_t end_of_record() const noexcept { return end_of_record_; }
  // After Next() was false: nothing but zeros (or nothing) follows the last
  // whole record, and there was no damage: the file may be written on from
  // end_of_record().
  bool ended_clean() const noexcept { return ended_clean_; }

 private:
  struct Fragment {
    unsigned type;
    Slice data;
  };
  enum class Found { kFragment, kNone, kEnd };

  Found NextFragment(Fragment* fragment);
  bool Take(const Fragment& fragment, Slice* record);
  void Give(Slice whole, Slice* record);
  void ForgetPieces(std::string_view why);
  void Damage(std::uint64_t bytes, std::string_view what);
  void SkipBlock() noexcept;
  bool IsTorn(std::size_t bytes) const noexcept;

  Slice contents_;
  std::size_t at_ = 0;      // before which all is read or passed over
  bool in_pieces_ = false;  // a first fragment was read, and no last one yet
  std::string pieces_;
  std::uint64_t unfinished_bytes_ = 0;  // of pieces behind which zeros were
  std::string damage_;
  std::uint64_t damaged_bytes_ = 0;
  std::uint64_t end_of_record_ = 0;
  bool ended_clean_ = false;
};

}  // namespace tamis
