// The public door: every method is one of StoreImpl.

#include "tamis/store.h"

#include <utility>

#include "store/store_impl.h"

namespace tamis {
namespace {

// The lengths of keys and values are stored in 32 bits.
constexpr std::size_t kMostBytes = 0xffffffff - 16;

Status CheckSizes(Slice key, Slice value) {
  if (key.size() <= kMostBytes && value.size() <= kMostBytes) {
    return Status::Ok();
  }
  return Status::InvalidArgument(
      "a key or a value of 4 GiB or more cannot be stored");
}

}  // namespace

Store::Store(std::unique_ptr<StoreImpl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::Open(const std::string& dir,
                                           const StoreOptions& options) {
  if (options.comparator == nullptr) {
    return Status::InvalidArgument("a store needs a comparator");
  }
  auto impl = std::make_unique<StoreImpl>(dir, options);
  if (Status opened = impl->Open(); !opened.ok()) return opened;
  return std::unique_ptr<Store>(new Store(std::move(impl)));
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
  constexpr std::size_t kMostBatch = std::size_t{0xffffffff};
  if (batch.bytes() > kMostBatch) {
    return Status::InvalidArgument(
        "a batch of 4 GiB or more cannot be written");
  }
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

Status Store::Compact(const KeyRange& range) { return impl_->Compact(range); }

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
