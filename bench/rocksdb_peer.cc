// SPDX-License-Identifier: Apache-2.0
// RocksDB returns its builders and readers of filters, but its public headers
// do not declare them.  Their declarations below are those of version 7.8.3,
// the one that Debian 12 has; any other is not used.

#include "bench/rocksdb_peer.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#if defined(TAMIS_BENCH_ROCKSDB)  // set by the build where the headers fit

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include "tamis/filter_memory.h"

namespace ROCKSDB_NAMESPACE {

// The order of the methods is what matters.  No destructor is defined here:
// so no table of methods is made here that could take the place of RocksDB's.
class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder();
  virtual void AddKey(const Slice& key) = 0;
  virtual std::size_t EstimateEntriesAdded() = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* buffer) = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* buffer,
                       Status* status) = 0;
  virtual Status MaybePostVerify(const Slice& filter) = 0;
  virtual std::size_t ApproximateNumEntries(std::size_t bytes) = 0;
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader();
  virtual bool MayMatch(const Slice& key) = 0;
  virtual void MayMatch(int count, Slice** keys, bool* out) = 0;
};

}  // namespace ROCKSDB_NAMESPACE

namespace tamis::bench {
namespace {

constexpr std::size_t kMaxPerCall = 32;  // its arrays hold no more

// The byte before the last four tells the kinds apart.
constexpr std::size_t kTrailerBytes = 5;
constexpr char kBloomMark = -1;
constexpr char kRibbonMark = -2;

// What a subject needs to answer, wherever the filter is in memory.
class RocksDbAsker {
 public:
  void Open(const rocksdb::FilterPolicy& policy, rocksdb::Slice filter) {
    reader_.reset(policy.GetFilterBitsReader(filter));
  }
  void Prepare(const KeyChunk& chunk) {
    keys_.clear();
    places_.clear();
    for (const Slice key : chunk.keys()) {
      keys_.emplace_back(key.data(), key.size());
    }
    for (rocksdb::Slice& key : keys_) places_.push_back(&key);
  }
  void Ask(std::size_t keys_per_call, std::span<bool> out) {
    if (keys_per_call == 1) {
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        out[i] = reader_->MayMatch(keys_[i]);
      }
      return;
    }
    for (std::size_t i = 0; i < keys_.size(); i += kMaxPerCall) {
      const std::size_t count = std::min(kMaxPerCall, keys_.size() - i);
      reader_->MayMatch(static_cast<int>(count), &places_[i], &out[i]);
    }
  }
  const std::vector<rocksdb::Slice>& keys() const { return keys_; }

 private:
  std::unique_ptr<rocksdb::FilterBitsReader> reader_;
  std::vector<rocksdb::Slice> keys_;
  std::vector<rocksdb::Slice*> places_;
};

bool AsksLikeRocksDb(Metric metric) {
  return metric == kMissOne || metric == kHitOne || metric == kMiss32 ||
         metric == kHit32;
}

struct RocksDbKind {
  std::string name;
  std::string same_as;  // the policy of ours that writes the same bytes
  char mark = kBloomMark;
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
};

// Built by RocksDB, and queried where RocksDB put it.
class RocksDbSubject final : public Subject {
 public:
  explicit RocksDbSubject(RocksDbKind kind) : kind_(std::move(kind)) {}

  std::string name() const override { return kind_.name; }
  bool Has(Metric metric) const override {
    return metric == kBuildOne || AsksLikeRocksDb(metric);
  }
  void Prepare(const KeyChunk& chunk) override { asker_.Prepare(chunk); }

  void Start(std::uint64_t /*keys*/, Metric /*how*/) override {
    rocksdb::BlockBasedTableOptions options;
    options.format_version = 5;  // the Bloom filter in its current form
    const rocksdb::FilterBuildingContext context(options);
    builder_.reset(kind_.policy->GetBuilderWithContext(context));
  }
  void Add(Metric /*how*/) override {
    for (const rocksdb::Slice& key : asker_.keys()) builder_->AddKey(key);
  }
  Status Finish() override {
    rocksdb::Status status;
    std::unique_ptr<const char[]> buffer;
    filter_ = builder_->Finish(&buffer, &status);
    before_ = std::move(buffer_);  // freed by Load(), which is not timed
    buffer_ = std::move(buffer);
    builder_.reset();
    if (status.ok()) return Status::Ok();
    return Status::ResourceExhausted(kind_.name + ": " + status.ToString());
  }
  Status Load() override {
    if (filter_.size() < kTrailerBytes ||
        filter_[filter_.size() - kTrailerBytes] != kind_.mark) {
      return Status::Corruption(kind_.name + ": built another kind of filter");
    }
    asker_.Open(*kind_.policy, filter_);
    before_.reset();
    return Status::Ok();
  }
  void Ask(std::size_t keys_per_call, std::span<bool> out) override {
    asker_.Ask(keys_per_call, out);
  }

  std::uint64_t bytes() const override { return filter_.size(); }
  double ExpectedRate(std::uint64_t keys) const override {
    return RateOfPolicy(kind_.same_as, keys);
  }
  rocksdb::Slice filter() const { return filter_; }
  const RocksDbKind& kind() const { return kind_; }

 private:
  RocksDbKind kind_;
  RocksDbAsker asker_;
  std::unique_ptr<rocksdb::FilterBitsBuilder> builder_;
  std::unique_ptr<const char[]> before_;
  std::unique_ptr<const char[]> buffer_;
  rocksdb::Slice filter_;  // in buffer_
};

// The filter of another subject, moved into memory like that of ours: the
// remaining difference to ours is not due to memory.
class MovedRocksDbSubject final : public Subject {
 public:
  // REQUIRES: `from` outlives this, and is loaded before
  explicit MovedRocksDbSubject(const RocksDbSubject& from) : from_(from) {}

  std::string name() const override { return std::string(kRocksDbAlignedName); }
  bool Has(Metric metric) const override { return AsksLikeRocksDb(metric); }
  void Prepare(const KeyChunk& chunk) override { asker_.Prepare(chunk); }
  void Start(std::uint64_t /*keys*/, Metric /*how*/) override {}
  void Add(Metric /*how*/) override {}
  Status Finish() override { return Status::Ok(); }
  Status Load() override {
    const rocksdb::Slice filter = from_.filter();
    auto loaded = FilterMemory::Copy({filter.data(), filter.size()});
    if (!loaded.ok()) return loaded.status();
    loaded_.emplace(*std::move(loaded));
    asker_.Open(*from_.kind().policy, {loaded_->bytes().data(), filter.size()});
    return Status::Ok();
  }
  void Ask(std::size_t keys_per_call, std::span<bool> out) override {
    asker_.Ask(keys_per_call, out);
  }
  std::uint64_t bytes() const override { return loaded_->bytes().size(); }
  double ExpectedRate(std::uint64_t keys) const override {
    return from_.ExpectedRate(keys);
  }

 private:
  const RocksDbSubject& from_;
  std::optional<FilterMemory> loaded_;
  RocksDbAsker asker_;
};

}  // namespace

Result<Subjects> NewRocksDbSubjects(int bits_per_key) {
  // The headers were looked at by the build; this is what is loaded now.
  if (const std::string version = rocksdb::GetRocksVersionAsString(true);
      version != "7.8.3") {
    return Status::NotSupported(
        "its library here is version " + version +
        ", but only the insides of 7.8.3 are known to this benchmark");
  }
  const std::string bits = std::to_string(bits_per_key);
  auto bloom = std::make_unique<RocksDbSubject>(
      RocksDbKind{.name = std::string(kRocksDbBloomName),
                  .same_as = "rocksdb:" + bits,
                  .mark = kBloomMark,
                  .policy = std::shared_ptr<const rocksdb::FilterPolicy>(
                      rocksdb::NewBloomFilterPolicy(bits_per_key))});
  auto moved = std::make_unique<MovedRocksDbSubject>(*bloom);
  auto ribbon = std::make_unique<RocksDbSubject>(
      RocksDbKind{.name = std::string(kRocksDbRibbonName),
                  .same_as = "rocksdb-ribbon:" + bits,
                  .mark = kRibbonMark,
                  .policy = std::shared_ptr<const rocksdb::FilterPolicy>(
                      rocksdb::NewRibbonFilterPolicy(bits_per_key))});
  Subjects subjects;
  subjects.push_back(std::move(bloom));
  subjects.push_back(std::move(moved));
  subjects.push_back(std::move(ribbon));
  return subjects;
}

}  // namespace tamis::bench

#else

namespace tamis::bench {

Result<Subjects> NewRocksDbSubjects(int /*bits_per_key*/) {
  return Status::NotSupported(
      "this program was built without it: its headers were not installed, or "
      "not of version 7.8.3");
}

}  // namespace tamis::bench

#endif
