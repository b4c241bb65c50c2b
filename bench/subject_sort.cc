// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/subject.h"

namespace tamis::bench {
namespace {

class SortSubject final : public Subject {
 public:
  std::string name() const override { return std::string(kSortName); }
  bool Has(Metric metric) const override { return metric == kBuildMany; }
  bool is_filter() const override { return false; }

  // The first eight bytes of a key look as random as any hash of it.
  void Prepare(const KeyChunk& chunk) override {
    for (const Slice key : chunk.keys()) {
      std::uint64_t number = 0;
      std::memcpy(&number, key.data(), sizeof(number));
      numbers_.push_back(number);
    }
  }

  void Start(std::uint64_t keys, Metric /*how*/) override {
    numbers_.reserve(keys);
  }
  void Add(Metric /*how*/) override {}
  Status Finish() override {
    std::sort(numbers_.begin(), numbers_.end());
    return Status::Ok();
  }
  Status Load() override {
    std::vector<std::uint64_t>().swap(numbers_);
    return Status::Ok();
  }

  void Ask(std::size_t /*keys_per_call*/, std::span<bool> /*out*/) override {}
  std::uint64_t bytes() const override { return 0; }
  double ExpectedRate(std::uint64_t /*keys*/) const override { return 0; }

 private:
  std::vector<std::uint64_t> numbers_;
};

}  // namespace

std::unique_ptr<Subject> NewSortSubject() {
  return std::make_unique<SortSubject>();
}

}  // namespace tamis::bench
