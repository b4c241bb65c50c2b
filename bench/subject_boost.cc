// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/boost_filters.h"
#include "bench/subject.h"
#include "hash/splitmix64.h"

namespace tamis::bench {
namespace {

struct BoostRow {
  std::string_view name;
  BoostKind kind;
  std::uint64_t bits_per_key;
};
constexpr BoostRow kBoostRows[] = {
    {kBoostMultiblock10Name, BoostKind::kMultiblock, 10},
    {kBoostMultiblock12Name, BoostKind::kMultiblock, 12},
    {kBoostFast10Name, BoostKind::kFast, 10},
    {kBoostFast12Name, BoostKind::kFast, 12},
};

// Keys are hashed before the clock starts.
class BoostSubject final : public Subject {
 public:
  explicit BoostSubject(const BoostRow& row) : row_(row) {}

  std::string name() const override { return std::string(row_.name); }
  bool Has(Metric metric) const override {
    switch (metric) {
      case kBuildOne:
      case kMissOne:
      case kHitOne:
        return true;
      case kBuildMany:
      case kMiss256:
      case kHit256:
      case kMiss32:
      case kHit32:
        return BoostTakesMany();
      default:
        return false;
    }
  }

  void Prepare(const KeyChunk& chunk) override {
    hashes_.clear();
    for (const std::uint64_t number : chunk.numbers()) {
      hashes_.push_back(SplitMix64(SplitMix64(number)));
    }
  }

  void Start(std::uint64_t keys, Metric /*how*/) override {
    filter_.reset();
    filter_ = NewBoostFilter(row_.kind, keys * row_.bits_per_key);
  }
  void Add(Metric how) override {
    if (how == kBuildOne) {
      filter_->InsertEach(hashes_);
    } else {
      filter_->InsertMany(hashes_);
    }
  }
  Status Finish() override { return Status::Ok(); }
  Status Load() override { return Status::Ok(); }

  void Ask(std::size_t keys_per_call, std::span<bool> out) override {
    const std::span<const std::uint64_t> hashes = hashes_;
    if (keys_per_call == 1) {
      filter_->AskEach(hashes, out);
      return;
    }
    for (std::size_t i = 0; i < hashes.size(); i += keys_per_call) {
      const std::size_t count = std::min(keys_per_call, hashes.size() - i);
      filter_->AskMany(hashes.subspan(i, count), out.subspan(i, count));
    }
  }

  std::uint64_t bytes() const override { return filter_->bytes(); }
  double ExpectedRate(std::uint64_t /*keys*/) const override { return 0; }

 private:
  BoostRow row_;
  std::vector<std::uint64_t> hashes_;
  std::unique_ptr<BoostFilter> filter_;
};

}  // namespace

Result<Subjects> NewBoostSubjects() {
  switch (BoostHere()) {
    case BoostPresence::kNoHeaders:
      return Status::NotSupported(
          "this program was built without its headers, which Boost has since "
          "1.89 (-DTAMIS_BENCH_BOOST=PATH)");
    case BoostPresence::kOtherCpu:
      return Status::NotSupported("it was compiled for CPUs with AVX2");
    case BoostPresence::kYes:
      break;
  }
  Subjects subjects;
  for (const BoostRow& row : kBoostRows) {
    subjects.push_back(std::make_unique<BoostSubject>(row));
  }
  return subjects;
}

}  // namespace tamis::bench
