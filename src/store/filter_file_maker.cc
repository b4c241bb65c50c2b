// SPDX-License-Identifier: Apache-2.0
#include "store/filter_file_maker.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/mapping_guard.h"
#include "base/no_throw.h"
#include "base/thread_priority.h"
#include "store/filter_file_build.h"

namespace tamis {
namespace {

using Clock = std::chrono::steady_clock;

// A filter of the whole table is better than none, and than one per 2 KiB.
bool IsPoor(const TableFilter& filter) noexcept {
  return filter.stored().bytes == 0 || filter.stored().is_per_block;
}

// Makes a thread rest as long as it works, in pieces so short that it can be
// stopped.
class HalfTime {
 public:
  void EndPiece() {
    constexpr Clock::duration kMaxRest = std::chrono::milliseconds(20);
    SleepPrecisely(std::min(Clock::now() - since_, kMaxRest));
    since_ = Clock::now();
  }

 private:
  Clock::time_point since_ = Clock::now();
};

}  // namespace

void FilterFileMaker::Start() {
  {
    const MutexLock lock(mutex_);
    must_look_ = is_busy_ = true;
  }
  // A thread inherits the signal mask of the thread that starts it.
  const bool unblock = context_.options.guard_mappings;
  thread_ = std::thread([this, unblock] {
    if (unblock) UnblockFaults();
    RaiseNiceness(context_.options.background_niceness);
    Run();
  });
}

void FilterFileMaker::Stop() noexcept {
  const MutexLock lock(mutex_);
  is_stopped_ = true;
  work_.NotifyOne();
}

void FilterFileMaker::NoteLoaded(const TableFilter& filter) noexcept {
  // A forked child may have a copy of a mutex that was held.
  if (!context_.tables.owner.IsHere() || !IsPoor(filter)) return;
  const MutexLock lock(mutex_);
  must_look_ = is_busy_ = true;
  work_.NotifyOne();
}

bool FilterFileMaker::is_busy() const noexcept {
  const MutexLock lock(mutex_);
  return is_busy_;
}

bool FilterFileMaker::is_stopped() const noexcept {
  const MutexLock lock(mutex_);
  return is_stopped_;
}

bool FilterFileMaker::WaitForWork() {
  const MutexLock lock(mutex_);
  while (!must_look_ && !is_stopped_) work_.Wait(mutex_);
  must_look_ = false;
  return !is_stopped_;
}

void FilterFileMaker::Run() {
  while (WaitForWork()) {
    bool is_over = false;
    while (!is_over && !is_stopped()) {
      const Status done = NoThrow([&] {
        const Choice choice = Choose();
        is_over = choice.table == nullptr;
        return is_over ? Status::Ok() : Make(choice);
      });
      if (done.ok() || is_stopped()) continue;
      (void)NoThrow([&] {
        context_.info_log.Write("a filter file is not made: " + done.message());
        return Status::Ok();
      });
      // Without the memory to choose, there is none for filters.
      is_over = done.code() == StatusCode::kResourceExhausted;
    }
    {
      const MutexLock lock(mutex_);
      is_busy_ = must_look_;
    }
    const StoreLock lock(context_.mutex);
    background_.NotifyWaiters();
  }
}

// Returns the table that lookups ask most, of those that are loaded.
FilterFileMaker::Choice FilterFileMaker::Choose() const {
  Choice best;
  const std::shared_ptr<const ReadView> view = views_.Current();
  const Version& version = *view->version;
  const int last =
      version.filled_levels().empty() ? 0 : version.filled_levels().back();
  // Lookups that find their key there have no use for its filters.
  const int end =
      context_.options.expect_hits && last > 0 ? last : kStoreLevels;
  const ReaderSlots::Guard guard(views_.slots());
  for (int i = 0; i < end; ++i) {
    if (context_.filters.at(i)->policy == nullptr) continue;
    for (const TableFileRef& file : version.level(i).files()) {
      const TableFilter* const filter = file->loaded_filter();
      if (filter == nullptr || !IsPoor(*filter)) continue;
      if (tried_.contains(file->number())) continue;
      if (best.table != nullptr && file->asked() <= best.table->asked()) {
        continue;
      }
      best = {file, i};
    }
  }
  return best;
}

Status FilterFileMaker::Make(const Choice& choice) {
  const TableFile& table = *choice.table;
  tried_.insert(table.number());
  const auto filter = context_.filters.at(choice.level);
  if (filter->policy == nullptr) return Status::Ok();
  HalfTime pace;
  const FilterFileJob job{.env = context_.env,
                          .dir = context_.dir,
                          .table = table.metadata(),
                          .order = context_.order,
                          .unpack = UnpackLimitsOf(context_.options),
                          .policy = *filter->policy,
                          .prefixes = context_.prefixes.get(),
                          .progress = [&](std::uint64_t /*bytes*/) {
                            if (is_stopped()) return context_.BeingClosed();
                            pace.EndPiece();
                            return Status::Ok();
                          }};
  const Result<BuiltFilterFile> built = BuildFilterFile(job);
  if (!built.ok()) return built.status();
  // If the table became obsolete meanwhile, the file goes with it.
  Status written = WriteFilterFileOf(job, *built);
  if (!written.ok()) return written;
  context_.done.filter_files.fetch_add(1, std::memory_order_relaxed);
  return budget_.ReloadFilterOf(choice.table);
}

}  // namespace tamis
