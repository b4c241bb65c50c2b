// SPDX-License-Identifier: Apache-2.0
// table/read_ahead.h -- what a walk over the blocks of a mapped table requests
// before it gets there.
//
// A mapped table is loaded page by page where it is touched: right for lookups,
// slow for a walk.  A walk that has come from block to block therefore requests
// what follows, in windows that double, each while the one before is still
// being read.  A seek that looks at one block or two requests nothing.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "table/loaded_pages.h"
#include "tamis/env.h"

namespace tamis {

// The largest window: enough to keep a disk busy, little beside the memory that
// a machine has.
inline constexpr std::uint64_t kMaxReadAhead = LoadedPages::kMaxBytes;

// One walk over one file, forward or backward.  Not thread-safe.
class ReadAhead {
 public:
  // `reads_once`: all blocks from the first on will be read, once, as by a
  // compaction.  The largest window is requested at once, and what was passed
  // need not stay in memory, unless it was there before: then others use it.
  // Otherwise nothing is requested before three blocks were read in order.
  explicit ReadAhead(bool reads_once = false)
      : loaded_(reads_once ? std::make_unique<LoadedPages>() : nullptr),
        reads_once_(reads_once) {}

  // The block at [begin, end) is about to be read.
  // REQUIRES: all calls are about the same file
  void Visit(const ReadableFile& file, std::uint64_t begin,
             std::uint64_t end) noexcept {
    const bool forward = begin >= end_ && begin - end_ < kMaxGap;
    const bool backward = end <= begin_ && begin_ - end < kMaxGap;
    if ((forward || backward) && is_started_) {
      Continue(file, begin, end, forward);
    } else {
      Start(file, begin, end);
    }
    begin_ = begin;
    end_ = end;
  }

 private:
  // Blocks may be apart, where padding keeps one within a page.
  static constexpr std::uint64_t kMaxGap = 4096;
  static constexpr std::uint64_t kFirstWindow = std::uint64_t{16} << 10;

  void Start(const ReadableFile& file, std::uint64_t begin,
             std::uint64_t end) noexcept {
    is_started_ = true;
    steps_ = 0;
    low_ = begin;
    high_ = end;
    window_ = 0;
    if (!reads_once_) return;
    window_ = kMaxReadAhead;
    RequestAfter(file, begin);
  }

  void Continue(const ReadableFile& file, std::uint64_t begin,
                std::uint64_t end, bool forward) noexcept {
    low_ = std::min(low_, begin);
    high_ = std::max(high_, end);
    if (++steps_ < 2 && window_ == 0) return;
    // Half of the last window is still ahead.
    const bool is_enough =
        forward ? end + window_ / 2 <= high_ : low_ + window_ / 2 <= begin;
    const bool is_all = forward ? high_ >= file.size() : low_ == 0;
    if (is_all || (window_ != 0 && is_enough)) return;
    window_ = std::clamp(2 * window_, kFirstWindow, kMaxReadAhead);
    if (forward) {
      if (reads_once_) {
        loaded_->Release(file, low_, begin);
        low_ = begin;
      }
      RequestAfter(file, high_);
    } else {
      const std::uint64_t from = low_ - std::min(low_, window_);
      file.WillRead(from, static_cast<std::size_t>(low_ - from));
      low_ = from;
    }
  }

  void RequestAfter(const ReadableFile& file, std::uint64_t from) noexcept {
    const std::uint64_t to = std::min(from + window_, file.size());
    if (to <= from) return;
    if (reads_once_) loaded_->WillRequest(file, from, to);
    file.WillRead(from, static_cast<std::size_t>(to - from));
    high_ = std::max(high_, to);
  }

  std::unique_ptr<LoadedPages> loaded_;  // null unless reads_once_
  bool reads_once_;
  bool is_started_ = false;
  unsigned steps_ = 0;
  std::uint64_t begin_ = 0;  // of the block before
  std::uint64_t end_ = 0;
  std::uint64_t low_ = 0;  // read or requested, up to high_
  std::uint64_t high_ = 0;
  std::uint64_t window_ = 0;
};

}  // namespace tamis
