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

// Below this a log is replayed faster than a table is written, synced and
// compacted.
constexpr std::size_t kLittleBytes = std::size_t{4} << 20;

}  // namespace

StoreImpl::StoreImpl(std::string dir, const StoreOptions& options)
    : dir_(std::move(dir)),
      options_(options),
      env_(options.env != nullptr ? *options.env : DefaultEnv()),
      order_(*options.comparator),
      filters_fit_(options.comparator->EqualMeansIdentical()),
      info_log_(std::make_unique<InfoLog>()),
      manifest_(env_, dir_) {}

Status StoreImpl::CheckOptions() {
  if (options_.read_only && options_.error_if_exists) {
    return Status::InvalidArgument(
        "read_only and error_if_exists exclude each other");
  }
  if (options_.block_bytes == 0 || options_.restart_interval == 0 ||
      options_.table_bytes == 0 || options_.write_buffer_bytes == 0 ||
      options_.level0_compact_at == 0 || options_.level1_bytes == 0 ||
      options_.level_growth < 2 || options_.compaction_threads == 0) {
    return Status::InvalidArgument(
        "sizes, counts and thread numbers of a store must not be 0, and a "
        "level must be larger than the one above it");
  }
  if (options_.level0_stop_at < options_.level0_compact_at) {
    return Status::InvalidArgument(
        "level0_stop_at below level0_compact_at: writers would wait for a "
        "compaction that never begins");
  }
  if (!filters_fit_) options_.filter_use = FilterUse::kOff;
  Status filter = CheckFilter();
  if (!filters_fit_) filter_ = nullptr;
  return filter;
}

// A filter that no table could have is better refused now than missed later.
Status StoreImpl::CheckFilter() {
  filter_ = options_.filter_policy;
  std::string name = "filter_policy";
  if (filter_ == nullptr) {
    if (options_.filter.empty()) return Status::Ok();
    Result<std::unique_ptr<const FilterPolicy>> made =
        MakePolicy(options_.filter);
    if (!made.ok()) return made.status();
    filter_ = *std::move(made);
    name = "filter \"" + options_.filter + "\"";
  }
  if (options_.read_only) return Status::Ok();
  Status fits = options_.filter_policy == nullptr
                    ? CheckFitsTables(options_.filter)
                    : Status::Ok();
  if (fits.ok()) fits = TryPolicy(*filter_);
  if (fits.ok()) return fits;
  return Status(fits.code(), name + ": " + fits.message());
}

std::shared_ptr<Memtable> StoreImpl::NewMemtable() const {
  return std::make_shared<Memtable>(order_, options_.write_buffer_bytes,
                                    options_.filter_use == FilterUse::kOn);
}

Status StoreImpl::Open() {
  if (Status fine = CheckOptions(); !fine.ok()) return fine;
  if (options_.guard_mappings) GuardMappings();
  cache_ = NewBlockCache(options_.block_cache_bytes);
  table_context_.env = &env_;
  table_context_.dir = dir_;
  table_context_.map = options_.map_tables;
  table_context_.use_filters = options_.filter_use != FilterUse::kOff;
  table_context_.filter_damaged = &StoreImpl::FilterDamaged;
  table_context_.store = this;

  if (options_.read_only) {
    const Result<StoreDirectory> found = Look();
    return found.ok() ? RecoverOrCreate(*found) : found.status();
  }
  if (Status fine = CheckBeforeLocking(); !fine.ok()) return fine;
  const bool had_lock = env_.Exists(LockFileName(dir_));
  if (Status taken = TakeDirectory(); !taken.ok()) return taken;
  // Others may have changed it since we looked: now we hold the lock.
  const Result<StoreDirectory> found = Look();
  Status opened = found.ok() ? RecoverOrCreate(*found) : found.status();
  if (!opened.ok()) {
    // Who is refused leaves no LOCK that was not there, nor one without a
    // store, which was destroyed meanwhile.
    const bool is_gone = found.status().code() == StatusCode::kNotFound;
    if (!had_lock || is_gone) (void)env_.Remove(LockFileName(dir_));
    return opened;
  }
  info_log_->Open(env_, dir_);
  RemoveObsoleteFiles();
  if (Status saved = SaveSettings(!found->has_current); !saved.ok()) {
    return saved;
  }
  return StartThreads();
}

// Is there a store, and may there be one?
Result<StoreDirectory> StoreImpl::Look() {
  Result<StoreDirectory> found = LookAtDirectory(env_, dir_);
  if (!found.ok()) return found;
  if (found->has_current && options_.error_if_exists) {
    const Status ours = ReadManifestFor(env_, dir_, order_.user()).status();
    if (ours.code() == StatusCode::kNotSupported) return ours;
    return Status::AlreadyExists(dir_ + ": there is a store here already");
  }
  if (!found->has_current &&
      (!options_.create_if_missing || options_.read_only)) {
    return NoStoreHere(dir_);
  }
  return found;
}

// Taking the lock may create LOCK, and whoever has the database of another
// engine open in this process would lose their lock by it.
Status StoreImpl::CheckBeforeLocking() {
  const Result<StoreDirectory> found = Look();
  Status fine = found.status();
  is_new_directory_ = fine.ok() && !found->exists;
  if (fine.ok() && found->has_current) {
    fine = ReadManifestFor(env_, dir_, order_.user()).status();
    // Destroyed by another process since we looked.
    if (fine.code() == StatusCode::kNotFound) return Status::Ok();
  }
  // What looks damaged may be about to be changed by whoever has the lock.
  if (fine.code() == StatusCode::kCorruption &&
      env_.Exists(LockFileName(dir_))) {
    return Status::Ok();
  }
  return fine;
}

Status StoreImpl::TakeDirectory() {
  info_log_->Write("opening");
  constexpr int kMaxAttempts = 100;
  for (int i = 1;; ++i) {
    if (options_.create_if_missing) {
      if (Status made = env_.CreateDirectory(dir_); !made.ok()) return made;
    }
    Result<std::unique_ptr<FileLock>> lock = env_.Lock(LockFileName(dir_));
    if (lock.ok()) {
      lock_ = *std::move(lock);
      return Status::Ok();
    }
    // Somebody destroyed a store and its directory in between.
    const bool is_gone = lock.status().code() == StatusCode::kNotFound;
    if (!is_gone || !options_.create_if_missing || i == kMaxAttempts) {
      return lock.status();
    }
  }
}

Status StoreImpl::RecoverOrCreate(const StoreDirectory& found) {
  LoadSettings();
  if (Status chosen = ChooseSeeds(); !chosen.ok()) return chosen;
  table_context_.read = {.order = order_,
                         .cache = cache_.get(),
                         .filter = filter_.get(),
                         .unpack = UnpackLimitsOf(options_)};
  Status opened = found.has_current ? Recover() : CreateNew();
  if (!opened.ok()) return opened;
  visible_.store(last_sequence_, std::memory_order_release);
  if (options_.filter_loading == FilterLoading::kAtOpening ||
      options_.read_only) {
    return OpenTables();
  }
  return Status::Ok();
}

Status StoreImpl::CreateNew() {
  // So that the directory itself is durable.  Who made it before us may be a
  // user, in a place that we may not read.
  const Status synced = env_.SyncDirectory(ParentDirectory(dir_));
  if (!synced.ok() && is_new_directory_) {
    return Status(synced.code(), dir_ + ": its name cannot be made durable: " +
                                     synced.message());
  }
  auto view = std::make_shared<ReadView>();
  view->version = std::make_shared<const Version>(order_);
  const std::uint64_t log_number = NewFileNumber();
  Result<std::unique_ptr<WritableFile>> log =
      env_.Create(LogFileName(dir_, log_number), WriteKind::kLog);
  if (!log.ok()) return log.status();
  log_ = std::make_shared<WriteLog>(log_number, *std::move(log), LogHead());
  view->memtable = {NewMemtable(), log_number};
  Publish(std::move(view));

  log_number_ = log_number;
  const std::uint64_t manifest_number = NewFileNumber();
  ManifestState state = StateOf(*current_->version);
  state.next_file_number = next_file_number_.load();
  return manifest_.Start(manifest_number, FullEdit(state));
}

// So that tables removed later by others, or filters loaded late, do not
// matter.
Status StoreImpl::OpenTables() {
  for (const Level& level : current_->version->levels()) {
    for (std::size_t i = 0; i < level.size(); ++i) {
      const TableFile& file = *level.files()[i];
      if (options_.filter_loading != FilterLoading::kAtOpening) {
        Result<const Table*> table = file.Open();
        if (!table.ok()) return table.status();
        continue;
      }
      Result<const TableFilter*> filter = file.Filter();
      if (!filter.ok()) return filter.status();
      level.slot(i).Publish(**filter, table_context_.seeds);
    }
  }
  return Status::Ok();
}

StoreImpl::~StoreImpl() {
  if (flush_thread_.joinable()) {
    // A large memtable is written now: replaying its log would take longer.
    // Where that fails, so must it be.
    if (compact_thread_.joinable() &&
        CurrentView()->memtable.table->bytes() > kLittleBytes) {
      (void)NoThrow([this] { return Flush(); });
    }
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      stop_compactions_.store(true, std::memory_order_relaxed);
      work_.notify_all();
      change_.notify_all();
    }
    flush_thread_.join();
    if (compact_thread_.joinable()) compact_thread_.join();
    info_log_->Write("closed");
  }
  if (log_ != nullptr) (void)NoThrow([this] { return log_->Close(); });
  view_.store(nullptr, std::memory_order_seq_cst);
  retired_.reset();
  current_.reset();
}

}  // namespace tamis
