// SPDX-License-Identifier: Apache-2.0
#include "sort/hash_set.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/worker_threads.h"
#include "sort/hash_buffer.h"
#include "sort/hash_collector.h"
#include "sort/hash_ranges.h"
#include "sort/hash_relay.h"
#include "sort/hash_sort.h"

namespace tamis {
namespace {

constexpr std::uint64_t kMinMemory = std::uint64_t{64} << 20;
// A part with more than so many times its share of hashes is sorted more
// slowly, to save as much memory again.
constexpr std::uint64_t kUsualShares = 4;
// Blocks of ranges per thread: enough that all end at about the same time.
constexpr std::size_t kBlocksPerThread = 32;

// Returns the memory for the hashes themselves, 0 meaning no limit.  The rest
// is for sorting and small allocations.
std::uint64_t ForHashes(std::uint64_t memory_bytes) {
  return memory_bytes == 0 ? 0 : std::max(memory_bytes, kMinMemory) / 8 * 7;
}

// Returns the size of the largest part that has no more than kUsualShares.
std::size_t UsualCount(std::span<const HashPart> parts) {
  std::uint64_t all = 0;
  for (const HashPart& part : parts) all += part.count;
  const std::uint64_t most = kUsualShares * (all / parts.size() + 1);
  std::uint64_t largest = 0;
  for (const HashPart& part : parts) {
    if (part.count <= most) largest = std::max(largest, part.count);
  }
  return static_cast<std::size_t>(largest);
}

// Short enough to need no memory itself.
Status NoMemory() { return Status::ResourceExhausted("no memory"); }

}  // namespace

struct KeyHashSet::Impl {
  explicit Impl(KeyHashSetOptions given)
      : memory_bytes(ForHashes(given.memory_bytes)),
        threads(std::max(given.threads, 1u)),
        collector(memory_bytes, std::move(given.temporary_folder)) {}

  void Push(std::span<const std::uint64_t> hashes) noexcept;

  // The memory of one thread while it sorts.
  struct Sorter {
    HashBuffer hashes;  // of a part from the file
    HashBuffer scratch;
  };

  // Returns how many threads there is memory for, if each takes so much; at
  // least one.
  unsigned ThreadsFor(std::uint64_t bytes_each) const;
  Status SortPart(std::size_t part, Sorter* sorter);
  Status SortPartOfFile(std::size_t part, Sorter* sorter);
  // Places the sorted parts one after the other at the end of the file.
  void LayOutSortedParts();
  Status SortParts(const std::function<void(double)>& progress);

  struct Ranges {
    std::size_t count;
    const Cut& cut;
    const Visit& visit;
  };
  // Returns the first range of each block that one thread visits, then `count`.
  std::vector<std::size_t> Blocks(std::size_t count, const Cut& cut) const;
  static Status VisitBlock(std::size_t first, std::size_t end,
                           const Ranges& ranges, HashRangeReader* reader);
  Status VisitAll(const Ranges& ranges);
  // Reads that part of the file ahead, if there is such a part.
  void ReadAhead(std::size_t part) const;
  void ReadAheadSorted(std::size_t part) const;

  const std::uint64_t memory_bytes;
  const unsigned threads;
  HashCollector collector;
  std::unique_ptr<HashRelay> relay;  // to the collector, for many hashes
  std::size_t usual_count = 0;       // of hashes in a part, to allocate for
  std::uint64_t size = 0;
};

unsigned KeyHashSet::Impl::ThreadsFor(std::uint64_t bytes_each) const {
  if (memory_bytes == 0 || bytes_each == 0) return threads;
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(memory_bytes / bytes_each, 1, threads));
}

KeyHashSet::KeyHashSet(KeyHashSetOptions options)
    : impl_(new (std::nothrow) Impl(std::move(options))) {}

KeyHashSet::~KeyHashSet() = default;

void KeyHashSet::Push(std::span<const std::uint64_t> hashes) noexcept {
  if (impl_ != nullptr) impl_->Push(hashes);
}

void KeyHashSet::Impl::Push(std::span<const std::uint64_t> hashes) noexcept {
  if (relay != nullptr) return relay->Push(hashes);
  collector.Push(hashes);
  if (threads == 1 || !collector.spreads()) return;
  try {
    relay = std::make_unique<HashRelay>(&collector);
  } catch (const std::exception&) {  // retried with the next hashes
  }
}

std::uint64_t KeyHashSet::size() const noexcept { return impl_->size; }

std::uint64_t KeyHashSet::spilled_bytes() const noexcept {
  return impl_ == nullptr ? 0 : impl_->collector.file_bytes();
}

Status KeyHashSet::Impl::SortPart(std::size_t part, Sorter* sorter) {
  if (collector.file() != nullptr) return SortPartOfFile(part, sorter);
  HashPart& all = collector.parts()[part];
  const auto count = static_cast<std::size_t>(all.count);
  std::span<std::uint64_t> scratch;
  if (count > kMaxSortedWithoutScratch && count <= usual_count) {
    scratch = {sorter->scratch.Reserve(usual_count), usual_count};
  }
  all.count = SortDistinct({all.hashes, count}, scratch, collector.part_bits());
  collector.FreeBehind(part, all.count);
  return Status::Ok();
}

Status KeyHashSet::Impl::SortPartOfFile(std::size_t part, Sorter* sorter) {
  const SpillFile& file = *collector.file();
  HashPart& all = collector.parts()[part];
  const auto count = static_cast<std::size_t>(all.count);
  const std::span<std::uint64_t> hashes(
      sorter->hashes.Reserve(std::max(count, usual_count)), count);
  std::size_t read = 0;
  for (const HashExtent& extent : all.extents) {
    const auto some = static_cast<std::size_t>(extent.count);
    Status status = file.ReadAt(
        extent.offset, std::as_writable_bytes(hashes.subspan(read, some)));
    if (!status.ok()) return status;
    read += some;
  }
  std::span<std::uint64_t> scratch;
  if (count <= usual_count) {
    scratch = {sorter->scratch.Reserve(usual_count), usual_count};
  }
  all.count = SortDistinct(hashes, scratch, collector.part_bits());
  Status status = file.WriteAt(
      all.sorted_offset,
      std::as_bytes(hashes.first(static_cast<std::size_t>(all.count))));
  if (!status.ok()) return status;
  for (const HashExtent& extent : all.extents) {
    file.Discard(extent.offset, extent.count * sizeof(std::uint64_t));
  }
  return Status::Ok();
}

void KeyHashSet::Impl::ReadAhead(std::size_t part) const {
  if (part >= collector.parts().size()) return;
  for (const HashExtent& extent : collector.parts()[part].extents) {
    collector.file()->WillNeed(extent.offset,
                               extent.count * sizeof(std::uint64_t));
  }
}

void KeyHashSet::Impl::ReadAheadSorted(std::size_t part) const {
  if (part >= collector.parts().size()) return;
  const HashPart& sorted = collector.parts()[part];
  collector.file()->WillNeed(sorted.sorted_offset,
                             sorted.count * sizeof(std::uint64_t));
}

void KeyHashSet::Impl::LayOutSortedParts() {
  std::uint64_t offset = collector.file_bytes();
  for (HashPart& part : collector.parts()) {
    part.sorted_offset = offset;
    offset += part.count * sizeof(std::uint64_t);
  }
}

Status KeyHashSet::Seal(const std::function<void(double)>& progress) {
  if (impl_ == nullptr) return NoMemory();
  try {
    impl_->relay.reset();
    Status status = impl_->collector.Finish();
    return status.ok() ? impl_->SortParts(progress) : status;
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

Status KeyHashSet::Impl::SortParts(
    const std::function<void(double)>& progress) {
  const std::span<HashPart> parts = collector.parts();
  usual_count = UsualCount(parts);
  const bool in_file = collector.file() != nullptr;
  if (in_file) LayOutSortedParts();
  const unsigned workers =
      ThreadsFor((in_file ? 2 : 1) * usual_count * sizeof(std::uint64_t));
  std::vector<Sorter> sorters(workers);
  Mutex mutex;
  std::size_t done = 0;  // guarded by the mutex, as is `progress`
  Status status = RunTasks(workers, parts.size(),
                           [&](std::size_t part, unsigned worker) -> Status {
                             if (in_file) ReadAhead(part + workers);
                             Status sorted = SortPart(part, &sorters[worker]);
                             if (!sorted.ok() || !progress) return sorted;
                             const MutexLock lock(mutex);
                             progress(static_cast<double>(++done) /
                                      static_cast<double>(parts.size()));
                             return Status::Ok();
                           });
  if (!status.ok()) return status;
  for (const HashPart& part : parts) size += part.count;
  return Status::Ok();
}

std::vector<std::size_t> KeyHashSet::Impl::Blocks(std::size_t count,
                                                  const Cut& cut) const {
  std::vector<std::size_t> starts = {0};
  if (collector.file() == nullptr) {
    const std::size_t blocks =
        threads == 1 ? 1 : std::min(count, threads * kBlocksPerThread);
    for (std::size_t i = 1; i < blocks; ++i) {
      starts.push_back(count / blocks * i + count % blocks * i / blocks);
    }
  } else {
    // Ranges that start in the same part are one block, so that one thread
    // reads it.
    for (std::size_t part = 1; part < collector.parts().size(); ++part) {
      const std::uint64_t border = std::uint64_t{part}
                                   << (64 - collector.part_bits());
      std::size_t start = starts.back();
      std::size_t end = count;
      while (start < end) {
        const std::size_t middle = start + (end - start) / 2;
        if (middle == 0 || cut(middle) < border) {
          start = middle + 1;
        } else {
          end = middle;
        }
      }
      starts.push_back(start);
    }
  }
  starts.push_back(count);
  return starts;
}

Status KeyHashSet::Impl::VisitBlock(std::size_t first, std::size_t end,
                                    const Ranges& ranges,
                                    HashRangeReader* reader) {
  if (first == end) return Status::Ok();
  std::uint64_t from = first == 0 ? 0 : ranges.cut(first);
  for (std::size_t i = first; i < end; ++i) {
    const bool is_last = i + 1 == ranges.count;
    const std::uint64_t to = is_last ? 0 : ranges.cut(i + 1);
    if (!is_last && to <= from) {
      ranges.visit(i, {});
      continue;
    }
    // The last range ends at 2^64 - 1, which is 0 - 1.
    auto hashes = reader->Read(from, to - 1);
    if (!hashes.ok()) return hashes.status();
    ranges.visit(i, *hashes);
    from = to;
  }
  return Status::Ok();
}

Status KeyHashSet::ForEachRange(std::size_t count, const Cut& cut,
                                const Visit& visit) {
  if (count == 0) return Status::Ok();
  try {
    return impl_->VisitAll({count, cut, visit});
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

Status KeyHashSet::Impl::VisitAll(const Ranges& ranges) {
  const SortedHashParts sorted = {collector.parts(), collector.part_bits(),
                                  collector.file()};
  const std::vector<std::size_t> starts = Blocks(ranges.count, ranges.cut);
  const std::size_t blocks = starts.size() - 1;
  const unsigned workers = ThreadsFor(usual_count * sizeof(std::uint64_t));
  std::vector<HashRangeReader> readers;
  for (unsigned i = 0; i < workers; ++i) readers.emplace_back(sorted);
  return RunTasks(workers, blocks,
                  [&](std::size_t block, unsigned worker) -> Status {
                    if (sorted.file != nullptr) {
                      ReadAheadSorted(block + workers);
                    }
                    return VisitBlock(starts[block], starts[block + 1], ranges,
                                      &readers[worker]);
                  });
}

}  // namespace tamis
