// SPDX-License-Identifier: Apache-2.0
// formats/bloom_mutable.h -- Bloom filters that take keys one by one: from one
// thread (BloomMutable), and from many at once (BloomConcurrent).

#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "base/append_zeros.h"
#include "base/huge_pages.h"
#include "base/no_throw.h"
#include "base/sharded_counter.h"
#include "filters/batch_loop.h"
#include "filters/bloom/block_locks.h"
#include "formats/bloom_format.h"
#include "formats/bloom_parameters.h"
#include "formats/save_piece.h"
#include "tamis/filter.h"

namespace tamis {

inline const unsigned char* BytesOf(Slice bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* BytesOf(char* bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes);
}

template <BytesFormat F>
std::uint64_t TotalBytes(const F& format,
                         const BloomParameters& parameters) noexcept {
  return F::kHeaderBytes + format.PayloadBytes(parameters.bits) +
         F::kTrailerBytes;
}

// Appends a filter to *dst: fill(bytes) writes its payload over zeros, and then
// the format writes what surrounds it.  `parameters` has its size; fill() may
// still set the number of keys.  ResourceExhausted: no memory; *dst is as it
// was.
template <BytesFormat F, std::invocable<unsigned char*> Fill>
Status AppendBloom(const F& format, const BloomParameters& parameters,
                   const Fill& fill, std::string* dst) {
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, TotalBytes(format, parameters));
  if (!room.ok()) return room;
  char* whole = dst->data() + start;
  fill(BytesOf(whole + F::kHeaderBytes));
  format.Seal({whole, dst->size() - start}, parameters);
  return Status::Ok();
}

template <QueryFormat F>
FilterInfo DescribeBloom(const F& format, const typename F::Engine& engine,
                         const BloomParameters& parameters, Slice payload) {
  FilterInfo info;
  info.format = format.spec_name();
  info.hash = format.hash_name();
  info.bits = parameters.bits;
  info.probes = parameters.probes;
  info.keys = parameters.keys;
  if (F::kHasSeed) info.seed = parameters.seed;
  engine.Describe({BytesOf(payload), payload.size()}, &info);
  return info;
}

// The bits alone, in memory where probing is fastest.
struct BloomPayload {
  MemoryBlock<unsigned char> bytes;
  std::size_t size = 0;

  Slice slice() const noexcept {
    return {reinterpret_cast<const char*>(bytes.get()), size};
  }
  void CopyTo(unsigned char* to) const noexcept {
    std::memcpy(to, bytes.get(), size);
  }
};

// All clear.  ResourceExhausted: there is no memory.
inline Result<BloomPayload> NewBloomPayload(std::uint64_t bytes) {
  BloomPayload payload;
  if (bytes <= std::string().max_size()) {
    payload.size = static_cast<std::size_t>(bytes);
    payload.bytes = NewMemory(payload.size);
  }
  if (payload.bytes == nullptr) {
    return NoThrow([&] {
      return Status::ResourceExhausted("no memory for a filter of " +
                                       std::to_string(bytes) + " bytes");
    });
  }
  std::memset(payload.bytes.get(), 0, payload.size);
  return payload;
}

// The same bits, in memory of their own.  Fails as NewBloomPayload() does.
inline Result<BloomPayload> CopyBloomPayload(Slice bits) {
  Result<BloomPayload> payload = NewBloomPayload(bits.size());
  if (payload.ok()) {
    std::memcpy(payload->bytes.get(), bits.data(), payload->size);
  }
  return payload;
}

template <BytesFormat F>
requires MarkEngine<typename F::Engine, F>
class BloomMutable final : public MutableFilter {
 public:
  // REQUIRES: `payload` has format.PayloadBytes(parameters.bits) bytes, and
  // parameters.keys says how many keys are in them, if that is known
  BloomMutable(const F& format, const BloomParameters& parameters,
               BloomPayload payload)
      : format_(format),
        engine_(format, parameters),
        parameters_(parameters),
        payload_(std::move(payload)) {}

  Status Insert(Slice key) override {
    engine_.Mark(payload_.bytes.get(), format_.HashOf(key, parameters_.seed));
    if (parameters_.keys.has_value()) ++*parameters_.keys;
    return Status::Ok();
  }
  Status InsertMany(std::span<const Slice> keys) override {
    engine_.MarkMany(format_, parameters_.seed, payload_.bytes.get(), keys);
    if (parameters_.keys.has_value()) *parameters_.keys += keys.size();
    return Status::Ok();
  }
  bool MayContain(Slice key) const noexcept override {
    return engine_.Check(payload_.bytes.get(),
                         format_.HashOf(key, parameters_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    engine_.CheckMany(format_, parameters_.seed, payload_.bytes.get(), keys,
                      out);
  }
  FilterInfo Describe() const override {
    return DescribeBloom(format_, engine_, parameters_, payload_.slice());
  }
  Status Save(std::string* dst) const override {
    const auto fill = [&](unsigned char* to) { payload_.CopyTo(to); };
    return AppendBloom(format_, parameters_, fill, dst);
  }
  Status SavePiece(std::uint64_t offset, std::span<char> piece,
                   std::size_t* length, std::uint64_t* total) const override {
    return SavePieceOf(*this, format_, parameters_, payload_.slice(),
                       {.offset = offset, .bytes = piece}, length, total);
  }

 private:
  F format_;
  typename F::Engine engine_;
  BloomParameters parameters_;
  BloomPayload payload_;
};

// Every access to the bits is atomic and relaxed: bits are only ever set, and a
// thread that knows that a key was inserted has synchronized with its
// insertion.  Queries take no lock; an insertion takes that of its block.
template <BytesFormat F>
requires ConcurrentEngine<typename F::Engine, F>
class BloomConcurrent final : public ConcurrentFilter {
 public:
  // REQUIRES: as for BloomMutable, and all bits are clear
  BloomConcurrent(const F& format, const BloomParameters& parameters,
                  BloomPayload payload)
      : format_(format),
        engine_(format, parameters),
        parameters_(parameters),
        payload_(std::move(payload)) {}

  Status Insert(Slice key) override {
    engine_.MarkShared(payload_.bytes.get(), locks_,
                       format_.HashOf(key, parameters_.seed));
    keys_.Add(1);
    return Status::Ok();
  }
  Status InsertMany(std::span<const Slice> keys) override {
    engine_.MarkManyShared(format_, parameters_.seed, payload_.bytes.get(),
                           locks_, keys);
    keys_.Add(keys.size());
    return Status::Ok();
  }
  bool MayContain(Slice key) const noexcept override {
    return engine_.CheckAtomic(payload_.bytes.get(),
                               format_.HashOf(key, parameters_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    CheckBatch<kGroup, BatchOrder::kInTurn>(
        keys, out.data(),
        [this](Slice key) {
          const Hash hash = format_.HashOf(key, parameters_.seed);
          engine_.PrefetchToCheck(payload_.bytes.get(), hash);
          return hash;
        },
        [this](Hash hash) {
          return engine_.CheckAtomic(payload_.bytes.get(), hash);
        });
  }
  FilterInfo Describe() const override {
    // Counts on a copy, so as not to race with threads that set bits.
    Result<BloomPayload> copy = NewBloomPayload(payload_.size);
    BloomParameters parameters = parameters_;
    parameters.keys = keys_.Sum();
    if (copy.ok()) {
      CopyTo(copy->bytes.get());
      return DescribeBloom(format_, engine_, parameters, copy->slice());
    }
    FilterInfo info;  // without memory: without what the bits tell
    info.format = format_.spec_name();
    info.kind = F::kKindName;
    info.bits = parameters.bits;
    info.probes = parameters.probes;
    info.keys = parameters.keys;
    return info;
  }
  Status Save(std::string* dst) const override {
    BloomParameters parameters = parameters_;
    const auto fill = [&](unsigned char* to) {
      CopyTo(to);
      parameters.keys = keys_.Sum();
    };
    return AppendBloom(format_, parameters, fill, dst);
  }

 private:
  using Hash = typename F::Hash;

  static constexpr std::size_t kGroup = 32;

  // The payload of every blocked filter is a whole number of 64-bit words.
  void CopyTo(unsigned char* to) const noexcept {
    auto* words = reinterpret_cast<std::uint64_t*>(payload_.bytes.get());
    for (std::size_t at = 0; at < payload_.size; at += sizeof(*words)) {
      const std::uint64_t word = std::atomic_ref(words[at / sizeof(*words)])
                                     .load(std::memory_order_relaxed);
      std::memcpy(to + at, &word, sizeof(word));
    }
  }

  F format_;
  typename F::Engine engine_;
  BloomParameters parameters_;
  BloomPayload payload_;
  BlockLocks locks_ = engine_.NewLocks();
  ShardedCounter keys_;
};

template <BytesFormat F>
Result<std::unique_ptr<MutableFilter>> NewBloomMutable(
    const F& format, BloomParameters parameters) {
  Result<BloomPayload> payload =
      NewBloomPayload(format.PayloadBytes(parameters.bits));
  if (!payload.ok()) return payload.status();
  parameters.keys = 0;
  return std::unique_ptr<MutableFilter>(std::make_unique<BloomMutable<F>>(
      format, parameters, *std::move(payload)));
}

// Parses a filter that will accept more keys.  Corruption: damaged.
// NotSupported: reserved.
template <BytesFormat F>
Result<ParsedBloom> ParseToLoad(const F& format, Slice bytes) {
  Result<ParsedBloom> parsed = format.Parse(bytes);
  if (!parsed.ok() || parsed->always_maybe.empty()) return parsed;
  return Status::NotSupported(format.spec_name() + ": " + parsed->always_maybe);
}

// Loads a filter as it was saved.  Fails as ParseToLoad() does.
// REQUIRES: the format has no filters without bits (no_keys)
template <BytesFormat F>
Result<std::unique_ptr<MutableFilter>> LoadBloomMutable(const F& format,
                                                        Slice bytes) {
  Result<ParsedBloom> parsed = ParseToLoad(format, bytes);
  if (!parsed.ok()) return parsed.status();
  Result<BloomPayload> payload = CopyBloomPayload(parsed->payload);
  if (!payload.ok()) return payload.status();
  return std::unique_ptr<MutableFilter>(std::make_unique<BloomMutable<F>>(
      format, parsed->parameters, *std::move(payload)));
}

template <BytesFormat F>
Result<std::unique_ptr<ConcurrentFilter>> NewBloomConcurrent(
    const F& format, const BloomParameters& parameters) {
  Result<BloomPayload> payload =
      NewBloomPayload(format.PayloadBytes(parameters.bits));
  if (!payload.ok()) return payload.status();
  return std::unique_ptr<ConcurrentFilter>(std::make_unique<BloomConcurrent<F>>(
      format, parameters, *std::move(payload)));
}

}  // namespace tamis
