// SPDX-License-Identifier: Apache-2.0
// base/partial_read.h -- reads a file that may have bad sectors.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tamis/env.h"

namespace tamis {

// Ranges of a file that cannot be read, disjoint and ascending.
class UnreadableRanges {
 public:
  void Add(std::uint64_t begin, std::uint64_t end);
  bool empty() const noexcept { return ends_.empty(); }
  // The first byte that cannot be read.  REQUIRES: !empty()
  std::uint64_t first() const noexcept { return ends_.begin()->first; }
  // "bytes 4096 to 8191 cannot be read (path: Input/output error)", for each
  // range.
  std::vector<std::string> ToSentences() const;
  void SetReason(const std::string& reason) {
    if (reason_.empty()) reason_ = reason;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by start
  std::string reason_;
};

// Reads bytes from `offset` into *bytes.  What cannot be read becomes zeros and
// is added to *unreadable, in units of 4 KiB.  Not ok: a read failed for a
// reason other than damage (see base/damage.h); *bytes is then meaningless.
// REQUIRES: the range is within the file
Status ReadWhatCanBeRead(const ReadableFile& file, std::uint64_t offset,
                         std::size_t count, std::string* bytes,
                         UnreadableRanges* unreadable);

}  // namespace tamis
