// SPDX-License-Identifier: Apache-2.0
#include "policy.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <leveldb/slice.h>

#include "convert.h"
#include "formats/leveldb/bloom.h"
#include "tamis/leveldb_adapter.h"

namespace tamis::dropin {
namespace {

constexpr std::string_view kBuiltInName = "leveldb.BuiltinBloomFilter2";

class BuiltInBloom final : public leveldb::FilterPolicy {
 public:
  explicit BuiltInBloom(int bits)
      : bits_(bits),
        adapter_(NewLevelDbBloomPolicy(
            {.bits_per_key = static_cast<double>(std::max(bits, 1))})) {}

  int bits_per_key() const noexcept { return bits_; }
  const char* Name() const override { return kBuiltInName.data(); }
  void CreateFilter(const leveldb::Slice* keys, int n,
                    std::string* dst) const override {
    std::vector<Slice> ours;
    ours.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) ours.push_back(Ours(keys[i]));
    adapter_.CreateFilter(ours, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key,
                   const leveldb::Slice& filter) const override {
    return adapter_.KeyMayMatch(Ours(key), Ours(filter));
  }

 private:
  const int bits_;
  const LevelDbAdapter adapter_;
};

// Collects the keys of one filter.
class CollectingBuilder final : public FilterBuilder {
 public:
  explicit CollectingBuilder(const leveldb::FilterPolicy& theirs)
      : theirs_(theirs) {}

  void Add(Slice key) override {
    bytes_.append(key);
    ends_.push_back(bytes_.size());
  }
  Status Finish(std::string* dst) override {
    std::vector<leveldb::Slice> keys;
    keys.reserve(ends_.size());
    std::size_t start = 0;
    for (const std::size_t end : ends_) {
      keys.emplace_back(bytes_.data() + start, end - start);
      start = end;
    }
    theirs_.CreateFilter(keys.data(), static_cast<int>(keys.size()), dst);
    return Status::Ok();
  }

 private:
  const leveldb::FilterPolicy& theirs_;
  std::string bytes_;  // of the keys, one after the other
  std::vector<std::size_t> ends_;
};

class RelayingReader final : public FilterReader {
 public:
  RelayingReader(const leveldb::FilterPolicy& theirs, Slice filter)
      : theirs_(theirs), filter_(filter) {}

  bool MayContain(Slice key) const noexcept override {
    return theirs_.KeyMayMatch(Theirs(key), Theirs(filter_));
  }
  FilterInfo Describe() const override {
    FilterInfo info;
    info.format = theirs_.Name();
    info.kind = "unknown";
    return info;
  }

 private:
  const leveldb::FilterPolicy& theirs_;
  const Slice filter_;
};

// Its name, size and rate are the program's affair.
class PolicyAdapter final : public FilterPolicy {
 public:
  explicit PolicyAdapter(const leveldb::FilterPolicy& theirs)
      : theirs_(theirs) {}

  std::string_view name() const noexcept override { return theirs_.Name(); }
  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& /*options*/) const override {
    return std::make_unique<CollectingBuilder>(theirs_);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return std::unique_ptr<const FilterReader>(
        std::make_unique<RelayingReader>(theirs_, bytes));
  }
  Estimate Predict(std::uint64_t /*keys*/) const noexcept override {
    return {};
  }
  double RateAt(std::uint64_t /*planned_keys*/,
                std::uint64_t /*keys*/) const noexcept override {
    return 1.0;
  }

 private:
  const leveldb::FilterPolicy& theirs_;
};

}  // namespace

std::optional<int> BuiltInBits(const leveldb::FilterPolicy* policy) noexcept {
  const auto* const built_in = dynamic_cast<const BuiltInBloom*>(policy);
  if (built_in == nullptr) return std::nullopt;
  return built_in->bits_per_key();
}

std::shared_ptr<const FilterPolicy> AdaptPolicy(
    const leveldb::FilterPolicy& theirs) {
  return std::make_shared<PolicyAdapter>(theirs);
}

}  // namespace tamis::dropin

namespace leveldb {

const FilterPolicy* NewBloomFilterPolicy(int bits_per_key) {
  return new tamis::dropin::BuiltInBloom(bits_per_key);
}

}  // namespace leveldb
