// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include "bench/subject.h"

namespace tamis::bench {
namespace {

leveldb::Slice ToLevelDb(Slice bytes) { return {bytes.data(), bytes.size()}; }

// LevelDB takes all keys in one call, so they are gathered first, untimed.
class LevelDbSubject final : public Subject {
 public:
  explicit LevelDbSubject(int bits_per_key)
      : bits_per_key_(bits_per_key),
        policy_(leveldb::NewBloomFilterPolicy(bits_per_key)) {}

  std::string name() const override { return std::string(kLevelDbName); }
  bool Has(Metric metric) const override {
    return metric == kBuildMany || metric == kMissOne || metric == kHitOne;
  }
  void Prepare(const KeyChunk& chunk) override {
    if (gathering_) {
      Gather(chunk);
    } else {
      asked_.clear();
      for (const Slice key : chunk.keys()) asked_.push_back(ToLevelDb(key));
    }
  }

  void Start(std::uint64_t keys, Metric /*how*/) override {
    gathering_ = true;
    planned_ = keys;
  }
  void Add(Metric /*how*/) override {}
  Status Finish() override {
    std::string filter;
    policy_->CreateFilter(keys_.data(), static_cast<int>(keys_.size()),
                          &filter);
    filter_ = std::move(filter);
    return Status::Ok();
  }
  Status Load() override {
    gathering_ = false;
    std::vector<leveldb::Slice>().swap(keys_);
    std::string().swap(bytes_);
    return Status::Ok();
  }

  void Ask(std::size_t /*keys_per_call*/, std::span<bool> out) override {
    const leveldb::Slice filter(filter_);
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      out[i] = policy_->KeyMayMatch(asked_[i], filter);
    }
  }

  std::uint64_t bytes() const override { return filter_.size(); }
  double ExpectedRate(std::uint64_t keys) const override {
    return RateOfPolicy("leveldb:" + std::to_string(bits_per_key_), keys);
  }

 private:
  void Gather(const KeyChunk& chunk) {
    if (chunk.keys().empty()) return;
    const std::size_t key_bytes = chunk.keys().front().size();
    if (bytes_.empty()) {  // the first of them
      bytes_.reserve(planned_ * key_bytes);
      keys_.clear();
      keys_.reserve(planned_);
    }
    for (const Slice key : chunk.keys()) {
      keys_.emplace_back(bytes_.data() + bytes_.size(), key_bytes);
      bytes_ += key;  // never beyond what was reserved: nothing moves
    }
  }

  int bits_per_key_;
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  bool gathering_ = false;
  std::uint64_t planned_ = 0;
  std::string bytes_;
  std::vector<leveldb::Slice> keys_;  // look into bytes_
  std::vector<leveldb::Slice> asked_;
  std::string filter_;
};

}  // namespace

std::unique_ptr<Subject> NewLevelDbSubject(int bits_per_key) {
  return std::make_unique<LevelDbSubject>(bits_per_key);
}

}  // namespace tamis::bench
