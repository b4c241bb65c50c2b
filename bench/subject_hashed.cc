// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bench/subject.h"
#include "tamis/key_hash.h"

namespace tamis::bench {
namespace {

class HashedSubject final : public Subject {
 public:
  HashedSubject(std::string name, const Subject* of)
      : name_(std::move(name)), of_(of) {}

  std::string name() const override { return name_; }
  bool Has(Metric metric) const override {
    return !IsInline(metric) && std::find(kQueries.begin(), kQueries.end(),
                                          metric) != kQueries.end();
  }

  void Prepare(const KeyChunk& chunk) override {
    values_.resize(chunk.keys().size());
    hashes_ = HashKeys(chunk.keys(), values_, reader_->hash_seed().value_or(0));
  }

  // The other subject builds.
  void Start(std::uint64_t /*keys*/, Metric /*how*/) override {}
  void Add(Metric /*how*/) override {}
  Status Finish() override { return Status::Ok(); }

  Status Load() override {
    auto reader = of_->policy()->Open(of_->loaded_bytes());
    if (!reader.ok()) return reader.status();
    reader_ = *std::move(reader);
    return Status::Ok();
  }

  void Ask(std::size_t keys_per_call, std::span<bool> out) override {
    if (keys_per_call == 1) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = reader_->MayContainHash({values_[i], hashes_.seed});
      }
      return;
    }
    for (std::size_t i = 0; i < out.size(); i += keys_per_call) {
      const std::size_t count = std::min(keys_per_call, out.size() - i);
      reader_->MayContainHashes(
          {hashes_.values.subspan(i, count), hashes_.seed},
          out.subspan(i, count));
    }
  }

  std::uint64_t bytes() const override { return of_->bytes(); }
  double ExpectedRate(std::uint64_t keys) const override {
    return of_->ExpectedRate(keys);
  }

 private:
  std::string name_;
  const Subject* of_;
  std::unique_ptr<const FilterReader> reader_;  // of the other's bytes
  std::vector<std::uint64_t> values_;
  KeyHashes hashes_;
};

}  // namespace

std::unique_ptr<Subject> NewHashedSubject(std::string_view name,
                                          const Subject* of) {
  return std::make_unique<HashedSubject>(std::string(name), of);
}

}  // namespace tamis::bench
