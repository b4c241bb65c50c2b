// SPDX-License-Identifier: Apache-2.0
#include "store/router_keeper.h"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/mapping_guard.h"
#include "base/no_throw.h"
#include "base/thread_priority.h"
#include "formats/tamis/line_view.h"
#include "store/filter_plan.h"
#include "store/level_iterator.h"

namespace tamis {
namespace {

// Fewer than there are labels, so that tables that come have some.
constexpr std::size_t kMaxTables = 800;
// With more lines than this fraction full, keys are asked of every table too
// often for the memory: many keys are in very many tables.
constexpr double kUselessFraction = 1.0 / 8;
// The router may have this part of a limit for filters, which save reads.
constexpr std::uint64_t kPartOfLimit = 4;

}  // namespace

// ---- the thread

void RouterKeeper::Allow() noexcept {
  is_allowed_ = context_.options.level0_route_at > 0 &&
                context_.options.filter_use != FilterUse::kOff;
}

void RouterKeeper::Stop() noexcept {
  is_stopped_.store(true, std::memory_order_relaxed);
  background_.NotifyWorkers();
}

void RouterKeeper::Join() {
  if (thread_.joinable()) thread_.join();
}

bool RouterKeeper::HasWork() const noexcept {
  if (!is_wanted_.load(std::memory_order_relaxed)) return false;
  const std::shared_ptr<const Version>& now = views_.current()->version;
  return must_work_ || seen_.owner_before(now) || now.owner_before(seen_);
}

void RouterKeeper::Run() {
  StoreLock lock(context_.mutex);
  while (!is_stopping()) {
    if (!HasWork()) {
      background_.WaitForWork();
      continue;
    }
    seen_ = views_.current()->version;
    must_work_ = false;
    is_working_ = true;
    lock.Unlock();
    // What there is no memory for waits for the next version.
    (void)NoThrow([this] { return Work(); });
    lock.Lock();
    is_working_ = false;
    background_.NotifyWaiters();
  }
}

// Most stores never have so many tables in level 0, and no thread for them.
void RouterKeeper::Want(const Version& version) noexcept {
  if (!is_allowed_ || !context_.tables.owner.IsHere() ||
      version.level(0).size() < context_.options.level0_route_at) {
    return;
  }
  const StoreLock lock(context_.mutex);
  if (is_wanted_.load(std::memory_order_relaxed) || is_stopping()) return;
  // A thread inherits the signal mask of the thread that starts it.
  const bool unblock = context_.options.guard_mappings;
  try {
    thread_ = std::thread([this, unblock] {
      if (unblock) UnblockFaults();
      RaiseNiceness(context_.options.background_niceness);
      Run();
    });
    is_wanted_.store(true, std::memory_order_relaxed);
  } catch (const std::system_error&) {  // a later lookup tries again
  } catch (const std::bad_alloc&) {     // so it does then
  }
}

void RouterKeeper::Fit() noexcept {
  {
    const MutexLock lock(mutex_);
    if (!MayHold(held_.bytes.load(std::memory_order_relaxed))) Drop();
  }
  const StoreLock lock(context_.mutex);
  must_work_ = true;
  background_.NotifyWorkers();
}

Status RouterKeeper::Work() {
  while (!is_stopping()) {
    const Step step = NextStep();
    switch (step.action) {
      case Action::kNothing:
        return Status::Ok();
      case Action::kDrop: {
        const MutexLock lock(mutex_);
        Drop();
        break;
      }
      case Action::kBegin:
        if (!Begin(step)) return Status::Ok();
        break;
      case Action::kAdd:
        AddTable(step);
        break;
      case Action::kReplace:
        Replace();
        break;
    }
    // Filters may have the room now.
    if (step.action == Action::kDrop) (void)budget_.Rebalance();
  }
  return Status::Ok();
}

// ---- what to do next

RouterKeeper::Step RouterKeeper::NextStep() {
  const MutexLock lock(mutex_);
  Step step;
  versions_.WhileUnchanged([&](const Version& version) {
    mutex_.AssertHeld();
    step = StepFor(version);
  });
  return step;
}

RouterKeeper::Step RouterKeeper::StepFor(const Version& version) {
  const Level& level = version.level(0);
  const std::size_t least = context_.options.level0_route_at;
  const std::size_t count = level.size();
  if (count < least) useless_at_ = 0;
  Step begin{.action = Action::kBegin, .tables = static_cast<unsigned>(count)};
  begin.entries =
      CountKeys(version, context_.options.write_buffer_bytes).levels[0];
  Routed* const held = target();
  if (held == nullptr) {
    const bool is_worth_it =
        count >= least && count <= kMaxTables && count >= 2 * useless_at_;
    return is_worth_it ? begin : Step();
  }
  // Not at the number at which it is made, so that it is not made and dropped
  // by turns.
  if (count < (least + 1) / 2 || count > kMaxTables ||
      !MayHold(held_.bytes.load(std::memory_order_relaxed))) {
    return {.action = Action::kDrop};
  }
  for (const TableFileRef& file : level.files()) {
    if (held->labels.contains(file->number()) ||
        unreadable_.contains(file->number())) {
      continue;
    }
    if (!held->router->is_full()) {
      if (const std::optional<Routes::Label> label = FreeLabel(level, held)) {
        return {.action = Action::kAdd, .table = file, .label = *label};
      }
    }
    // What was counted may be less than there is.
    const std::uint64_t entries = held->router->entries();
    begin.entries = std::max(begin.entries, entries + entries / 16);
    return begin;
  }
  return {.action = next_ != nullptr ? Action::kReplace : Action::kNothing};
}

// A label that was of a table which is gone leads lookups to its next table in
// vain, until the router is replaced.  It hides nothing.
std::optional<Routes::Label> RouterKeeper::FreeLabel(const Level& level,
                                                     Routed* routed) {
  if (routed->next_label < routed->router->labels()) {
    return static_cast<Routes::Label>(routed->next_label++);
  }
  std::set<std::uint64_t> there;
  for (const TableFileRef& file : level.files()) there.insert(file->number());
  for (auto at = routed->labels.begin(); at != routed->labels.end(); ++at) {
    if (there.contains(at->first)) continue;
    const Routes::Label label = at->second;
    routed->labels.erase(at);
    return label;
  }
  return std::nullopt;
}

bool RouterKeeper::MayHold(std::uint64_t bytes) const noexcept {
  return !context_.room.is_limited() ||
         bytes <= context_.room.limit() / kPartOfLimit;
}

// ---- filling a router

// Returns false if there is no memory for it.
bool RouterKeeper::Begin(const Step& step) {
  const KeyRouter::Shape shape =
      KeyRouter::ShapeFor(step.entries, step.tables + step.tables / 4);
  const bool is_limited = context_.room.is_limited();
  if (!MayHold(shape.bytes())) return false;
  {
    const MutexLock lock(mutex_);
    next_.reset();
    // There may be no room for both.
    if (is_limited) Drop();
    NoteHeld();
    context_.router_room.fetch_add(shape.bytes());
  }
  if (is_limited) (void)budget_.Rebalance();  // filters leave the room
  auto routed = std::make_unique<Routed>();
  const bool has_room = context_.room.Take(shape.bytes());
  if (has_room) {
    routed->lease = FilterLease(&context_.room, shape.bytes());
    routed->router = KeyRouter::New(shape);
  }
  const MutexLock lock(mutex_);
  if (routed->router != nullptr && MayHold(shape.bytes())) {
    next_ = std::move(routed);
  }
  NoteHeld();
  return next_ != nullptr;
}

void RouterKeeper::AddTable(const Step& step) {
  const std::unique_ptr<InternalIterator> entries = NewTableIterator(
      *step.table, {.verify_checksums = true, .fill_cache = false});
  constexpr std::size_t kAtOnce = 1024;
  std::array<std::uint64_t, kAtOnce> hashes;
  std::size_t count = 0;
  std::string last;
  bool is_first = true;
  ShortTurns turns;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    const Slice key = UserKeyOf(entries->key());
    if (!is_first && key == Slice(last)) continue;
    last.assign(key);
    is_first = false;
    hashes[count++] = LineHash(key, context_.tables.seeds.own);
    if (count < kAtOnce) continue;
    if (!AddKeys(hashes, step)) return;
    count = 0;
    turns.EndPiece();
  }
  if (AddKeys({hashes.data(), count}, step)) {
    FinishTable(step, entries->status());
  }
}

// Returns false if the table is not to be added any more.
bool RouterKeeper::AddKeys(std::span<const std::uint64_t> hashes,
                           const Step& step) {
  const MutexLock lock(mutex_);
  // It may have been dropped meanwhile.
  if (is_stopping() || target() == nullptr) return false;
  target()->router->Add(hashes, step.label);
  return !target()->router->is_full();
}

void RouterKeeper::FinishTable(const Step& step, const Status& read) {
  const MutexLock lock(mutex_);
  Routed* const routed = target();
  if (routed == nullptr) return;
  if (!read.ok()) {
    // Lookups ask it, whatever can be read of it.
    unreadable_.insert(step.table->number());
    return;
  }
  routed->labels.emplace(step.table->number(), step.label);
  if (next_ == nullptr) Publish();
}

// The one that was filled takes the place of the one in use.
void RouterKeeper::Replace() {
  const MutexLock lock(mutex_);
  if (next_ == nullptr) return;
  std::unique_ptr<Routed> next = std::move(next_);
  const bool is_useless = next->router->full_fraction() > kUselessFraction;
  const std::size_t tables = next->labels.size();
  if (is_useless) next.reset();
  std::set<std::uint64_t> unreadable = std::exchange(unreadable_, {});
  Drop();
  if (is_useless) {
    useless_at_ = tables;
    return;
  }
  unreadable_ = std::move(unreadable);
  current_ = std::move(next);
  const Status published = NoThrow([this] {
    mutex_.AssertHeld();
    Publish();
    return Status::Ok();
  });
  if (!published.ok()) Drop();
  NoteHeld();
}

// ---- what lookups see

void RouterKeeper::Publish() {
  std::shared_ptr<const Routes> old;
  versions_.WhileUnchanged([&](const Version& version) {
    mutex_.AssertHeld();
    const Level& level = version.level(0);
    if (level.empty()) return;
    std::vector<Routes::Label> labels;
    for (const TableFileRef& file : level.files()) {
      const auto found = current_->labels.find(file->number());
      labels.push_back(found == current_->labels.end() ? Routes::kNotRouted
                                                       : found->second);
    }
    std::shared_ptr<const Routes> routes =
        Routes::Make(*current_->router, std::move(labels));
    old = level.ExchangeRoutes(std::move(routes));
  });
  views_.slots().WaitForReaders();
  NoteHeld();
}

void RouterKeeper::Drop() noexcept {
  std::shared_ptr<const Routes> old;
  if (current_ != nullptr) {
    versions_.WhileUnchanged([&](const Version& version) {
      const Level& level = version.level(0);
      if (!level.empty()) old = level.ExchangeRoutes(nullptr);
    });
    // Versions before this one are seen by readers that were there before.
    views_.slots().WaitForReaders();
  }
  next_.reset();
  current_.reset();
  unreadable_.clear();
  NoteHeld();
}

void RouterKeeper::NoteHeld() noexcept {
  std::uint64_t bytes = 0;
  for (const Routed* routed : {current_.get(), next_.get()}) {
    if (routed != nullptr) bytes += routed->router->bytes();
  }
  held_.bytes.store(bytes, std::memory_order_relaxed);
  context_.router_room.store(bytes);
  held_.entries.store(current_ == nullptr ? 0 : current_->router->entries(),
                      std::memory_order_relaxed);
}

}  // namespace tamis
