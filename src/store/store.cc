// The public door: every method is one of StoreImpl.

#include "tamis/store.h"

#include <utility>

#include "store/batch_access.h"
#include "store/store_impl.h"
#include "table/table_builder.h"

namespace tamis {
namespace {

// Opening for reading is tried so often while somebody else writes.
constexpr int kMostTries = 50;

// What no table can hold must not come into the log: it could never be
// flushed.
Status CheckSizes(Slice key, Slice value) {
  if (key.size() <= kMostUserKeyBytes && value.size() <= kMostValueBytes) {
    return Status::Ok();
  }
  return Status::InvalidArgument(
      "a key of more than 1 GiB, or a value of more than 2 GiB, cannot be "
      "stored");
}

Status CheckBatch(const WriteBatch& batch) {
  constexpr std::size_t kMostBatch = std::size_t{0xffffffff};
  if (batch.bytes() > kMostBatch) {
    return Status::InvalidArgument(
        "a batch of 4 GiB or more cannot be written");
  }
  if (batch.bytes() <= kMostUserKeyBytes) return Status::Ok();
  Status fits;
  Status whole = ForEachChange(batch.contents(),
                               [&](ValueType /*type*/, Slice key, Slice value) {
                                 if (fits.ok()) fits = CheckSizes(key, value);
                               });
  return fits.ok() ? whole : fits;
}

}  // namespace

Store::Store(std::unique_ptr<StoreImpl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::Open(const std::string& dir,
                                           const StoreOptions& options) {
  if (options.comparator == nullptr) {
    return Status::InvalidArgument("a store needs a comparator");
  }
  for (int tries = 1;; ++tries) {
    auto impl = std::make_unique<StoreImpl>(dir, options);
    const Status opened = impl->Open();
    if (impl->ChangedWhileOpening()) {
      if (tries < kMostTries) continue;
      return Status::IoError(dir + ": another process changes the store " +
                             "faster than it can be opened for reading");
    }
    if (!opened.ok()) return opened;
    return std::unique_ptr<Store>(new Store(std::move(impl)));
  }
}

Status Store::Put(const WriteOptions& options, Slice key, Slice value) {
  if (Status fits = CheckSizes(key, value); !fits.ok()) return fits;
  // Kept, so that a thread which writes much does not allocate each time.
  thread_local WriteBatch batch;
  batch.Clear();
  batch.Put(key, value);
  Status written = impl_->Write(options, &batch);
  constexpr std::size_t kMostKept = std::size_t{1} << 20;
  if (batch.bytes() > kMostKept) batch = WriteBatch();
  return written;
}

Status Store::Delete(const WriteOptions& options, Slice key) {
  if (Status fits = CheckSizes(key, {}); !fits.ok()) return fits;
  WriteBatch batch;
  batch.Delete(key);
  return impl_->Write(options, &batch);
}

Status Store::Write(const WriteOptions& options, const WriteBatch& batch) {
  if (Status fits = CheckBatch(batch); !fits.ok()) return fits;
  WriteBatch copy = batch;
  return impl_->Write(options, &copy);
}

Status Store::Get(const ReadOptions& options, Slice key, std::string* value) {
  return impl_->Get(options, key, value);
}

void Store::MultiGet(const ReadOptions& options, std::span<const Slice> keys,
                     std::span<std::string> values,
                     std::span<Status> statuses) {
  impl_->MultiGet(options, keys, values, statuses);
}

std::unique_ptr<Iterator> Store::NewIterator(const ReadOptions& options) {
  return impl_->NewIterator(options);
}

std::unique_ptr<const Snapshot> Store::GetSnapshot() {
  return impl_->GetSnapshot();
}

Status Store::Flush() { return impl_->Flush(); }

Status Store::Compact(const KeyRange& range) {
  return impl_->Compact({.range = range}).status();
}

Result<CompactReport> Store::CompactWith(const CompactOptions& options) {
  return impl_->Compact(options);
}

Status Store::WaitForQuiet() { return impl_->WaitForQuiet(); }

StoreStats Store::Stats() const { return impl_->Stats(); }

std::vector<std::uint64_t> Store::ApproximateSizes(
    std::span<const KeyRange> ranges) const {
  return impl_->ApproximateSizes(ranges);
}

Result<std::string> Store::Property(std::string_view name) const {
  return impl_->Property(name);
}

Explanation Store::Explain(const ReadOptions& options, Slice key) {
  return impl_->Explain(options, key);
}

}  // namespace tamis
