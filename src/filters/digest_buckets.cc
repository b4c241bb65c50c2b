#include "filters/digest_buckets.h"

#include <algorithm>
#include <new>
#include <utility>

namespace tamis {
namespace {

constexpr std::size_t kAhead = 15;  // digests
constexpr std::size_t kMostSlabBytes = std::size_t{1} << 20;

}  // namespace

bool DigestBuckets::Push(std::span<const std::uint64_t> digests) noexcept {
  size_ += digests.size();
  if (mask_ == 0 && size_ >= kSpreadFrom && !Spread()) return false;
  for (const std::uint64_t digest : digests) {
    Bucket& bucket = buckets_[(digest >> kBucketShift) & mask_];
    if (!PushTo(&bucket, digest)) [[unlikely]] {
      return false;
    }
    // No processor foresees so many places at once.  A line or two ahead; at
    // the chunk's end that is another's memory, or nobody's, and harmless.
    __builtin_prefetch(bucket.next + kAhead, 1);
  }
  return true;
}

DigestBuckets::Chunk* DigestBuckets::NewChunk() noexcept {
  if (slab_free_ < kChunkBytes) {
    MemoryBlock<unsigned char> slab = NewMemory(slab_bytes_, kChunkBytes);
    if (slab == nullptr) return nullptr;
    slab_next_ = slab.get();
    try {
      slabs_.push_back(std::move(slab));
    } catch (const std::bad_alloc&) {
      slab_next_ = nullptr;
      return nullptr;
    }
    slab_free_ = slab_bytes_;
    // Only the last slab of many stays partly unused.
    if (slab_bytes_ == kMostSlabBytes) PopulatePages(slab_next_, slab_bytes_);
    slab_bytes_ = std::min(2 * slab_bytes_, kMostSlabBytes);
  }
  auto* chunk = new (slab_next_) Chunk;
  slab_next_ += kChunkBytes;
  slab_free_ -= kChunkBytes;
  return chunk;
}

bool DigestBuckets::Grow(Bucket* bucket) noexcept {
  Chunk* chunk = NewChunk();
  if (chunk == nullptr) return false;
  chunk->next = nullptr;
  if (bucket->first == nullptr) {
    bucket->first = chunk;
  } else {
    // `next` points behind the last chunk, which is full.
    reinterpret_cast<Chunk*>(reinterpret_cast<unsigned char*>(bucket->next) -
                             kChunkBytes)
        ->next = chunk;
  }
  bucket->next = chunk->digests;
  return true;
}

bool DigestBuckets::Spread() noexcept {
  const Bucket all = std::exchange(buckets_[0], {});
  mask_ = buckets_.size() - 1;
  for (const Chunk* chunk = all.first; chunk != nullptr; chunk = chunk->next) {
    const std::uint64_t* end =
        chunk->next == nullptr ? all.next : chunk->digests + kChunkDigests;
    for (const std::uint64_t* digest = chunk->digests; digest != end;
         ++digest) {
      if (!PushTo(&buckets_[*digest >> kBucketShift], *digest)) return false;
    }
  }
  return true;
}

}  // namespace tamis
