// SPDX-License-Identifier: Apache-2.0
#include "formats/leveldb/filter_block.h"

#include <algorithm>
#include <cassert>
#include <new>

#include "base/append_zeros.h"
#include "base/coding.h"
#include "formats/leveldb/bloom.h"

namespace tamis {
namespace {

constexpr std::size_t kTailBytes = 5;          // offset of the offsets, base_lg
constexpr std::size_t kFewestFilterBytes = 2;  // a bit array and k
// The offsets alone then take 4 GiB: no table has that many.
constexpr std::uint64_t kMaxFilters = std::uint64_t{1} << 30;

}  // namespace

LevelDbFilterBlockBuilder::LevelDbFilterBlockBuilder(const FilterPolicy& policy)
    : policy_(policy) {}

Status LevelDbFilterBlockBuilder::StartBlock(std::uint64_t block_offset) {
  const std::uint64_t index = block_offset >> kLevelDbFilterBaseLog;
  if (index > kMaxFilters) {
    return Status::InvalidArgument(
        "leveldb: a filter block serves tables of up to 2 TiB");
  }
  while (starts_.size() < index) {
    if (Status emitted = EmitFilter(); !emitted.ok()) return emitted;
  }
  return Status::Ok();
}

void LevelDbFilterBlockBuilder::AddKey(Slice key) {
  if (pending_ == nullptr) pending_ = policy_.NewBuilder();
  pending_->Add(key);
}

Status LevelDbFilterBlockBuilder::EmitFilter() {
  if (filters_.size() > UINT32_MAX) {
    return Status::ResourceExhausted(
        "leveldb: a filter block cannot be larger than 4 GiB");
  }
  try {
    starts_.push_back(static_cast<std::uint32_t>(filters_.size()));
  } catch (const std::bad_alloc&) {
    return Status::ResourceExhausted("no memory for a filter block");
  }
  if (pending_ == nullptr) return Status::Ok();
  Status finished = pending_->Finish(&filters_);
  if (finished.ok()) {
    pending_.reset();
  } else {
    starts_.pop_back();
  }
  return finished;
}

Status LevelDbFilterBlockBuilder::Finish(std::string* dst) {
  if (pending_ != nullptr) {
    if (Status emitted = EmitFilter(); !emitted.ok()) return emitted;
  }
  if (filters_.size() > UINT32_MAX) {
    return Status::ResourceExhausted(
        "leveldb: a filter block cannot be larger than 4 GiB");
  }
  const std::size_t start = dst->size();
  const std::size_t offset_bytes = starts_.size() * sizeof(std::uint32_t);
  Status room = AppendZeros(dst, filters_.size() + offset_bytes + kTailBytes);
  if (!room.ok()) return room;

  char* p = dst->data() + start;
  p += filters_.copy(p, filters_.size());
  for (std::uint32_t filter_start : starts_) {
    StoreLittle(p, filter_start);
    p += sizeof(filter_start);
  }
  StoreLittle(p, static_cast<std::uint32_t>(filters_.size()));
  p[4] = static_cast<char>(kLevelDbFilterBaseLog);
  return Status::Ok();
}

LevelDbFilterBlockReader::LevelDbFilterBlockReader(
    Slice block, const FilterPolicy* policy) noexcept
    : block_(block), policy_(policy) {
  if (block.size() < kTailBytes) {
    damage_ = "shorter than its tail of 5 bytes";
    return;
  }
  const char* tail = block.data() + block.size() - kTailBytes;
  offsets_at_ = LoadLittle32(tail);
  base_lg_ = static_cast<unsigned char>(tail[4]);
  if (offsets_at_ > block.size() - kTailBytes) {
    damage_ = "its offsets are outside it";
    return;
  }
  filter_count_ = (block.size() - kTailBytes - offsets_at_) / 4;
  damage_ = FindDamage();
}

std::string_view LevelDbFilterBlockReader::FindDamage() const noexcept {
  if (base_lg_ >= 64) return "its filters' range is not below 2^64";
  const std::size_t offset_bytes = block_.size() - kTailBytes - offsets_at_;
  if (offset_bytes % 4 != 0) return "its offsets are not whole";
  const char* offsets = block_.data() + offsets_at_;
  std::uint64_t previous = 0;
  for (std::size_t i = 0; i <= filter_count_; ++i) {
    const std::uint64_t offset = LoadLittle32(offsets + 4 * i);
    if (i == 0 && offset != 0) return "its filters do not start at its start";
    // The last offset is the end of the filters, so none is beyond it.
    if (offset < previous) return "its offsets do not ascend";
    const std::uint64_t size = offset - previous;
    if (policy_ == nullptr && size != 0 && size < kFewestFilterBytes) {
      return "one of its filters is cut off";
    }
    previous = offset;
  }
  return {};
}

Slice LevelDbFilterBlockReader::filter(std::size_t i) const noexcept {
  assert(damage_.empty() && i < filter_count_);
  // The word after the last offset is the end of the filters.
  const char* offset = block_.data() + offsets_at_ + 4 * i;
  const std::size_t start = LoadLittle32(offset);
  const std::size_t end = LoadLittle32(offset + 4);
  return block_.substr(start, end - start);
}

bool LevelDbFilterBlockReader::MayContain(std::uint64_t block_offset,
                                          Slice key) const noexcept {
  if (!damage_.empty()) return true;
  const std::uint64_t index = block_offset >> base_lg_;
  if (index >= filter_count_) return true;
  const Slice bytes = filter(static_cast<std::size_t>(index));
  if (policy_ != nullptr) return PolicyMayContain(bytes, key);
  // An empty filter means that no data block starts there.
  return !bytes.empty() && LevelDbBloomMayContain(bytes, key);
}

void LevelDbFilterBlockReader::MayContainMany(
    std::uint64_t block_offset, std::span<const Slice> keys,
    std::span<bool> out) const noexcept {
  assert(keys.size() == out.size());
  std::fill(out.begin(), out.end(), true);
  if (!damage_.empty()) return;
  const std::uint64_t index = block_offset >> base_lg_;
  if (index >= filter_count_) return;
  const Slice bytes = filter(static_cast<std::size_t>(index));
  if (policy_ != nullptr) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      out[i] = PolicyMayContain(bytes, keys[i]);
    }
  } else if (bytes.empty()) {
    std::fill(out.begin(), out.end(), false);
  } else {
    LevelDbBloomMayContainMany(bytes, keys, out);
  }
}

// A custom policy may have written nothing for the keys of a block.
bool LevelDbFilterBlockReader::PolicyMayContain(Slice filter,
                                                Slice key) const noexcept {
  if (filter.empty()) return true;
  try {
    const auto reader = policy_->Open(filter);
    return !reader.ok() || (*reader)->MayContain(key);
  } catch (...) {
    return true;  // there was no memory to open it
  }
}

}  // namespace tamis
