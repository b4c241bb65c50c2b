// SPDX-License-Identifier: Apache-2.0
// progress.h -- how far a long step has come, for somebody who watches.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "console.h"

namespace tamis::tools {

struct ProgressState {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;        // read so far
  std::uint64_t total_bytes = 0;  // 0: unknown
  double seconds = 0;             // since the start
};

// One line of fewer than 90 columns: a bar with rate and time left where the
// total is known, else a count and a rate.
std::string ProgressLine(const ProgressState& state);

// The same for a step that knows only the part done: a bar and what goes on.
std::string PartLine(double part, std::string_view what);

// Shows that line on `err` about ten times a second while it is a terminal,
// and nothing at all otherwise; wipes it at the end.  What does not fit the
// terminal is cut off: a line that wraps could not be wiped.
class Progress {
 public:
  explicit Progress(const Console& console, std::uint64_t total_bytes = 0);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Clear(); }

  void set_total_bytes(std::uint64_t bytes) { total_bytes_ = bytes; }
  // Cheap enough for every batch of keys.
  void Update(std::uint64_t keys, std::uint64_t bytes);
  // For steps that know the part done, from 0 to 1.
  void UpdatePart(double part, std::string_view what);
  // Says what goes on where no count moves.
  void Say(const std::string& what);
  // Must come before anything else is written to `err`.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  // True at most ten times a second, and never without a terminal.
  bool IsTime();
  void Show(const std::string& line);

  const Console console_;
  bool visible_ = false;
  std::uint64_t total_bytes_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace tamis::tools
