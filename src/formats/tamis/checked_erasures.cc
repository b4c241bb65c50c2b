// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/no_throw.h"
#include "hash/xxhash.h"
#include "sort/hash_counts.h"
#include "tamis/mutable_filter.h"

namespace tamis {
namespace {

class CheckedErasures final : public ErasableFilter {
 public:
  explicit CheckedErasures(std::unique_ptr<ErasableFilter> filter)
      : filter_(std::move(filter)) {}

  Status Insert(Slice key) override {
    const std::uint64_t hash = Xxh3(key, kSeed);
    if (!keys_.Add(hash)) return OutOfMemory();
    Status inserted = filter_->Insert(key);
    if (!inserted.ok()) keys_.Take(hash);
    return inserted;
  }
  Status Erase(Slice key) override {
    const std::uint64_t hash = Xxh3(key, kSeed);
    if (keys_.CountOf(hash) == 0) {
      return NoThrow([] {
        return Status::NotFound(
            "the key to erase was not inserted, or was erased as often");
      });
    }
    Status erased = filter_->Erase(key);
    if (erased.ok()) keys_.Take(hash);
    return erased;
  }

  bool MayContain(Slice key) const noexcept override {
    return filter_->MayContain(key);
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    filter_->MayContainMany(keys, out);
  }
  bool MayContainRange(Slice lo, Slice hi) const noexcept override {
    return filter_->MayContainRange(lo, hi);
  }
  bool SkipForward(Slice from, std::string* to) const override {
    return filter_->SkipForward(from, to);
  }
  bool SkipBackward(Slice from, std::string* to) const override {
    return filter_->SkipBackward(from, to);
  }
  FilterInfo Describe() const override { return filter_->Describe(); }
  Status Save(std::string* dst) const override { return filter_->Save(dst); }
  Status SavePiece(std::uint64_t offset, std::span<char> piece,
                   std::size_t* length, std::uint64_t* total) const override {
    return filter_->SavePiece(offset, piece, length, total);
  }
  std::uint64_t Count(Slice key) const noexcept override {
    return filter_->Count(key);
  }

 private:
  // Differs from the seeds of filters: keys that collide in a filter should be
  // distinct here.
  static constexpr std::uint64_t kSeed = 0x636865636b6564;

  std::unique_ptr<ErasableFilter> filter_;
  HashCounts keys_;
};

}  // namespace

std::unique_ptr<ErasableFilter> CheckErasures(
    std::unique_ptr<ErasableFilter> filter) {
  return std::make_unique<CheckedErasures>(std::move(filter));
}

}  // namespace tamis
