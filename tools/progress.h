// SPDX-License-Identifier: Apache-2.0
// progress.h -- shows the progress of a long step.

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

// Returns one line of fewer than 90 columns: a bar with rate and time left if
// the total is known, else a count and a rate.
std::string ProgressLine(const ProgressState& state);

// The same for a step that only knows the fraction done: a bar and a
// description.
std::string PartLine(double part, std::string_view what);

// Shows that line on `err` about ten times a second while it is a terminal,
// and nothing otherwise; clears it at the end.  A line is truncated to the
// terminal's width: one that wraps could not be cleared.
class Progress {
 public:
  explicit Progress(const Console& console, std::uint64_t total_bytes = 0);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Clear(); }

  void set_total_bytes(std::uint64_t bytes) { total_bytes_ = bytes; }
  // Cheap enough for every batch of keys.
  void Update(std::uint64_t keys, std::uint64_t bytes);
  // For steps that know the fraction done, from 0 to 1.
  void UpdatePart(double part, std::string_view what);
  // Shows a description while no count changes.
  void Say(const std::string& what);
  // Must be called before anything else is written to `err`.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  // Returns true at most ten times a second, and never without a terminal.
  bool IsTime();
  void Show(const std::string& line);

  const Console console_;
  bool visible_ = false;
  std::uint64_t total_bytes_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace tamis::tools
