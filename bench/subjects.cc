#include "bench/subjects.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include "base/wide_math.h"
#include "hash/splitmix64.h"

namespace tamis::bench {
namespace {

class TamisSubject final : public Subject {
 public:
  TamisSubject(std::string spec, std::unique_ptr<const FilterPolicy> policy)
      : spec_(std::move(spec)), policy_(std::move(policy)) {}

  std::string name() const override { return spec_; }
  void Prepare(const KeySet& keys) override { keys_ = &keys; }

  Status Build() override {
    reader_.reset();
    std::string filter;
    const auto builder = policy_->NewBuilder(keys_->size());
    for (const Slice key : keys_->slices()) builder->Add(key);
    Status finished = builder->Finish(&filter);
    filter_ = std::move(filter);
    return finished;
  }
  Status Open() override {
    auto reader = policy_->Open(filter_);
    if (!reader.ok()) return reader.status();
    reader_ = *std::move(reader);
    return Status::Ok();
  }

  std::uint64_t CountMaybe(const KeySet& keys) const override {
    std::uint64_t count = 0;
    for (const Slice key : keys.slices()) {
      if (reader_->MayContain(key)) ++count;
    }
    return count;
  }
  bool has_batches() const override { return true; }
  std::uint64_t CountMaybeMany(const KeySet& keys) const override {
    std::array<bool, kBatchKeys> answers;
    std::uint64_t count = 0;
    std::span<const Slice> rest = keys.slices();
    while (!rest.empty()) {
      const std::size_t size = std::min(rest.size(), kBatchKeys);
      const std::span<bool> out(answers.data(), size);
      reader_->MayContainMany(rest.first(size), out);
      for (const bool answer : out) count += answer ? 1u : 0u;
      rest = rest.subspan(size);
    }
    return count;
  }

  std::uint64_t bytes() const override { return filter_.size(); }
  double ExpectedRate(std::uint64_t keys) const override {
    return policy_->Predict(keys).false_positive_rate;
  }

 private:
  std::string spec_;
  std::unique_ptr<const FilterPolicy> policy_;
  const KeySet* keys_ = nullptr;
  std::string filter_;
  std::unique_ptr<const FilterReader> reader_;  // looks into filter_
};

leveldb::Slice ToLevelDb(Slice bytes) { return {bytes.data(), bytes.size()}; }

class LevelDbSubject final : public Subject {
 public:
  explicit LevelDbSubject(int bits_per_key)
      : bits_per_key_(bits_per_key),
        policy_(leveldb::NewBloomFilterPolicy(bits_per_key)) {}

  std::string name() const override {
    return "LevelDB's own:" + std::to_string(bits_per_key_);
  }
  void Prepare(const KeySet& keys) override {
    keys_.clear();
    for (const Slice key : keys.slices()) keys_.push_back(ToLevelDb(key));
  }
  Status Build() override {
    std::string filter;
    policy_->CreateFilter(keys_.data(), static_cast<int>(keys_.size()),
                          &filter);
    filter_ = std::move(filter);
    return Status::Ok();
  }
  Status Open() override { return Status::Ok(); }

  std::uint64_t CountMaybe(const KeySet& keys) const override {
    const leveldb::Slice filter(filter_);
    std::uint64_t count = 0;
    for (const Slice key : keys.slices()) {
      if (policy_->KeyMayMatch(ToLevelDb(key), filter)) ++count;
    }
    return count;
  }
  bool has_batches() const override { return false; }
  std::uint64_t CountMaybeMany(const KeySet& /*keys*/) const override {
    return 0;
  }

  std::uint64_t bytes() const override { return filter_.size(); }
  // LevelDB makes no promise; ours for the same bytes is the formula's.
  double ExpectedRate(std::uint64_t keys) const override {
    const auto same = MakePolicy("leveldb:" + std::to_string(bits_per_key_));
    return same.ok() ? (*same)->Predict(keys).false_positive_rate : 0;
  }

 private:
  int bits_per_key_;
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::vector<leveldb::Slice> keys_;
  std::string filter_;
};

class FloorSubject final : public Subject {
 public:
  FloorSubject(Loads loads, unsigned bits_per_key)
      : loads_(loads), bits_per_key_(bits_per_key) {}

  std::string name() const override {
    return loads_ == Loads::kChained ? "one line, chained" : "one line";
  }
  void Prepare(const KeySet& keys) override {
    const std::uint64_t bytes = keys.size() * bits_per_key_ / 8;
    lines_ = std::max<std::uint64_t>(1, bytes / kLineBytes);
  }
  Status Build() override {
    memory_.assign(lines_ * kLineBytes, '\1');  // written, so it is all there
    return Status::Ok();
  }
  Status Open() override { return Status::Ok(); }

  std::uint64_t CountMaybe(const KeySet& keys) const override {
    return loads_ == Loads::kChained ? CountChained(keys.size())
                                     : CountIndependent(keys.size());
  }
  bool has_batches() const override { return false; }
  std::uint64_t CountMaybeMany(const KeySet& /*keys*/) const override {
    return 0;
  }

  bool is_filter() const override { return false; }
  std::uint64_t bytes() const override { return memory_.size(); }
  double ExpectedRate(std::uint64_t /*keys*/) const override { return 1; }

 private:
  static constexpr std::uint64_t kLineBytes = 64;

  // A line picked by `number`; holds a 1, which the compiler does not know.
  std::uint64_t LoadLine(std::uint64_t number) const {
    const std::uint64_t line = MultiplyHigh(SplitMix64(number), lines_);
    return static_cast<unsigned char>(memory_[line * kLineBytes]);
  }
  // Two loops: one with a choice inside would chain its loads either way.
  std::uint64_t CountIndependent(std::uint64_t queries) const {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < queries; ++i) count += LoadLine(i);
    return count;
  }
  std::uint64_t CountChained(std::uint64_t queries) const {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < queries; ++i) count += LoadLine(count);
    return count;
  }

  Loads loads_;
  unsigned bits_per_key_;
  std::uint64_t lines_ = 1;
  std::string memory_;
};

}  // namespace

Result<std::unique_ptr<Subject>> NewTamisSubject(const std::string& spec) {
  auto policy = MakePolicy(spec);
  if (!policy.ok()) return policy.status();
  return std::unique_ptr<Subject>(
      std::make_unique<TamisSubject>(spec, *std::move(policy)));
}

std::unique_ptr<Subject> NewLevelDbSubject(int bits_per_key) {
  return std::make_unique<LevelDbSubject>(bits_per_key);
}

std::unique_ptr<Subject> NewFloorSubject(Loads loads, unsigned bits_per_key) {
  return std::make_unique<FloorSubject>(loads, bits_per_key);
}

}  // namespace tamis::bench
