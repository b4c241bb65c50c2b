// SPDX-License-Identifier: Apache-2.0
#include "store/write_throttle.h"

#include <algorithm>
#include <cstdint>

namespace tamis {
namespace {

// Shorter sleeps would cost more than they are worth: a thread that sleeps is
// switched off and on.
constexpr double kMinSleepNanoseconds = 1e5;
constexpr double kMaxSleepNanoseconds = 1e8;
// So much oversleeping is made up for.  More of it is not the throttle's doing,
// but a busy machine's.
constexpr double kMaxOversleptNanoseconds = 1e6;

}  // namespace

double FlushBacklog(const ReadView& view,
                    const StoreOptions& options) noexcept {
  if (view.immutable.size() < kMaxImmutableMemtables) return 0;
  return static_cast<double>(view.memtable.table->bytes()) /
         static_cast<double>(options.write_buffer_bytes);
}

double CompactionBacklog(const Version& version, const CompactionLimits& limits,
                         const StoreOptions& options) noexcept {
  if (!options.automatic_compaction) return 0;
  const auto tables = static_cast<double>(version.level(0).size());
  const double slow = options.level0_slow_at;
  const double stop = options.level0_stop_at;
  const double full = stop > slow ? (tables - slow) / (stop - slow) : 0;
  // A debt of five times level 2 grows faster than it is worked off.
  const auto much = static_cast<double>(limits.LevelBytes(2)) * 5;
  return std::max(
      full, static_cast<double>(CompactionDebt(version, limits)) / much - 0.5);
}

double SlowdownNanosecondsPerByte(double backlog) noexcept {
  if (backlog <= 0) return 0;
  // At half way, 20 ns per byte: 50 MB per second.
  constexpr double kHalfWay = 20.0;
  const double full = std::min(backlog, 0.98);
  return kHalfWay * full / (1.0 - full);
}

std::chrono::nanoseconds WriteThrottle::Charge(double nanoseconds_per_byte,
                                               std::size_t bytes) noexcept {
  using std::chrono::nanoseconds;
  if (nanoseconds_per_byte <= 0) {
    owed_nanoseconds_ = 0;
    return nanoseconds(0);
  }
  owed_nanoseconds_ += nanoseconds_per_byte * static_cast<double>(bytes);
  if (owed_nanoseconds_ < kMinSleepNanoseconds) return nanoseconds(0);
  const nanoseconds sleep(static_cast<std::int64_t>(
      std::min(owed_nanoseconds_, kMaxSleepNanoseconds)));
  owed_nanoseconds_ = 0;
  return sleep;
}

void WriteThrottle::NoteOverslept(std::chrono::nanoseconds more) noexcept {
  owed_nanoseconds_ -= std::clamp(static_cast<double>(more.count()), 0.0,
                                  kMaxOversleptNanoseconds);
}

}  // namespace tamis
