// SPDX-License-Identifier: Apache-2.0
// Opening and closing a store.

#include <algorithm>
#include <utility>

#include "base/no_throw.h"
#include "policy/table_policy.h"
#include "store/file_names.h"
#include "store/store_checks.h"
#include "store/store_impl.h"

namespace tamis {
namespace {

// What was asked in earlier openings counts less and less.
AskedCounts Halved(AskedCounts asked) noexcept {
  asked.lookups /= 2;
  for (LevelAsked& level : asked.levels) {
    level = {level.in_vain / 2, level.held / 2};
  }
  return asked;
}

}  // namespace

StoreImpl::StoreImpl(std::string dir, const StoreOptions& options)
    : context_(std::move(dir), options) {}

Status StoreImpl::CheckOptions() {
  if (context_.options.read_only && context_.options.error_if_exists) {
    return Status::InvalidArgument(
        "read_only and error_if_exists exclude each other");
  }
  if (context_.options.block_bytes == 0 ||
      context_.options.restart_interval == 0 ||
      context_.options.table_bytes == 0 ||
      context_.options.write_buffer_bytes == 0 ||
      context_.options.level0_compact_at == 0 ||
      context_.options.level1_bytes == 0 || context_.options.level_growth < 2 ||
      context_.options.compaction_threads == 0 ||
      context_.options.background_niceness < 0) {
    return Status::InvalidArgument(
        "sizes, counts and thread numbers of a store must not be 0, a level "
        "must be larger than the one above it, and a niceness not negative");
  }
  if (context_.options.level0_stop_at < context_.options.level0_compact_at) {
    return Status::InvalidArgument(
        "level0_stop_at below level0_compact_at: writers would wait for a "
        "compaction that never begins");
  }
  if (Status chosen = context_.ChoosePrefixes(); !chosen.ok()) return chosen;
  uses_custom_filters_ = context_.options.filter_use == FilterUse::kOn;
  if (!context_.filters_fit) context_.options.filter_use = FilterUse::kOff;
  return LevelFilters::Check(context_.options);
}

// Chooses the seed of new filters, and the other seed that lookups hash with.
Status StoreImpl::ChooseSeeds() {
  const std::optional<std::uint64_t> remembered = settings_.filter_seed();
  const std::uint64_t seed = settings_.ChooseSeed();
  LevelFilters& filters = context_.filters;
  Status chosen = filters.Choose(context_.options, context_.filters_fit, seed);
  if (!chosen.ok()) return chosen;
  LineSeeds& seeds = context_.tables.seeds;
  seeds.own = seed;
  if (filters.first() != nullptr) {
    seeds.own = LineSeedOf(*filters.first()).value_or(seed);
  }
  seeds.other = seeds.own == 0 ? remembered.value_or(0) : 0;
  return Status::Ok();
}

Status StoreImpl::Open() {
  if (Status fine = CheckOptions(); !fine.ok()) return fine;
  if (context_.options.guard_mappings) GuardMappings();
  cache_ = context_.options.block_cache;
  if (cache_ == nullptr) {
    cache_ = NewBlockCache(context_.options.block_cache_bytes);
  }
  context_.tables.env = &context_.env;
  context_.tables.dir = context_.dir;
  context_.tables.map = context_.options.map_tables;
  context_.tables.use_filters = context_.options.filter_use != FilterUse::kOff;
  context_.tables.parts_damaged = [this](const std::string& what,
                                         std::uint64_t parts) {
    context_.filter_faults.NoteDamagedParts(what, parts);
  };
  context_.tables.filter_damaged = [this](const std::string& what) {
    context_.filter_faults.NoteDamaged(what);
  };
  if (makes_filter_files()) {
    context_.tables.filter_loaded = [this](const TableFilter& filter) {
      filter_files_.NoteLoaded(filter);
    };
  }

  if (context_.options.read_only) {
    const Result<StoreDirectory> found = Look();
    return found.ok() ? RecoverOrCreate(*found) : found.status();
  }
  if (Status fine = CheckBeforeLocking(); !fine.ok()) return fine;
  const bool had_lock = context_.env.Exists(LockFileName(context_.dir));
  if (Status taken = TakeDirectory(); !taken.ok()) return taken;
  // Other processes may have changed it since we looked; now we hold the lock.
  const Result<StoreDirectory> found = Look();
  Status opened = found.ok() ? RecoverOrCreate(*found) : found.status();
  if (!opened.ok()) {
    // A failed opening leaves no LOCK that was not there before, and none
    // without a store, which was destroyed meanwhile.
    const bool is_gone = found.status().code() == StatusCode::kNotFound;
    if (!had_lock || is_gone)
      (void)context_.env.Remove(LockFileName(context_.dir));
    return opened;
  }
  context_.info_log.Open(context_.env, context_.dir, context_.options.info_log);
  versions_.RemoveObsoleteFiles();
  RemoveUselessFilters();
  if (Status saved = settings_.Save(!found->has_current); !saved.ok()) {
    return saved;
  }
  return StartThreads();
}

// Checks whether there is a store, or may be one.
Result<StoreDirectory> StoreImpl::Look() {
  Result<StoreDirectory> found = LookAtDirectory(context_.env, context_.dir);
  if (!found.ok()) return found;
  if (found->has_current && context_.options.error_if_exists) {
    const Status ours =
        ReadManifestFor(context_.env, context_.dir, context_.order.user())
            .status();
    if (ours.code() == StatusCode::kNotSupported) return ours;
    return Status::AlreadyExists(context_.dir +
                                 ": there is a store here already");
  }
  if (!found->has_current &&
      (!context_.options.create_if_missing || context_.options.read_only)) {
    return NoStoreHere(context_.dir);
  }
  return found;
}

// Taking the lock may create LOCK, and a database of another engine that is
// open in this process would lose its lock.
Status StoreImpl::CheckBeforeLocking() {
  const Result<StoreDirectory> found = Look();
  Status fine = found.status();
  is_new_directory_ = fine.ok() && !found->exists;
  if (fine.ok() && found->has_current) {
    fine = ReadManifestFor(context_.env, context_.dir, context_.order.user())
               .status();
    // Destroyed by another process since we looked.
    if (fine.code() == StatusCode::kNotFound) return Status::Ok();
  }
  // What looks damaged may be in use by the process that holds the lock.
  if (fine.code() == StatusCode::kCorruption &&
      context_.env.Exists(LockFileName(context_.dir))) {
    return Status::Ok();
  }
  return fine;
}

Status StoreImpl::TakeDirectory() {
  context_.info_log.Write("opening");
  constexpr int kMaxAttempts = 100;
  for (int i = 1;; ++i) {
    if (context_.options.create_if_missing) {
      if (Status made = context_.env.CreateDirectory(context_.dir); !made.ok())
        return made;
    }
    Result<std::unique_ptr<FileLock>> lock =
        context_.env.Lock(LockFileName(context_.dir));
    if (lock.ok()) {
      lock_ = *std::move(lock);
      return Status::Ok();
    }
    // The store and its directory were destroyed in between.
    const bool is_gone = lock.status().code() == StatusCode::kNotFound;
    if (!is_gone || !context_.options.create_if_missing || i == kMaxAttempts) {
      return lock.status();
    }
  }
}

Status StoreImpl::RecoverOrCreate(const StoreDirectory& found) {
  settings_.Load();
  if (Status chosen = ChooseSeeds(); !chosen.ok()) return chosen;
  context_.tables.read = {.order = context_.order,
                          .cache = cache_.get(),
                          .filter = context_.filters.first(),
                          .prefixes = context_.prefixes.get(),
                          .unpack = UnpackLimitsOf(context_.options),
                          .room = &context_.room,
                          .parts = &context_.filter_parts};
  if (uses_custom_filters_) {
    context_.tables.read.leveldb_filter =
        context_.options.leveldb_filter_policy.get();
  }
  context_.room.set_limit(
      context_.options.filter_memory_bytes.value_or(FilterRoom::kNoLimit));
  Status opened = found.has_current ? recovery_.Run() : CreateNew();
  if (!opened.ok()) return opened;
  {
    const StoreLock lock(context_.mutex);
    context_.visible.store(context_.last_sequence, std::memory_order_release);
  }
  if (context_.options.filter_loading == FilterLoading::kAtOpening ||
      context_.options.read_only) {
    if (Status all = OpenTables(); !all.ok()) return all;
  }
  if (const std::optional<AskedCounts> asked = settings_.asked()) {
    budget_.Remember(Halved(*asked));
  }
  return budget_.Rebalance();
}

Status StoreImpl::CreateNew() {
  // Makes the directory itself durable.  Its parent may not be readable, if a
  // user created it before us.
  const Status synced =
      context_.env.SyncDirectory(ParentDirectory(context_.dir));
  if (!synced.ok() && is_new_directory_) {
    return synced.WithMessage(
        context_.dir +
        ": its name cannot be made durable: " + synced.message());
  }
  auto view = std::make_shared<ReadView>();
  view->version = std::make_shared<const Version>(context_.order);
  const std::uint64_t log_number = versions_.NewFileNumber();
  Result<std::unique_ptr<WritableFile>> log = context_.env.Create(
      LogFileName(context_.dir, log_number), WriteKind::kLog);
  if (!log.ok()) return log.status();
  writer_.UseLog(
      std::make_shared<WriteLog>(log_number, *std::move(log), LogHead()));
  view->memtable = {context_.NewMemtable(), log_number};
  {
    const StoreLock lock(context_.mutex);
    views_.Publish(std::move(view));
  }
  return versions_.Start(log_number);
}

// Opens all tables and loads their filters now, so that a later removal by
// others does not matter.
Status StoreImpl::OpenTables() {
  const std::shared_ptr<const ReadView> view = views_.Current();
  for (const Level& level : view->version->levels()) {
    for (std::size_t i = 0; i < level.size(); ++i) {
      const TableFile& file = *level.files()[i];
      if (context_.options.filter_loading != FilterLoading::kAtOpening) {
        Result<const Table*> table = file.Open();
        if (!table.ok()) return table.status();
        continue;
      }
      Result<const TableFilter*> filter = file.Filter();
      if (!filter.ok()) return filter.status();
      level.slot(i).Publish(**filter, context_.tables.seeds);
    }
  }
  return Status::Ok();
}

// From now on they are removed as they are found: a failed opening leaves the
// directory as it was.
void StoreImpl::RemoveUselessFilters() {
  context_.tables.removes_useless_filters = true;
  const std::shared_ptr<const ReadView> view = views_.Current();
  for (const Level& level : view->version->levels()) {
    for (const TableFileRef& file : level.files()) file->RemoveUselessFilter();
  }
}

StoreImpl::~StoreImpl() {
  StopThreads();
  writer_.CloseLog();
}

}  // namespace tamis
