// SPDX-License-Identifier: Apache-2.0
// sort/hash_collector.h -- the first half of a KeyHashSet: takes any number of
// hashes in any order, and partitions them by their upper bits, in memory or in
// a temporary file.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/growing_pages.h"
#include "base/huge_pages.h"
#include "base/mutex.h"
#include "base/spill_file.h"
#include "tamis/status.h"

namespace tamis {

// A contiguous range of hashes in the temporary file.
struct HashExtent {
  std::uint64_t offset = 0;  // in bytes
  std::uint64_t count = 0;
};

// The hashes whose upper bits are the part's number, in memory or in the file.
struct HashPart {
  std::uint64_t* hashes = nullptr;
  std::uint64_t count = 0;  // in memory and in the file
  std::vector<HashExtent> extents;
  std::uint64_t sorted_offset = 0;  // in the file, once sorted
};

class HashCollector {
 public:
  // Uses at most about `memory_bytes` of memory; 0: no limit.
  HashCollector(std::uint64_t memory_bytes, std::string temporary_folder);
  HashCollector(const HashCollector&) = delete;
  HashCollector& operator=(const HashCollector&) = delete;

  // An error is kept, and returned by Finish().
  void Push(std::span<const std::uint64_t> hashes) noexcept;

  // True if there are so many hashes that they are partitioned already.
  bool spreads() const noexcept { return spread_ != nullptr; }

  // Allocates memory that Push() will soon need; may be called by another
  // thread than the one that pushes.  False: there is enough for now.
  // REQUIRES: spreads()
  bool GetMemoryAhead() noexcept;

  // Ends collection, with all hashes in one part or in 2^kPartBits.  If any are
  // in the file, all are, and their memory is freed.  Called once; nothing can
  // be pushed afterwards.
  Status Finish();

  // REQUIRES: Finish() was ok
  std::span<HashPart> parts() noexcept { return parts_; }
  std::span<const HashPart> parts() const noexcept { return parts_; }
  // The bits that all hashes of a part have in common.
  unsigned part_bits() const noexcept {
    return parts_.size() == 1 ? 0 : kPartBits;
  }
  // Null: all are in memory.
  const SpillFile* file() const noexcept { return file_ ? &*file_ : nullptr; }
  std::uint64_t file_bytes() const noexcept { return file_bytes_; }

  // Frees the part's memory after its first `count` hashes.
  void FreeBehind(std::size_t part, std::uint64_t count) noexcept;

 private:
  static constexpr unsigned kPartBits = 8;
  static constexpr unsigned kPartShift = 64 - kPartBits;
  static constexpr std::size_t kParts = std::size_t{1} << kPartBits;
  // Below this, a single part sorts as fast.
  static constexpr std::size_t kSpreadFrom = std::size_t{1} << 17;

  struct Cursor {
    std::uint64_t* next = nullptr;  // where the next hash goes
    std::uint64_t* end = nullptr;
  };
  struct Spread {
    std::array<Cursor, kParts> cursors;
    std::array<GrowingPages, kParts> pages;
    // By part: bytes up to the cursor's end, and bytes that have memory.
    std::array<std::atomic<std::size_t>, kParts> used = {};
    std::array<std::atomic<std::size_t>, kParts> populated = {};
    // Held while pages are moved, and while another thread gets memory.
    Mutex moving;
    std::size_t ahead = 0;  // the part that GetMemoryAhead() looks at next
  };

  // These return false if there is no memory or status_ is an error.
  bool PushFew(std::span<const std::uint64_t> hashes) noexcept;
  bool StartToSpread() noexcept;
  bool PushSpread(std::span<const std::uint64_t> hashes) noexcept;
  // REQUIRES: the part's cursor is at its end
  bool MakeRoom(std::size_t part) noexcept;
  bool Grow(std::size_t part, std::size_t used_bytes) noexcept;
  // Makes room by dropping duplicates, or else by moving the part to the file.
  bool MakeRoomInFull(std::size_t part) noexcept;
  bool IsFavoured(std::size_t part) const noexcept;

  std::span<std::uint64_t> InMemory(std::size_t part) const noexcept;
  Status Append(std::size_t part);

  const std::string temporary_folder_;
  std::size_t most_part_bytes_ = std::numeric_limits<std::size_t>::max();
  bool no_memory_ = false;  // a Status would need some
  Status status_;

  MemoryBlock<std::uint64_t> few_;
  std::size_t few_count_ = 0;
  std::size_t few_capacity_ = 0;
  std::unique_ptr<Spread> spread_;

  std::vector<HashPart> parts_;
  std::optional<SpillFile> file_;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace tamis
