// SPDX-License-Identifier: Apache-2.0
// leveldb::DB over a Store.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include "batch.h"
#include "convert.h"
#include "manage.h"
#include "options.h"
#include "tamis/store.h"

namespace tamis::dropin {
namespace {

class SnapshotHolder final : public leveldb::Snapshot {
 public:
  explicit SnapshotHolder(std::unique_ptr<const tamis::Snapshot> ours)
      : ours_(std::move(ours)) {}
  ~SnapshotHolder() override = default;
  const tamis::Snapshot* ours() const noexcept { return ours_.get(); }

 private:
  const std::unique_ptr<const tamis::Snapshot> ours_;
};

ReadOptions Ours(const leveldb::ReadOptions& theirs) noexcept {
  ReadOptions options;
  options.verify_checksums = theirs.verify_checksums;
  options.fill_cache = theirs.fill_cache;
  if (theirs.snapshot != nullptr) {
    options.snapshot =
        static_cast<const SnapshotHolder*>(theirs.snapshot)->ours();
  }
  return options;
}

class StoreIterator final : public leveldb::Iterator {
 public:
  explicit StoreIterator(std::unique_ptr<tamis::Iterator> ours)
      : ours_(std::move(ours)) {}

  bool Valid() const override { return ours_->Valid(); }
  void SeekToFirst() override { ours_->SeekToFirst(); }
  void SeekToLast() override { ours_->SeekToLast(); }
  void Seek(const leveldb::Slice& target) override {
    ours_->Seek(dropin::Ours(target));
  }
  void Next() override { ours_->Next(); }
  void Prev() override { ours_->Prev(); }
  leveldb::Slice key() const override { return Theirs(ours_->key()); }
  leveldb::Slice value() const override { return Theirs(ours_->value()); }
  leveldb::Status status() const override { return Theirs(ours_->status()); }

 private:
  const std::unique_ptr<tamis::Iterator> ours_;
};

class Database final : public leveldb::DB {
 public:
  explicit Database(const leveldb::Options& options) : options_(options) {}

  leveldb::Status Open(const std::string& name);

  leveldb::Status Put(const leveldb::WriteOptions& options,
                      const leveldb::Slice& key,
                      const leveldb::Slice& value) override {
    return Theirs(store_->Put(dropin::Ours(options), dropin::Ours(key),
                              dropin::Ours(value)));
  }
  leveldb::Status Delete(const leveldb::WriteOptions& options,
                         const leveldb::Slice& key) override {
    return Theirs(store_->Delete(dropin::Ours(options), dropin::Ours(key)));
  }
  leveldb::Status Write(const leveldb::WriteOptions& options,
                        leveldb::WriteBatch* updates) override;
  leveldb::Status Get(const leveldb::ReadOptions& options,
                      const leveldb::Slice& key, std::string* value) override {
    const Status found = store_->Get(Ours(options), dropin::Ours(key), value);
    if (found.code() == StatusCode::kNotFound) {
      return leveldb::Status::NotFound(leveldb::Slice());
    }
    return Theirs(found);
  }
  leveldb::Iterator* NewIterator(const leveldb::ReadOptions& options) override {
    return new StoreIterator(store_->NewIterator(Ours(options)));
  }
  const leveldb::Snapshot* GetSnapshot() override {
    return new SnapshotHolder(store_->GetSnapshot());
  }
  void ReleaseSnapshot(const leveldb::Snapshot* snapshot) override {
    delete static_cast<const SnapshotHolder*>(snapshot);
  }
  bool GetProperty(const leveldb::Slice& property, std::string* value) override;
  void GetApproximateSizes(const leveldb::Range* range, int n,
                           uint64_t* sizes) override;
  void CompactRange(const leveldb::Slice* begin,
                    const leveldb::Slice* end) override;

 private:
  std::optional<std::string> FirstAfter(Slice key);

  const AdaptedOptions options_;
  std::unique_ptr<Store> store_;
};

leveldb::Status Database::Open(const std::string& name) {
  auto opened = Store::Open(name, options_.store());
  if (!opened.ok()) return OpenError(name, options_, opened.status());
  store_ = *std::move(opened);
  return leveldb::Status();
}

leveldb::Status Database::Write(const leveldb::WriteOptions& options,
                                leveldb::WriteBatch* updates) {
  if (updates == nullptr) return Theirs(store_->Flush());
  const auto batch =
      WriteBatch::FromContents(leveldb::WriteBatchInternal::Contents(*updates));
  if (!batch.ok()) return Theirs(batch.status());
  return Theirs(store_->Write(dropin::Ours(options), *batch));
}

bool Database::GetProperty(const leveldb::Slice& property, std::string* value) {
  value->clear();
  if (!property.starts_with("leveldb.") && !property.starts_with("tamis.")) {
    return false;
  }
  Result<std::string> text = store_->Property(dropin::Ours(property));
  if (!text.ok()) return false;
  *value = *std::move(text);
  return true;
}

void Database::GetApproximateSizes(const leveldb::Range* range, int n,
                                   uint64_t* sizes) {
  std::vector<KeyRange> ranges;
  for (int i = 0; i < n; ++i) {
    ranges.push_back(KeyRange::Between(dropin::Ours(range[i].start),
                                       dropin::Ours(range[i].limit)));
  }
  std::vector<std::uint64_t> found = store_->ApproximateSizes(ranges);
  found.resize(ranges.size());
  std::copy(found.begin(), found.end(), sizes);
}

// Nothing: there is no such key.  Finds it with any comparator.
std::optional<std::string> Database::FirstAfter(Slice key) {
  const std::unique_ptr<Iterator> entries = store_->NewIterator();
  entries->Seek(key);
  while (entries->Valid() &&
         options_.comparator().Compare(entries->key(), key) == 0) {
    entries->Next();
  }
  if (!entries->Valid()) return std::nullopt;
  return std::string(entries->key());
}

// Their end is in the range, ours is not.
void Database::CompactRange(const leveldb::Slice* begin,
                            const leveldb::Slice* end) {
  KeyRange range;
  std::optional<std::string> after;
  if (begin != nullptr) range.start = dropin::Ours(*begin);
  if (end != nullptr) {
    after = FirstAfter(dropin::Ours(*end));
    if (after) range.end = Slice(*after);
  }
  (void)store_->Compact(range);  // a failure is in the log
}

}  // namespace
}  // namespace tamis::dropin

namespace leveldb {

Status DB::Open(const Options& options, const std::string& name, DB** dbptr) {
  *dbptr = nullptr;
  auto database = std::make_unique<tamis::dropin::Database>(options);
  Status opened = database->Open(name);
  if (opened.ok()) *dbptr = database.release();
  return opened;
}

}  // namespace leveldb
