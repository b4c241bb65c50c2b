// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "bench/generations_builder.h"
#include "bench/subject.h"
#include "tamis/filter_memory.h"
#include "tamis/key_hash.h"
#include "tamis/line_query.h"
#include "tamis/mutable_filter.h"

namespace tamis::bench {
namespace {

// Returns true for kinds that use BuildOptions::threads.
bool TakesThreads(std::string_view spec) {
  return spec.starts_with("ribbon") || spec.starts_with("fuse");
}

// Returns true for the kinds with which BuildOptions::exact_keys is measured:
// those that mark one line or block per key.  Other Bloom filters use it, too.
bool MeasuresExactKeys(std::string_view spec) {
  return spec.starts_with("bloom") || spec.starts_with("splitblock") ||
         spec.starts_with("rocksdb:") || spec.starts_with("parquet");
}

class TamisSubject final : public Subject {
 public:
  TamisSubject(std::string spec, std::unique_ptr<const FilterPolicy> policy)
      : spec_(std::move(spec)),
        policy_(std::move(policy)),
        concurrent_(policy_->NewConcurrent(1).ok()),
        erasable_(NewErasable(spec_, 1).ok()),
        threaded_(TakesThreads(spec_)) {
    if (const auto rotating = NewRotating(spec_, 1); rotating.ok()) {
      generations_ = rotating->generations();
    }
  }

  std::string name() const override { return spec_; }
  bool Has(Metric metric) const override {
    switch (metric) {
      case kBuildTwo:
        return concurrent_ || threaded_;
      case kErase:
        return erasable_;
      case kBuildWall:
      case kFinishWall:
      case kFinishTwo:
        return threaded_;
      case kBuildKnown:
        return MeasuresExactKeys(spec_);
      case kInsertMany:
        return generations_ == 0 && policy_->NewMutable(1).ok();
      case kInsertWall:
        return concurrent_;
      case kMissInline:
      case kHitInline:
      case kMissPrefetched:
      case kHitPrefetched:
        return spec_.starts_with("bloom");
      default:
        return true;
    }
  }
  bool slow() const override { return IsSlow(spec_); }
  bool builds_with_threads() const override { return threaded_; }
  void Prepare(const KeyChunk& chunk) override { keys_ = chunk.keys(); }
  void PrepareInline(const KeyChunk& chunk) override {
    keys_ = chunk.keys();
    hashes_.resize(keys_.size());
    HashKeys(keys_, hashes_, line_->hash_seed());
  }

  void Start(std::uint64_t keys, Metric how) override {
    if (generations_ > 0) {
      builder_ = NewGenerationsBuilder(spec_, KeysPerGeneration(keys));
      return;
    }
    const bool known = how == kBuildKnown;
    builder_ = policy_->NewBuilder(
        {.memory_bytes = 0,
         .temporary_folder = {},
         .threads = how == kBuildTwo ? kTwoThreads : 1,
         .progress = {},
         .repeats = known ? RepeatedKeys::kNeighbours : RepeatedKeys::kAsFormat,
         .exact_keys = known ? keys : 0});
  }
  void Add(Metric how) override {
    if (how == kBuildOne) {
      for (const Slice key : keys_) builder_->Add(key);
    } else {
      builder_->AddMany(keys_);
    }
  }
  Status Finish() override {
    std::string filter;
    Status finished = builder_->Finish(&filter);
    builder_.reset();
    built_.push_back(std::move(filter));
    return finished;
  }
  Status Load() override {
    for (const std::string& other : built_) {
      if (other == built_.front()) continue;
      return Status::Corruption(
          spec_ + ": the same keys, added in another way or by two threads, " +
          "made different filters");
    }
    reader_.reset();
    line_.reset();
    auto loaded = FilterMemory::Copy(built_.front());
    if (!loaded.ok()) return loaded.status();
    loaded_.emplace(*std::move(loaded));
    built_.clear();
    auto reader = policy_->Open(loaded_->bytes());
    if (!reader.ok()) return reader.status();
    reader_ = *std::move(reader);
    line_ = LineQuery::Open(loaded_->bytes());
    return Status::Ok();
  }

  void Ask(std::size_t keys_per_call, std::span<bool> out) override {
    if (keys_per_call == 1) {
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        out[i] = reader_->MayContain(keys_[i]);
      }
      return;
    }
    for (std::size_t i = 0; i < keys_.size(); i += keys_per_call) {
      const std::size_t count = std::min(keys_per_call, keys_.size() - i);
      reader_->MayContainMany(keys_.subspan(i, count), out.subspan(i, count));
    }
  }

  Status AskInline(Metric metric, std::span<bool> out) override {
    if (IsPrefetched(metric)) {
      AskPrefetched(out);
      return Status::Ok();
    }
    const LineQuery line = *line_;
    const std::uint64_t seed = line.hash_seed();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = line.MayContain({hashes_[i], seed});
    }
    return Status::Ok();
  }

  std::uint64_t bytes() const override { return loaded_->bytes().size(); }
  double ExpectedRate(std::uint64_t keys) const override {
    const std::uint64_t planned =
        generations_ > 0 ? KeysPerGeneration(keys) : keys;
    return policy_->Predict(planned).false_positive_rate;
  }
  const FilterPolicy* policy() const override { return policy_.get(); }
  Slice loaded_bytes() const override { return loaded_->bytes(); }

 private:
  static constexpr unsigned kTwoThreads = 2;

  void AskPrefetched(std::span<bool> out) const {
    const LineQuery line = *line_;
    const std::uint64_t seed = line.hash_seed();
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t later = std::min(i + kAhead, out.size() - 1);
      __builtin_prefetch(line.LineOf({hashes_[later], seed}));
      out[i] = line.MayContain({hashes_[i], seed});
    }
  }
  std::uint64_t KeysPerGeneration(std::uint64_t keys) const {
    return (keys + generations_ - 1) / generations_;
  }

  std::string spec_;
  std::unique_ptr<const FilterPolicy> policy_;
  bool concurrent_;
  bool erasable_;
  bool threaded_;
  unsigned generations_ = 0;  // 0: keys do not expire
  std::span<const Slice> keys_;
  std::unique_ptr<FilterBuilder> builder_;
  std::vector<std::string> built_;  // of the same keys in several ways
  std::optional<FilterMemory> loaded_;
  std::unique_ptr<const FilterReader> reader_;  // looks into loaded_
  std::optional<LineQuery> line_;               // likewise
  std::vector<std::uint64_t> hashes_;           // of keys_, if there is line_
};

}  // namespace

bool IsSlow(std::string_view spec) {
  constexpr std::array<std::string_view, 4> kSlow = {"classic", "cassandra",
                                                     "lab", "md5"};
  const std::string_view name = spec.substr(0, spec.find(':'));
  return std::find(kSlow.begin(), kSlow.end(), name) != kSlow.end();
}

Result<std::unique_ptr<Subject>> NewTamisSubject(const std::string& spec) {
  auto policy = MakePolicy(spec);
  if (!policy.ok()) return policy.status();
  return std::unique_ptr<Subject>(
      std::make_unique<TamisSubject>(spec, *std::move(policy)));
}

double RateOfPolicy(const std::string& spec, std::uint64_t keys) {
  const auto policy = MakePolicy(spec);
  return policy.ok() ? policy->Predict(keys).false_positive_rate : 0;
}

}  // namespace tamis::bench
