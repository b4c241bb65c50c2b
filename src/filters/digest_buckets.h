// filters/digest_buckets.h -- the 64-bit digests of keys, collected while the
// number of keys is still unknown, and given back in about the order of their
// value.
//
// The filters that use it find a key's place as (digest * size) >> 64, or by
// its upper half alone: a larger digest never has a smaller place, however
// large the filter turns out.  So digests can be sorted by their upper bits as
// they come, before the size is known, and marking them later walks through
// the filter from front to back, in stretches that fit a cache.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_pages.h"

namespace tamis {

class DigestBuckets {
 public:
  DigestBuckets() noexcept = default;
  DigestBuckets(const DigestBuckets&) = delete;
  DigestBuckets& operator=(const DigestBuckets&) = delete;

  // False: no memory; some of them may be missing, so give up.
  bool Push(std::span<const std::uint64_t> digests) noexcept;
  bool PushBack(std::uint64_t digest) noexcept { return Push({&digest, 1}); }

  std::uint64_t size() const noexcept { return size_; }

  // Calls visit(std::span<const std::uint64_t>) for all of them, in pieces:
  // each bucket after the one with smaller digests.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (const Bucket& bucket : buckets_) {
      for (const Chunk* chunk = bucket.first; chunk != nullptr;
           chunk = chunk->next) {
        visit(std::span<const std::uint64_t>(
            chunk->digests, chunk->next == nullptr
                                ? bucket.next
                                : chunk->digests + kChunkDigests));
      }
    }
  }

 private:
  static constexpr std::size_t kChunkBytes = 4096;
  static constexpr std::size_t kChunkDigests =
      kChunkBytes / sizeof(std::uint64_t) - 1;
  // Aligned to its size, so that a place tells whether it is the chunk's end.
  struct Chunk {
    Chunk* next;
    std::uint64_t digests[kChunkDigests];
  };
  static_assert(sizeof(Chunk) == kChunkBytes);
  struct Bucket {
    std::uint64_t* next = nullptr;  // where the next digest goes
    Chunk* first = nullptr;
  };

  // 100 million keys at 10 bits each have 488 KiB of filter per bucket; and
  // 256 places to write to do not tire a first-level cache.
  static constexpr unsigned kBucketBits = 8;
  static constexpr unsigned kBucketShift = 64 - kBucketBits;
  // Below, the whole filter fits a cache: all goes into the first bucket.
  static constexpr std::uint64_t kSpreadFrom = std::uint64_t{1} << 17;

  bool PushTo(Bucket* bucket, std::uint64_t digest) noexcept {
    if (reinterpret_cast<std::uintptr_t>(bucket->next) % kChunkBytes == 0 &&
        !Grow(bucket)) {
      return false;
    }
    *bucket->next++ = digest;
    return true;
  }
  // REQUIRES: the bucket is empty, or its last chunk is full
  bool Grow(Bucket* bucket) noexcept;
  // From one bucket to many.
  bool Spread() noexcept;
  Chunk* NewChunk() noexcept;

  std::array<Bucket, std::size_t{1} << kBucketBits> buckets_;
  std::uint64_t mask_ = 0;  // all ones once spread
  std::uint64_t size_ = 0;
  // Chunks are cut from slabs, the first small.  No huge pages: this memory is
  // written and read once, in order, and they are dear to come by.
  std::vector<MemoryBlock<unsigned char>> slabs_;
  unsigned char* slab_next_ = nullptr;
  std::size_t slab_free_ = 0;
  std::size_t slab_bytes_ = kChunkBytes;
};

}  // namespace tamis
