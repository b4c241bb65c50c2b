// SPDX-License-Identifier: Apache-2.0
#include "subjects.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "formats/leveldb/filter_block.h"
#include "tamis/filter.h"

namespace tamis::demo {
namespace {

// The demonstration's settings are fixed: an error here is ours.
void MustBeOk(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "demo: %s\n", status.ToString().c_str());
  std::exit(2);
}

std::unique_ptr<const FilterPolicy> MustMakePolicy(std::string_view spec) {
  Result<std::unique_ptr<const FilterPolicy>> policy = MakePolicy(spec);
  MustBeOk(policy.status());
  return *std::move(policy);
}

class OneFilter final : public Subject {
 public:
  OneFilter(std::string name, std::string_view spec)
      : name_(std::move(name)),
        policy_(MustMakePolicy(spec)),
        builder_(policy_->NewBuilder()) {}

  std::string_view name() const override { return name_; }
  void Add(std::string_view key) override {
    builder_->Add(key);
    ++keys_;
  }
  void Finish() override {
    MustBeOk(builder_->Finish(&bytes_));
    Result<std::unique_ptr<const FilterReader>> reader = policy_->Open(bytes_);
    MustBeOk(reader.status());
    reader_ = *std::move(reader);
    builder_.reset();
  }
  bool MayContain(std::string_view key) const override {
    return reader_->MayContain(key);
  }
  Cost cost() const override {
    const Estimate estimate = policy_->Predict(keys_);
    return {bytes_.size(), estimate.probes, estimate.false_positive_rate};
  }

 private:
  std::string name_;
  std::unique_ptr<const FilterPolicy> policy_;
  std::unique_ptr<FilterBuilder> builder_;
  std::string bytes_;
  std::unique_ptr<const FilterReader> reader_;
  std::uint64_t keys_ = 0;
};

// A table's filter block, as if each data block of 4 KiB held 40 entries.
// Keys come in order, so a key's data block follows from its place; for an
// absent key it is the one where the index would look: here, any.
class FilterBlock final : public Subject {
 public:
  std::string_view name() const override { return "leveldb filter block"; }

  void Add(std::string_view key) override {
    if (keys_ % kEntries == 0) MustBeOk(builder_.StartBlock(OffsetOf(keys_)));
    builder_.AddKey(key);
    ++keys_;
  }
  void Finish() override {
    MustBeOk(builder_.StartBlock(OffsetOf(keys_ + kEntries - 1)));
    MustBeOk(builder_.Finish(&bytes_));
    reader_ = std::make_unique<LevelDbFilterBlockReader>(bytes_);
  }
  bool MayContain(std::string_view key) const override {
    return reader_->MayContain(OffsetOf(PlaceOf(key)), key);
  }
  Cost cost() const override {
    const Estimate estimate = policy_->Predict(kEntries);
    return {bytes_.size(), estimate.probes, estimate.false_positive_rate};
  }

 private:
  static constexpr std::uint64_t kEntries = 40;
  static constexpr std::uint64_t kBlockBytes = 4096;

  static std::uint64_t OffsetOf(std::uint64_t place) {
    return place / kEntries * kBlockBytes;
  }
  // The demonstration's keys end in their number.
  std::uint64_t PlaceOf(std::string_view key) const {
    const std::size_t colon = key.find(':');
    if (colon == std::string_view::npos) return 0;
    const std::string digits(key.substr(colon + 1));
    return std::strtoull(digits.c_str(), nullptr, 10) % keys_;
  }

  std::unique_ptr<const FilterPolicy> policy_ = MustMakePolicy("leveldb:10");
  LevelDbFilterBlockBuilder builder_{*policy_};
  std::string bytes_;
  std::unique_ptr<LevelDbFilterBlockReader> reader_;
  std::uint64_t keys_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<Subject>> AllSubjects() {
  std::vector<std::unique_ptr<Subject>> all;
  const auto add = [&all](const char* name, const char* spec) {
    all.push_back(std::make_unique<OneFilter>(name, spec));
  };
  add("tamis, the default", "bloom:10");
  add("tamis, split-block", "splitblock:10");
  add("tamis, classic Bloom", "classic:10");
  add("leveldb, one filter", "leveldb:10");
  all.push_back(std::make_unique<FilterBlock>());
  add("rocksdb Bloom, 5.. on", "rocksdb:10");
  add("rocksdb Bloom, to 4", "rocksdb-legacy:10");
  add("rocksdb Ribbon", "rocksdb-ribbon:10");
  add("cassandra 4.0 - 5.0", "cassandra:oa,10");
  add("cassandra 3.x", "cassandra:me,10");
  add("cassandra 1.2 - 2.2", "cassandra:ka,10");
  add("cassandra 0.7 - 1.1", "cassandra:hf,10");
  add("parquet, split-block", "parquet:10");
  add("lab (FNV, SplitMix)", "lab:10");
  add("md5", "md5:10");
  return all;
}

}  // namespace tamis::demo
