// SPDX-License-Identifier: Apache-2.0
// store/log_writer.h -- appends records to a log or a manifest, in LevelDB's
// framing: see store/log_format.h.
//
// A killed process leaves its last record complete or not at all, with zeros or
// the end of the file after the one before.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "store/log_format.h"
#include "tamis/env.h"

namespace tamis {

using FragmentHeader = std::array<char, kLogHeaderBytes>;
// Returns the header of a fragment.
// REQUIRES: both fit into a block
FragmentHeader HeaderOf(FragmentType type, Slice data) noexcept;

class LogWriter {
 public:
  // REQUIRES: `file` already has `written` bytes, the end of whole records
  explicit LogWriter(std::unique_ptr<WritableFile> file,
                     std::uint64_t written = 0);

  // The record survives the end of this process once this returns.  After an
  // error the log must not be written to: a record may be incomplete.  A
  // fragment starts at each of `cuts`, ascending places in the record, unless
  // its header and a byte would not fit into the block.
  Status Add(Slice record, std::span<const std::size_t> cuts = {});
  // The same for whole fragments at the start of a file; less than a block.
  // REQUIRES: nothing was written yet
  Status AddHead(Slice fragments);
  // Adds a record that starts with a fragment of no data:
  // LogReader::began_empty().  LevelDB reads it like any other.  REQUIRES: the
  // record is not empty
  Status AddBegunEmpty(Slice record);
  Status Sync() { return file_->Sync(); }
  Status Close() { return file_->Close(); }
  // See WritableFile.
  void PrepareMore() { file_->PrepareMore(); }

  std::uint64_t bytes() const noexcept { return written_; }

 private:
  Status AddWhole(Slice record);
  Status AddInFragments(Slice record, bool begin_empty,
                        std::span<const std::size_t> cuts);
  std::size_t RestOfBlock() const noexcept;
  Status FillBlock();
  Status Append(std::span<const Slice> parts);

  std::unique_ptr<WritableFile> file_;
  std::uint64_t written_;
};

}  // namespace tamis
