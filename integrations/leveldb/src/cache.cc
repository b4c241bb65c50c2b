// SPDX-License-Identifier: Apache-2.0
#include "cache.h"

#include <array>
#include <atomic>
#include <string>
#include <utility>

#include "base/coding.h"
#include "convert.h"

namespace tamis::dropin {
namespace {

using HeldBlock = std::shared_ptr<const std::string>;

void DeleteBlock(const leveldb::Slice& /*key*/, void* value) {
  delete static_cast<HeldBlock*>(value);
}

// The key of a block: the number of its table, then its offset.
class BlockKey {
 public:
  BlockKey(std::uint64_t table, std::uint64_t offset) {
    StoreLittle(bytes_.data(), table);
    StoreLittle(bytes_.data() + sizeof(table), offset);
  }
  leveldb::Slice slice() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::array<char, 16> bytes_;
};

// A block that leaves the cache lives for as long as it is used.
class CacheAdapter final : public BlockCache {
 public:
  explicit CacheAdapter(leveldb::Cache* theirs) : theirs_(theirs) {}

  std::uint64_t bytes() const noexcept override {
    return theirs_->TotalCharge();
  }
  std::uint64_t hits() const noexcept override {
    return hits_.load(std::memory_order_relaxed);
  }
  std::uint64_t misses() const noexcept override {
    return misses_.load(std::memory_order_relaxed);
  }

  std::uint64_t NewTableId() noexcept override { return theirs_->NewId(); }

  HeldBlock Find(std::uint64_t table, std::uint64_t offset) noexcept override {
    leveldb::Cache::Handle* const handle =
        theirs_->Lookup(BlockKey(table, offset).slice());
    if (handle == nullptr) {
      misses_.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    hits_.fetch_add(1, std::memory_order_relaxed);
    HeldBlock block = *static_cast<HeldBlock*>(theirs_->Value(handle));
    theirs_->Release(handle);
    return block;
  }

  void Insert(std::uint64_t table, std::uint64_t offset,
              HeldBlock block) override {
    const std::size_t charge = block->size();
    auto held = std::make_unique<HeldBlock>(std::move(block));
    theirs_->Release(theirs_->Insert(BlockKey(table, offset).slice(),
                                     held.release(), charge, DeleteBlock));
  }

  // As in LevelDB, blocks of a table that is gone leave as others come: their
  // number is never used again.
  void Forget(std::uint64_t /*table*/) noexcept override {}

 private:
  leveldb::Cache* const theirs_;
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> misses_{0};
};

}  // namespace

std::shared_ptr<BlockCache> AdaptCache(leveldb::Cache* theirs) {
  return std::make_shared<CacheAdapter>(theirs);
}

}  // namespace tamis::dropin
