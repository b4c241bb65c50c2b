// SPDX-License-Identifier: Apache-2.0
// store/log_writer.h -- appends records to a log or a manifest, in LevelDB's
// framing: see store/log_format.h.
//
// A process that is killed leaves its last record whole or not at all, with
// zeros or the end of the file behind what came before.

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
// What stands before the data of a fragment.
// REQUIRES: both fit into a block
FragmentHeader HeaderOf(FragmentType type, Slice data) noexcept;

class LogWriter {
 public:
  // REQUIRES: `file` already has `written` bytes, the end of whole records
  explicit LogWriter(std::unique_ptr<WritableFile> file,
                     std::uint64_t written = 0);

  // The record survives the end of this process once this returns.  After an
  // error the log must not be written any more: a record may be there in part.
  // A fragment begins at each of `cuts`, places in the record in order, unless
  // its header and a byte would not fit into the block any more.
  Status Add(Slice record, std::span<const std::size_t> cuts = {});
  // The same for whole fragments that a file begins with; less than a block.
  // REQUIRES: nothing was written yet
  Status AddHead(Slice fragments);
  // A record that begins with a fragment of no data: LogReader::began_empty().
  // LevelDB reads it as any other.  REQUIRES: the record is not empty
  Status AddBegunEmpty(Slice record);
  Status Sync() { return file_->Sync(); }
  Status Close() { return file_->Close(); }

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
