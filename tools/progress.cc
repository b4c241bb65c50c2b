// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "text.h"

namespace tamis::tools {
namespace {

constexpr int kBarColumns = 30;
constexpr std::chrono::milliseconds kInterval{100};

std::string Duration(double seconds) {
  constexpr double kTooLong = 100 * 3600;
  if (!(seconds < kTooLong)) return "long";
  const auto s = std::lround(seconds);
  if (s >= 3600) {
    return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  }
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

std::string Bar(double part) {
  // A file that grows meanwhile must not overflow the bar.
  const int done = static_cast<int>(std::clamp(part, 0.0, 1.0) * kBarColumns);
  return fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %", "", done, "",
                     kBarColumns - done, part * 100);
}

}  // namespace

std::string PartLine(double part, std::string_view what) {
  return fmt::format("{}  {}", Bar(part), what);
}

std::string ProgressLine(const ProgressState& state) {
  const double keys_per_second =
      state.seconds > 0 ? static_cast<double>(state.keys) / state.seconds : 0;
  const std::string count = fmt::format(
      "{} {}, {}/s", HumanCount(static_cast<double>(state.keys)),
      Plural(state.keys, "key", "keys"), HumanCount(keys_per_second));
  if (state.total_bytes == 0) return count;
  const double part = std::min(1.0, static_cast<double>(state.bytes) /
                                        static_cast<double>(state.total_bytes));
  const std::string left =
      part > 0 ? Duration(state.seconds / part * (1 - part)) : "?";
  return fmt::format("{}  {}, {} left", Bar(part), count, left);
}

Progress::Progress(const Console& console, std::uint64_t total_bytes)
    : console_(console), total_bytes_(total_bytes), next_(start_ + kInterval) {}

bool Progress::IsTime() {
  if (!console_.err_is_terminal || console_.quiet) return false;
  const Clock::time_point now = Clock::now();
  if (now < next_) return false;
  next_ = now + kInterval;
  return true;
}

void Progress::UpdatePart(double part, std::string_view what) {
  if (IsTime()) Show(PartLine(part, what));
}

void Progress::Update(std::uint64_t keys, std::uint64_t bytes) {
  if (!IsTime()) return;
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  Show(ProgressLine({.keys = keys,
                     .bytes = bytes,
                     .total_bytes = total_bytes_,
                     .seconds = elapsed.count()}));
}

void Progress::Say(const std::string& what) {
  if (console_.err_is_terminal && !console_.quiet) Show(what);
}

void Progress::Show(const std::string& line) {
  constexpr int kUsualColumns = 80;
  int columns = console_.columns;
  if (columns <= 0) columns = console_.err->columns();
  if (columns <= 0) columns = kUsualColumns;
  // The last column stays free: some terminals wrap as soon as it is used.
  const auto room = static_cast<std::size_t>(columns - 1);
  console_.err->Write("\r\x1b[K" + line.substr(0, room));
  console_.err->Flush();
  visible_ = true;
}

void Progress::Clear() {
  if (!visible_) return;
  console_.err->Write("\r\x1b[K");
  console_.err->Flush();
  visible_ = false;
}

}  // namespace tamis::tools
