// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/huge_pages.h"
#include "bench/subject.h"
#include "filters/bloom/line_filter.h"
#include "hash/splitmix64.h"

namespace tamis::bench {
namespace {

class FloorSubject final : public Subject {
 public:
  FloorSubject(Loads loads, unsigned bits_per_key)
      : loads_(loads), bits_per_key_(bits_per_key) {}

  std::string name() const override {
    if (loads_ == Loads::kChained) return std::string(kChainedFloorName);
    return std::string(bits_per_key_ == kFloorBits ? kFloorName
                                                   : kSmallFloorName);
  }
  // Overlapping loads are what batches can reach, chained ones what queries
  // cost that wait for each other.
  bool Has(Metric metric) const override {
    return metric == (loads_ == Loads::kChained ? kMissOne : kMiss256);
  }
  bool is_filter() const override { return false; }

  void Prepare(const KeyChunk& chunk) override {
    places_.clear();
    // The loads go where a cache-local filter's go.
    const LineFilter lines{.count = lines_};
    for (const std::uint64_t number : chunk.numbers()) {
      // Mixed as a filter's hash would: the order of numbers is lost.
      const std::uint64_t mixed = SplitMix64(SplitMix64(number));
      places_.push_back(lines.OffsetOf(mixed));
    }
  }

  void Start(std::uint64_t keys, Metric /*how*/) override {
    lines_ = std::max<std::uint64_t>(1, keys * bits_per_key_ / 8 / kLineBytes);
  }
  void Add(Metric /*how*/) override {}
  Status Finish() override { return Status::Ok(); }
  Status Load() override {
    bytes_ = lines_ * kLineBytes;
    memory_ = NewMemory(bytes_);
    if (memory_ == nullptr) {
      return Status::ResourceExhausted("no memory for the floor");
    }
    std::memset(memory_.get(), 1, bytes_);  // now it is all there
    return Status::Ok();
  }

  void Ask(std::size_t /*keys_per_call*/, std::span<bool> /*out*/) override {
    sum_ = loads_ == Loads::kChained ? SumChained() : SumIndependent();
  }

  std::uint64_t bytes() const override { return bytes_; }
  double ExpectedRate(std::uint64_t /*keys*/) const override { return 0; }

 private:
  std::uint64_t SumIndependent() const {
    const unsigned char* memory = memory_.get();
    std::uint64_t sum = 0;
    for (const std::uint64_t place : places_) sum += memory[place];
    return sum;
  }
  // Every byte is 1, which the compiler does not know.
  std::uint64_t SumChained() const {
    const unsigned char* memory = memory_.get();
    std::uint64_t loaded = 1;
    for (const std::uint64_t place : places_) {
      loaded = memory[place + loaded - 1];
    }
    return loaded;
  }

  Loads loads_;
  unsigned bits_per_key_;
  std::uint64_t lines_ = 1;
  std::uint64_t bytes_ = 0;
  MemoryBlock<unsigned char> memory_;
  std::vector<std::uint64_t> places_;
  volatile std::uint64_t sum_ = 0;  // so that the loads are not removed
};

}  // namespace

std::unique_ptr<Subject> NewFloorSubject(Loads loads, unsigned bits_per_key) {
  return std::make_unique<FloorSubject>(loads, bits_per_key);
}

}  // namespace tamis::bench
