// SPDX-License-Identifier: Apache-2.0
// sort/hash_buckets.h -- collects the hashes of keys while the number of keys
// is still unknown, and returns them in roughly ascending order.
//
// The filters that use it find a key's place as (hash * size) >> 64, or by
// its upper half alone: a larger hash never has a smaller place, whatever the
// size of the filter.  So hashes can be sorted by their upper bits as they
// arrive, before the size is known, and marking them later goes through the
// filter from front to back, in pieces that fit a cache.  Filters whose keys
// are anywhere gain nothing from the order, but can still count the distinct
// hashes, bucket by bucket.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/huge_pages.h"
#include "hash/hash_pair.h"

namespace tamis {

// The number by which hashes are compared and ordered: a whole hash of up to 64
// bits, starting at the top; the first half of a pair.
inline std::uint64_t RankOf(std::uint64_t hash) noexcept { return hash; }
inline std::uint64_t RankOf(std::uint32_t hash) noexcept {
  return std::uint64_t{hash} << 32;
}
inline std::uint64_t RankOf(const HashPair& hash) noexcept {
  return hash.first;
}

// Chunks of memory of one size, aligned to it, which are freed together.
class HashChunks {
 public:
  static constexpr std::size_t kBytes = 4096;

  HashChunks() noexcept = default;
  HashChunks(const HashChunks&) = delete;
  HashChunks& operator=(const HashChunks&) = delete;

  // Null: no memory.
  unsigned char* New() noexcept;

 private:
  // Chunks are cut from slabs, of which the first is small.  They use no huge
  // pages: this memory is written and read once, in order, and huge pages are
  // expensive to get.
  std::vector<MemoryBlock<unsigned char>> slabs_;
  unsigned char* next_ = nullptr;
  std::size_t free_ = 0;
  std::size_t slab_bytes_ = kBytes;
};

// Counts the distinct numbers of one bucket after the other.  Repeats are
// dropped along the way, so that they take no memory.
class DistinctRanks {
 public:
  // Prepares for `room` numbers at a time, which share their upper `known_bits`
  // bits.  False: no memory.
  bool Start(std::size_t room, unsigned known_bits) noexcept;
  // False: no memory.
  bool Add(std::uint64_t rank) noexcept {
    if (count_ == room_ && !MakeRoom()) [[unlikely]] {
      return false;
    }
    ranks()[count_++] = rank;
    return true;
  }
  // Returns how many distinct numbers were added since the last call or the
  // start.
  std::uint64_t Take() noexcept;

 private:
  std::uint64_t* ranks() noexcept {
    return reinterpret_cast<std::uint64_t*>(memory_.get());
  }
  void DropRepeats() noexcept;
  bool MakeRoom() noexcept;

  MemoryBlock<unsigned char> memory_;  // for twice `room_`: sorting needs it
  std::size_t room_ = 0;
  std::size_t count_ = 0;
  unsigned known_bits_ = 0;
};

template <typename Hash>
class HashBucketsOf {
 public:
  HashBucketsOf() noexcept = default;
  HashBucketsOf(const HashBucketsOf&) = delete;
  HashBucketsOf& operator=(const HashBucketsOf&) = delete;

  // False: no memory; some hashes may be missing, so the caller must give up.
  bool Push(std::span<const Hash> hashes) noexcept;
  bool PushBack(const Hash& hash) noexcept { return Push({&hash, 1}); }

  std::uint64_t size() const noexcept { return size_; }

  // Returns the number of distinct ranks.  Temporarily uses as much memory as
  // four buckets.  Nothing: no memory.
  std::optional<std::uint64_t> CountDistinct() const noexcept;

  // Calls visit(std::span<const Hash>) for all hashes, in pieces: each bucket
  // after the one with smaller hashes.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (const Bucket& bucket : buckets()) ForEachOf(bucket, visit);
  }

 private:
  // Hashes are contiguous up to the chunk's end, so that an address alone shows
  // whether the chunk is full.
  static constexpr std::size_t kHeaderBytes =
      std::max(sizeof(void*), sizeof(Hash));
  static constexpr std::size_t kChunkHashes =
      (HashChunks::kBytes - kHeaderBytes) / sizeof(Hash);
  static_assert(kHeaderBytes + kChunkHashes * sizeof(Hash) ==
                HashChunks::kBytes);
  struct Chunk {
    Chunk* next;

    Hash* hashes() noexcept {
      return reinterpret_cast<Hash*>(reinterpret_cast<unsigned char*>(this) +
                                     kHeaderBytes);
    }
    const Hash* hashes() const noexcept {
      return reinterpret_cast<const Hash*>(
          reinterpret_cast<const unsigned char*>(this) + kHeaderBytes);
    }
  };
  struct Bucket {
    Hash* next = nullptr;  // where the next hash goes
    Chunk* first = nullptr;
  };

  // 100 million keys at 10 bits each have 488 KiB of filter per bucket; and a
  // first-level cache copes with 256 places to write to.
  static constexpr unsigned kBucketBits = 8;
  static constexpr unsigned kBucketShift = 64 - kBucketBits;
  // Below this, the whole filter fits a cache: all hashes go into one bucket.
  static constexpr std::uint64_t kSpreadFrom = std::uint64_t{1} << 17;
  static constexpr std::size_t kAheadBytes = 120;

  std::span<const Bucket> buckets() const noexcept {
    return {buckets_, static_cast<std::size_t>(mask_ + 1)};
  }
  template <typename Visit>
  static void ForEachOf(const Bucket& bucket, const Visit& visit) {
    for (const Chunk* chunk = bucket.first; chunk != nullptr;
         chunk = chunk->next) {
      const Hash* end =
          chunk->next == nullptr ? bucket.next : chunk->hashes() + kChunkHashes;
      visit(std::span<const Hash>(chunk->hashes(), end));
    }
  }
  static std::size_t SizeOf(const Bucket& bucket) noexcept {
    std::size_t size = 0;
    ForEachOf(bucket, [&](auto some) { size += some.size(); });
    return size;
  }

  bool PushTo(Bucket* bucket, const Hash& hash) noexcept {
    if (reinterpret_cast<std::uintptr_t>(bucket->next) % HashChunks::kBytes ==
            0 &&
        !Grow(bucket)) {
      return false;
    }
    *bucket->next++ = hash;
    return true;
  }
  // REQUIRES: the bucket is empty, or its last chunk is full
  bool Grow(Bucket* bucket) noexcept;
  // Goes from one bucket to many.
  bool Spread() noexcept;

  Bucket only_;                     // before Spread()
  std::unique_ptr<Bucket[]> many_;  // null before Spread()
  Bucket* buckets_ = &only_;
  std::uint64_t mask_ = 0;  // all ones once spread
  std::uint64_t size_ = 0;
  HashChunks chunks_;
};

// The hashes that most filters are built from.
using HashBuckets = HashBucketsOf<std::uint64_t>;

template <typename Hash>
bool HashBucketsOf<Hash>::Push(std::span<const Hash> hashes) noexcept {
  size_ += hashes.size();
  if (mask_ == 0 && size_ >= kSpreadFrom && !Spread()) return false;
  for (const Hash& hash : hashes) {
    Bucket& bucket = buckets_[(RankOf(hash) >> kBucketShift) & mask_];
    if (!PushTo(&bucket, hash)) [[unlikely]] {
      return false;
    }
    // No hardware prefetcher follows so many places.  This is a line or two
    // ahead; at the chunk's end it is other or unmapped memory, which is
    // harmless.
    __builtin_prefetch(
        reinterpret_cast<const unsigned char*>(bucket.next) + kAheadBytes, 1);
  }
  return true;
}

template <typename Hash>
bool HashBucketsOf<Hash>::Grow(Bucket* bucket) noexcept {
  unsigned char* memory = chunks_.New();
  if (memory == nullptr) return false;
  auto* chunk = new (memory) Chunk{.next = nullptr};
  if (bucket->first == nullptr) {
    bucket->first = chunk;
  } else {
    // `next` points to the end of the last chunk, which is full.
    reinterpret_cast<Chunk*>(reinterpret_cast<unsigned char*>(bucket->next) -
                             HashChunks::kBytes)
        ->next = chunk;
  }
  bucket->next = chunk->hashes();
  return true;
}

template <typename Hash>
bool HashBucketsOf<Hash>::Spread() noexcept {
  constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
  many_.reset(new (std::nothrow) Bucket[kBuckets]);
  if (many_ == nullptr) return false;
  const Bucket all = std::exchange(only_, {});
  buckets_ = many_.get();
  mask_ = kBuckets - 1;
  bool fits = true;
  ForEachOf(all, [&](std::span<const Hash> some) {
    for (const Hash& hash : some) {
      fits = fits && PushTo(&buckets_[RankOf(hash) >> kBucketShift], hash);
    }
  });
  return fits;
}

template <typename Hash>
std::optional<std::uint64_t> HashBucketsOf<Hash>::CountDistinct()
    const noexcept {
  // A good hash spreads them evenly; other cases need no preparation.
  constexpr std::size_t kMaxShares = 2;
  std::size_t largest = 1;
  for (const Bucket& bucket : buckets()) {
    largest = std::max(largest, SizeOf(bucket));
  }
  const std::size_t share =
      static_cast<std::size_t>(size_) / buckets().size() + kChunkHashes;
  DistinctRanks ranks;
  bool fits = ranks.Start(std::min(largest, kMaxShares * share),
                          mask_ == 0 ? 0 : kBucketBits);
  std::uint64_t distinct = 0;
  for (const Bucket& bucket : buckets()) {
    ForEachOf(bucket, [&](std::span<const Hash> some) {
      for (const Hash& hash : some) {
        fits = fits && ranks.Add(RankOf(hash));
      }
    });
    if (!fits) return std::nullopt;
    distinct += ranks.Take();
  }
  return distinct;
}

}  // namespace tamis
