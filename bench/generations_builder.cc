// SPDX-License-Identifier: Apache-2.0
#include "bench/generations_builder.h"

#include <algorithm>
#include <utility>

#include "tamis/mutable_filter.h"

namespace tamis::bench {
namespace {

class GenerationsBuilder final : public FilterBuilder {
 public:
  GenerationsBuilder(Result<std::unique_ptr<RotatingFilter>> filter,
                     std::uint64_t keys_per_generation)
      : filter_(std::move(filter)),
        keys_per_generation_(keys_per_generation),
        room_(keys_per_generation) {
    if (!filter_.ok()) status_ = filter_.status();
  }

  void Add(Slice key) override {
    if (MakeRoom()) Keep(filter_->Insert(key), 1);
  }
  void AddMany(std::span<const Slice> keys) override {
    while (!keys.empty() && MakeRoom()) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(room_, keys.size()));
      Keep(filter_->InsertMany(keys.first(count)), count);
      keys = keys.subspan(count);
    }
  }
  Status Finish(std::string* dst) override {
    return status_.ok() ? filter_->Save(dst) : status_;
  }

 private:
  // False: something has failed.
  bool MakeRoom() {
    if (status_.ok() && room_ == 0) {
      Keep(filter_->Rotate(), 0);
      room_ = keys_per_generation_;
    }
    return status_.ok();
  }
  void Keep(Status status, std::uint64_t added) {
    if (!status.ok()) status_ = std::move(status);
    room_ -= added;
  }

  Result<std::unique_ptr<RotatingFilter>> filter_;
  std::uint64_t keys_per_generation_;
  std::uint64_t room_;  // in the newest generation
  Status status_;
};

}  // namespace

std::unique_ptr<FilterBuilder> NewGenerationsBuilder(
    const std::string& spec, std::uint64_t keys_per_generation) {
  return std::make_unique<GenerationsBuilder>(
      NewRotating(spec, keys_per_generation), keys_per_generation);
}

}  // namespace tamis::bench
