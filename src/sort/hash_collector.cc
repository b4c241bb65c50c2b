// SPDX-License-Identifier: Apache-2.0
#include "sort/hash_collector.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "sort/hash_sort.h"

namespace tamis {
namespace {

constexpr std::size_t kFirstFew = 128;      // hashes
constexpr std::size_t kPrefetchAhead = 15;  // hashes
// A part gets this much memory at a time: enough to be cheap, and little
// compared with a part of a large set.
constexpr std::size_t kMaxBytesAtOnce = std::size_t{1} << 16;
// If a part has more than so many times its share of the file, it probably
// contains many repeats.
constexpr std::uint64_t kSuspectShares = 4;
constexpr std::size_t kMinPartBytes = std::size_t{1} << 16;

constexpr std::size_t RoundUp(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

HashCollector::HashCollector(std::uint64_t memory_bytes,
                             std::string temporary_folder)
    : temporary_folder_(std::move(temporary_folder)) {
  if (memory_bytes == 0) return;
  const std::uint64_t pages =
      std::min<std::uint64_t>(memory_bytes / kParts, most_part_bytes_) /
      PageBytes();
  most_part_bytes_ =
      static_cast<std::size_t>(std::max<std::uint64_t>(pages, 1)) * PageBytes();
}

void HashCollector::Push(std::span<const std::uint64_t> hashes) noexcept {
  if (no_memory_ || !status_.ok()) return;
  bool ok = true;
  if (spread_ == nullptr && few_count_ + hashes.size() < kSpreadFrom) {
    ok = PushFew(hashes);
  } else {
    ok = (spread_ != nullptr || StartToSpread()) && PushSpread(hashes);
  }
  no_memory_ = !ok && status_.ok();
}

bool HashCollector::PushFew(std::span<const std::uint64_t> hashes) noexcept {
  const std::size_t count = few_count_ + hashes.size();
  if (count > few_capacity_) {
    const std::size_t capacity =
        std::max({count, 2 * few_capacity_, kFirstFew});
    void* grown = std::realloc(few_.get(), capacity * sizeof(std::uint64_t));
    if (grown == nullptr) return false;
    static_cast<void>(few_.release());
    few_.reset(static_cast<std::uint64_t*>(grown));
    few_capacity_ = capacity;
  }
  std::copy(hashes.begin(), hashes.end(), few_.get() + few_count_);
  few_count_ = count;
  return true;
}

bool HashCollector::StartToSpread() noexcept {
  try {
    parts_.resize(kParts);
  } catch (const std::bad_alloc&) {
    return false;
  }
  spread_.reset(new (std::nothrow) Spread);
  if (spread_ == nullptr || !PushSpread({few_.get(), few_count_})) return false;
  few_.reset();
  return true;
}

bool HashCollector::PushSpread(std::span<const std::uint64_t> hashes) noexcept {
  Cursor* const cursors = spread_->cursors.data();
  for (const std::uint64_t hash : hashes) {
    Cursor& cursor = cursors[hash >> kPartShift];
    if (cursor.next == cursor.end && !MakeRoom(hash >> kPartShift))
        [[unlikely]] {
      return false;
    }
    *cursor.next++ = hash;
    // No hardware prefetcher follows so many places.  This is a line or two
    // ahead; at the end it is other or unmapped memory, which is harmless.
    __builtin_prefetch(cursor.next + kPrefetchAhead, 1);
  }
  return true;
}

std::span<std::uint64_t> HashCollector::InMemory(
    std::size_t part) const noexcept {
  auto* first = reinterpret_cast<std::uint64_t*>(spread_->pages[part].data());
  return {first, spread_->cursors[part].next};
}

bool HashCollector::MakeRoom(std::size_t part) noexcept {
  const std::size_t used_bytes = InMemory(part).size_bytes();
  return used_bytes == most_part_bytes_ ? MakeRoomInFull(part)
                                        : Grow(part, used_bytes);
}

bool HashCollector::Grow(std::size_t part, std::size_t used_bytes) noexcept {
  GrowingPages& pages = spread_->pages[part];
  // Grows by a quarter, which wastes little in a small set.
  const std::size_t more =
      std::clamp(RoundUp(used_bytes / 4, PageBytes()), PageBytes(),
                 std::max(kMaxBytesAtOnce, PageBytes()));
  const std::size_t wanted = std::min(used_bytes + more, most_part_bytes_);
  if (wanted > pages.size()) {
    // Address space costs nothing; only memory that is written does.
    const std::size_t size =
        RoundUp(std::max(2 * wanted, kMinPartBytes), PageBytes());
    const MutexLock lock(spread_->moving);
    if (!pages.Resize(size)) return false;
  }
  std::atomic<std::size_t>& populated = spread_->populated[part];
  const std::size_t done = std::max(populated.load(), used_bytes);
  if (done < wanted) {
    PopulatePages(pages.data() + done, wanted - done);
    populated = wanted;
  }
  spread_->used[part] = wanted;
  auto* const first = reinterpret_cast<std::uint64_t*>(pages.data());
  spread_->cursors[part] = {first + used_bytes / sizeof(*first),
                            first + wanted / sizeof(*first)};
  return true;
}

bool HashCollector::GetMemoryAhead() noexcept {
  for (std::size_t i = 0; i < kParts; ++i) {
    const std::size_t part = spread_->ahead++ % kParts;
    std::atomic<std::size_t>& populated = spread_->populated[part];
    const MutexLock lock(spread_->moving);
    const GrowingPages& pages = spread_->pages[part];
    const std::size_t from = populated;
    const std::size_t to =
        std::min({from + kMaxBytesAtOnce, pages.size(), most_part_bytes_});
    if (from > spread_->used[part] || from == 0 || from >= to) continue;
    PopulatePages(pages.data() + from, to - from);
    // The other thread may have got as far meanwhile.
    std::size_t expected = from;
    populated.compare_exchange_strong(expected, to);
    return true;
  }
  return false;
}

bool HashCollector::MakeRoomInFull(std::size_t part) noexcept {
  const std::span<std::uint64_t> hashes = InMemory(part);
  std::uint64_t*& next = spread_->cursors[part].next;
  if (IsFavoured(part)) {
    next = hashes.data() + SortDistinct(hashes, {}, kPartBits);
    // If half of it is free again, sorting was worth it.
    if (InMemory(part).size() <= hashes.size() / 2) return true;
  }
  try {
    status_ = Append(part);
  } catch (const std::bad_alloc&) {
    return false;
  }
  next = hashes.data();
  return status_.ok();
}

bool HashCollector::IsFavoured(std::size_t part) const noexcept {
  const std::uint64_t share = file_bytes_ / sizeof(std::uint64_t) / kParts;
  return parts_[part].count > kSuspectShares * share;
}

Status HashCollector::Append(std::size_t part) {
  if (!file_.has_value()) {
    Result<SpillFile> file = SpillFile::Create(temporary_folder_);
    if (!file.ok()) return file.status();
    file_.emplace(*std::move(file));
  }
  const std::span<std::uint64_t> hashes = InMemory(part);
  std::vector<HashExtent>& extents = parts_[part].extents;
  extents.push_back({file_bytes_, hashes.size()});
  parts_[part].count += hashes.size();
  Status status = file_->WriteAt(file_bytes_, std::as_bytes(hashes));
  file_bytes_ += hashes.size_bytes();
  return status;
}

Status HashCollector::Finish() {
  if (!status_.ok()) return status_;
  if (no_memory_) return Status::ResourceExhausted("hashes: no memory");
  if (spread_ == nullptr) {
    parts_.resize(1);
    parts_[0].hashes = few_.get();
    parts_[0].count = few_count_;
    return Status::Ok();
  }
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::span<std::uint64_t> hashes = InMemory(part);
    if (!file_.has_value()) {
      parts_[part].hashes = hashes.data();
      parts_[part].count = hashes.size();
      FreeBehind(part, hashes.size());
    } else {
      Status status = hashes.empty() ? Status::Ok() : Append(part);
      if (!status.ok()) return status;
      FreeBehind(part, 0);
    }
  }
  return Status::Ok();
}

void HashCollector::FreeBehind(std::size_t part, std::uint64_t count) noexcept {
  if (spread_ == nullptr) return;
  const std::size_t bytes =
      static_cast<std::size_t>(count) * sizeof(std::uint64_t);
  spread_->pages[part].Resize(RoundUp(bytes, PageBytes()));
}

}  // namespace tamis
