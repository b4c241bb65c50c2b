#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "bench/subject.h"
#include "tamis/filter_memory.h"

namespace tamis::bench {
namespace {

class TamisSubject final : public Subject {
 public:
  TamisSubject(std::string spec, std::unique_ptr<const FilterPolicy> policy)
      : spec_(std::move(spec)),
        policy_(std::move(policy)),
        concurrent_(policy_->NewConcurrent(1).ok()) {}

  std::string name() const override { return spec_; }
  bool Has(Metric metric) const override {
    return metric != kBuildTwo || concurrent_;
  }
  bool slow() const override { return IsSlow(spec_); }
  void Prepare(const KeyChunk& chunk) override { keys_ = chunk.keys(); }

  void Start(std::uint64_t keys, Metric /*how*/) override {
    builder_ = policy_->NewBuilder(keys);
  }
  void Add(Metric how) override {
    if (how == kBuildMany) {
      builder_->AddMany(keys_);
    } else {
      for (const Slice key : keys_) builder_->Add(key);
    }
  }
  Status Finish() override {
    std::string filter;
    Status finished = builder_->Finish(&filter);
    builder_.reset();
    before_ = std::move(built_);
    built_ = std::move(filter);
    return finished;
  }
  Status Load() override {
    if (!before_.empty() && before_ != built_) {
      return Status::Corruption(
          spec_ + ": Add and AddMany of the same keys made different filters");
    }
    reader_.reset();
    auto loaded = FilterMemory::Copy(built_);
    if (!loaded.ok()) return loaded.status();
    loaded_.emplace(*std::move(loaded));
    std::string().swap(before_);
    std::string().swap(built_);
    auto reader = policy_->Open(loaded_->bytes());
    if (!reader.ok()) return reader.status();
    reader_ = *std::move(reader);
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

  std::uint64_t bytes() const override { return loaded_->bytes().size(); }
  double ExpectedRate(std::uint64_t keys) const override {
    return policy_->Predict(keys).false_positive_rate;
  }
  const FilterPolicy* policy() const override { return policy_.get(); }

 private:
  std::string spec_;
  std::unique_ptr<const FilterPolicy> policy_;
  bool concurrent_;
  std::span<const Slice> keys_;
  std::unique_ptr<FilterBuilder> builder_;
  std::string before_;  // made of the same keys in another way, or empty
  std::string built_;
  std::optional<FilterMemory> loaded_;
  std::unique_ptr<const FilterReader> reader_;  // looks into loaded_
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
  return policy.ok() ? (*policy)->Predict(keys).false_positive_rate : 0;
}

}  // namespace tamis::bench
