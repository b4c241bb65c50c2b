// SPDX-License-Identifier: Apache-2.0
// The public interface: every method forwards to StoreImpl.

#include "tamis/store.h"

#include <utility>

#include "base/no_throw.h"
#include "store/batch_access.h"
#include "store/out_of_memory.h"
#include "store/store_impl.h"
#include "table/table_builder.h"

namespace tamis {
namespace {

// How often a read-only opening is retried while another process writes.
constexpr int kMaxTries = 50;

Status CheckBatch(const WriteBatch& batch) {
  constexpr std::size_t kMaxBatch = std::size_t{0xffffffff};
  if (batch.bytes() > kMaxBatch) {
    return Status::InvalidArgument(
        "a batch of 4 GiB or more cannot be written");
  }
  if (batch.bytes() <= kMaxUserKeyBytes) return Status::Ok();
  Status fits;
  Status whole = ForEachChange(
      batch.contents(), [&](ValueType /*type*/, Slice key, Slice value) {
        if (!fits.ok()) return;
        fits = CheckEntrySizes(key.size(), value.size());
      });
  return fits.ok() ? whole : fits;
}

Status NotTheOwner() {
  return Status::InvalidArgument(
      "the store belongs to the process that opened it, of which this one is "
      "a forked child: open the store after forking");
}

// A snapshot for which there was no memory has no sequence.
bool HasNoMoment(const ReadOptions& options) noexcept {
  return options.snapshot != nullptr && IsOutOfMemory(options.snapshot);
}

}  // namespace

Store::Store(std::unique_ptr<StoreImpl> impl) : impl_(std::move(impl)) {}

Store::~Store() {
  // Closing would join threads that a forked child does not have, and truncate
  // and remove its parent's files.  The memory is freed with the process.
  if (!impl_->IsOwned()) static_cast<void>(impl_.release());
}

Result<std::unique_ptr<Store>> Store::Open(const std::string& dir,
                                           const StoreOptions& options) {
  return NoThrow([&]() -> Result<std::unique_ptr<Store>> {
    if (options.comparator == nullptr) {
      return Status::InvalidArgument("a store needs a comparator");
    }
    for (int tries = 1;; ++tries) {
      auto impl = std::make_unique<StoreImpl>(dir, options);
      const Status opened = impl->Open();
      // A mismatch of options does not go away by retrying.
      const bool is_final = opened.code() == StatusCode::kInvalidArgument ||
                            opened.code() == StatusCode::kNotSupported;
      if (!is_final && impl->ChangedWhileOpening(opened)) {
        if (tries < kMaxTries) continue;
        if (!opened.ok()) return opened;
        return Status::IoError(dir +
                               ": another process is changing the store " +
                               "faster than it can be opened for reading");
      }
      if (!opened.ok()) return opened;
      return std::unique_ptr<Store>(new Store(std::move(impl)));
    }
  });
}

Status Store::Put(const WriteOptions& options, Slice key, Slice value) {
  return NoThrow([&] {
    if (!impl_->IsOwned()) return NotTheOwner();
    Status fits = CheckEntrySizes(key.size(), value.size());
    if (!fits.ok()) return fits;
    // Reused, so that a thread that writes much does not allocate each time.
    thread_local WriteBatch batch;
    batch.Clear();
    batch.Put(key, value);
    Status written = impl_->Write(options, &batch);
    constexpr std::size_t kMaxKept = std::size_t{1} << 20;
    if (batch.bytes() > kMaxKept) batch = WriteBatch();
    return written;
  });
}

Status Store::Delete(const WriteOptions& options, Slice key) {
  return NoThrow([&] {
    if (!impl_->IsOwned()) return NotTheOwner();
    if (Status fits = CheckEntrySizes(key.size(), 0); !fits.ok()) return fits;
    WriteBatch batch;
    batch.Delete(key);
    return impl_->Write(options, &batch);
  });
}

Status Store::Write(const WriteOptions& options, const WriteBatch& batch) {
  return NoThrow([&] {
    if (!impl_->IsOwned()) return NotTheOwner();
    if (Status fits = CheckBatch(batch); !fits.ok()) return fits;
    WriteBatch copy = batch;
    if (copy.contents().empty()) copy.Clear();  // moved from
    return impl_->Write(options, &copy);
  });
}

Result<std::string> Store::Get(Slice key) { return Get(ReadOptions(), key); }

Result<std::string> Store::Get(const ReadOptions& options, Slice key) {
  std::string value;
  Status got = Get(options, key, &value);
  if (!got.ok()) return got;
  return value;
}

Status Store::Get(const ReadOptions& options, Slice key, std::string* value) {
  return NoThrow([&] {
    if (HasNoMoment(options)) return OutOfMemory();
    return impl_->Get(options, key, value);
  });
}

void Store::MultiGet(const ReadOptions& options, std::span<const Slice> keys,
                     std::span<std::string> values,
                     std::span<Status> statuses) {
  const Status got = NoThrow([&] {
    if (HasNoMoment(options)) return OutOfMemory();
    impl_->MultiGet(options, keys, values, statuses);
    return Status::Ok();
  });
  if (got.ok()) return;
  for (Status& status : statuses) status = OutOfMemory();
}

std::unique_ptr<Iterator> Store::NewIterator(const ReadOptions& options) {
  std::unique_ptr<Iterator> made;
  (void)NoThrow([&] {
    if (!HasNoMoment(options)) made = impl_->NewIterator(options);
    return Status::Ok();
  });
  return made != nullptr ? std::move(made) : OutOfMemoryIterator();
}

std::unique_ptr<const Snapshot> Store::GetSnapshot() {
  std::unique_ptr<const Snapshot> made;
  (void)NoThrow([&] {
    made = impl_->GetSnapshot();
    return Status::Ok();
  });
  return made != nullptr ? std::move(made) : OutOfMemorySnapshot();
}

Status Store::Flush() {
  return NoThrow(
      [&] { return impl_->IsOwned() ? impl_->Flush() : NotTheOwner(); });
}

Status Store::Compact(const KeyRange& range) {
  return NoThrow([&] { return CompactWith({.range = range}).status(); });
}

Result<CompactReport> Store::CompactWith(const CompactOptions& options) {
  return NoThrow([&]() -> Result<CompactReport> {
    if (!impl_->IsOwned()) return NotTheOwner();
    return impl_->Compact(options);
  });
}

Status Store::WaitForQuiet() {
  return NoThrow(
      [&] { return impl_->IsOwned() ? impl_->WaitForQuiet() : NotTheOwner(); });
}

Status Store::SetFilterMemory(std::optional<std::uint64_t> bytes) {
  return NoThrow([&] {
    return impl_->IsOwned() ? impl_->SetFilterMemory(bytes) : NotTheOwner();
  });
}

StoreStats Store::Stats() const {
  StoreStats stats;
  const Status told = NoThrow([&] {
    stats = impl_->Stats();
    return Status::Ok();
  });
  if (!told.ok()) {
    stats = {};
    stats.background_error = "out of memory";  // short: takes none
  }
  return stats;
}

std::vector<std::uint64_t> Store::ApproximateSizes(
    std::span<const KeyRange> ranges) const {
  std::vector<std::uint64_t> sizes;
  (void)NoThrow([&] {
    sizes = impl_->ApproximateSizes(ranges);
    return Status::Ok();
  });
  return sizes;
}

Result<std::string> Store::Property(std::string_view name) const {
  return NoThrow([&] { return impl_->Property(name); });
}

Explanation Store::Explain(const ReadOptions& options, Slice key) {
  Explanation told;
  told.status = NoThrow([&] {
    if (HasNoMoment(options)) return OutOfMemory();
    told = impl_->Explain(options, key);
    return std::move(told.status);
  });
  return told;
}

}  // namespace tamis
