// SPDX-License-Identifier: Apache-2.0
// base/partial_read.h -- reads of a file some sectors of which may be lost.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tamis/env.h"

namespace tamis {

// Bytes of a file that cannot be read: from where to where, apart and rising.
class UnreadableRanges {
 public:
  void Add(std::uint64_t begin, std::uint64_t end);
  bool empty() const noexcept { return ends_.empty(); }
  // The first byte that cannot be read.  REQUIRES: !empty()
  std::uint64_t first() const noexcept { return ends_.begin()->first; }
  // "bytes 4096 to 8191 cannot be read (path: Input/output error)", for each.
  std::vector<std::string> ToSentences() const;
  void SetReason(const std::string& reason) {
    if (reason_.empty()) reason_ = reason;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by beginning
  std::string reason_;
};

// The bytes from `offset`, as many as the file has, into *bytes.  What cannot
// be read is zeros there and added to *unreadable, in units of 4 KiB.  Not ok:
// a read failed for a reason that is no damage (see base/damage.h); then
// *bytes is of no use.
// REQUIRES: the range lies within the file
Status ReadWhatCanBeRead(const ReadableFile& file, std::uint64_t offset,
                         std::size_t count, std::string* bytes,
                         UnreadableRanges* unreadable);

}  // namespace tamis
