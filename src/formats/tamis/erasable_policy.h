// SPDX-License-Identifier: Apache-2.0
// formats/tamis/erasable_policy.h -- what the kinds with erasure share: policy,
// builder, and the mutable filter, for an ErasableFormat of bloom_format.h.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/append_zeros.h"
#include "base/chunked_array.h"
#include "base/no_throw.h"
#include "filters/batch_loop.h"
#include "formats/always_maybe.h"
#include "formats/bloom_format.h"
#include "formats/bloom_mutable.h"
#include "formats/bloom_parameters.h"
#include "formats/bloom_policy.h"
#include "formats/save_piece.h"
#include "formats/tamis/container.h"
#include "tamis/filter.h"
#include "tamis/mutable_filter.h"

namespace tamis {

// More keys than any filter has, and far from overflow.
inline constexpr std::uint64_t kMaxErasableKeys = std::uint64_t{1} << 62;

// The limits of the parameters in a kind's header.
struct ErasableKind {
  TamisKind kind;
  std::string_view name;
  std::uint32_t least_a;  // parameter a
  std::uint32_t most_a;
  std::uint32_t b;

  constexpr bool TakesA(std::uint32_t a) const noexcept {
    return a >= least_a && a <= most_a;
  }
};

// The checked container.  parameters.bits is 0 and must be set by the caller,
// unless always_maybe says that nothing may be probed; blocks is the size
// parameter.
struct ParsedErasable {
  ParsedBloom bloom;
  std::uint64_t blocks = 0;
};
Result<ParsedErasable> ParseErasable(Slice bytes, const ErasableKind& kind);

// REQUIRES: parameters.keys are known
TamisHeader ErasableHeader(const ErasableKind& kind,
                           const BloomParameters& parameters,
                           std::uint64_t blocks) noexcept;

// The hashes in ascending order, without repeats.  ResourceExhausted: no
// memory.
struct SortedHashes {
  MemoryBlock<unsigned char> memory;
  std::span<const std::uint64_t> hashes;
};
Result<SortedHashes> SortHashes(const ChunkedArray<std::uint64_t>& hashes);

// Keys that are prepared before the first of them is checked or inserted.
inline constexpr std::size_t kErasableGroup = 32;

// out[i] = Check() of hash_of(keys[i]), with the memory accesses overlapped.
template <typename Engine, typename Key, typename HashOf>
void CheckErasable(const Engine& engine, const unsigned char* bytes,
                   std::span<const Key> keys, const HashOf& hash_of,
                   bool* out) noexcept {
  CheckBatch<kErasableGroup>(
      keys, out,
      [&](const Key& key) { return engine.Prepare(bytes, hash_of(key)); },
      [&](const typename Engine::Query& query) { return engine.Check(query); });
}

template <ErasableFormat F>
class TamisErasable final : public ErasableFilter {
 public:
  // REQUIRES: `payload` has these parameters, whose number of keys is known
  TamisErasable(const F& format, const BloomParameters& parameters,
                BloomPayload payload)
      : format_(format),
        engine_(format, parameters),
        parameters_(parameters),
        payload_(std::move(payload)) {}

  Status Insert(Slice key) override {
    return InsertHash(format_.HashOf(key, parameters_.seed));
  }
  Status InsertMany(std::span<const Slice> keys) override {
    Status inserted;  // the first failure; keys after it are left out
    ForEachPrepared<kErasableGroup>(
        keys,
        [this](Slice key) {
          const std::uint64_t hash = format_.HashOf(key, parameters_.seed);
          engine_.Prepare(bytes(), hash);
          return hash;
        },
        [&](std::size_t /*first*/, std::span<const std::uint64_t> hashes) {
          for (std::size_t i = 0; inserted.ok() && i < hashes.size(); ++i) {
            inserted = InsertHash(hashes[i]);
          }
        });
    return inserted;
  }
  Status Erase(Slice key) override {
    // Counters that are still stuck belong to no key.
    if (*parameters_.keys == 0 ||
        !engine_.Erase(bytes(), format_.HashOf(key, parameters_.seed))) {
      return NoThrow([] {
        return Status::NotFound(std::string(F::kKind.name) +
                                ": the key to erase is not in");
      });
    }
    --*parameters_.keys;
    return Status::Ok();
  }
  bool MayContain(Slice key) const noexcept override {
    return engine_.Check(bytes(), format_.HashOf(key, parameters_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    engine_.CheckMany(format_, parameters_.seed, bytes(), keys, out);
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
  std::uint64_t Count(Slice key) const noexcept override {
    const std::uint64_t hash = format_.HashOf(key, parameters_.seed);
    if constexpr (requires { engine_.Count(bytes(), hash); }) {
      return engine_.Count(bytes(), hash);
    } else {
      return engine_.Check(bytes(), hash) ? 1 : 0;
    }
  }

 private:
  unsigned char* bytes() const noexcept { return payload_.bytes.get(); }

  Status InsertHash(std::uint64_t hash) {
    if (*parameters_.keys == kMaxErasableKeys ||
        !engine_.Insert(bytes(), hash)) {
      return NoThrow([&] {
        return Status::FilterFull(
            std::string(F::kKind.name) + ": no space for another key among " +
            std::to_string(*parameters_.keys) + "; plan for more keys");
      });
    }
    ++*parameters_.keys;
    return Status::Ok();
  }

  F format_;
  typename F::Engine engine_;
  BloomParameters parameters_;
  BloomPayload payload_;
};

// Builds the filter of the distinct keys: keys of equal hash count as one.
template <ErasableFormat F>
class ErasableBuilder final : public FilterBuilder {
 public:
  explicit ErasableBuilder(const F& format)
      : format_(format), seed_(format.Plan(0).seed) {}

  void Add(Slice key) override {
    if (!hashes_.PushBack(format_.HashOf(key, seed_))) out_of_memory_ = true;
  }

  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return seed_;
  }

  Status Finish(std::string* dst) override {
    return NoThrowAppending(dst, [&] { return Write(dst); });
  }
  std::optional<std::uint64_t> counted_keys() const override {
    return counted_;
  }

 private:
  bool TakeHash(KeyHash hash) override {
    if (hash.seed != seed_) return false;
    if (!hashes_.PushBack(hash.value)) out_of_memory_ = true;
    return true;
  }

  Status Write(std::string* dst) {
    if (out_of_memory_) {
      return Status::ResourceExhausted("no memory for the keys' hashes");
    }
    Result<SortedHashes> sorted = SortHashes(hashes_);
    if (!sorted.ok()) return sorted.status();
    BloomParameters parameters = format_.Plan(sorted->hashes.size());
    parameters.keys = sorted->hashes.size();
    // A plan fails by chance, and hardly ever twice; a fixed size is not
    // enlarged.
    constexpr unsigned kTries = 10;
    std::uint64_t tried_bits = 0;
    for (unsigned i = 0; i < kTries && parameters.bits != tried_bits; ++i) {
      if (Status fits = CheckPlan(format_, parameters); !fits.ok()) return fits;
      const std::size_t start = dst->size();
      Status room = AppendZeros(dst, TotalBytes(format_, parameters));
      if (!room.ok()) return room;
      char* whole = dst->data() + start;
      if (InsertAll(parameters, sorted->hashes,
                    BytesOf(whole + F::kHeaderBytes))) {
        format_.Seal({whole, dst->size() - start}, parameters);
        counted_ = *parameters.keys;
        return Status::Ok();
      }
      dst->resize(start);
      tried_bits = parameters.bits;
      parameters = format_.Larger(parameters);
    }
    return Status::FilterFull(std::string(F::kKind.name) + ": " +
                              std::to_string(*parameters.keys) +
                              " keys do not fit; plan for a larger filter");
  }

  bool InsertAll(const BloomParameters& parameters,
                 std::span<const std::uint64_t> hashes,
                 unsigned char* bytes) const noexcept {
    constexpr std::size_t kAhead = 16;
    const typename F::Engine engine(format_, parameters);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) {
        engine.Prepare(bytes, hashes[i + kAhead]);
      }
      if (!engine.Insert(bytes, hashes[i])) return false;
    }
    return true;
  }

  F format_;
  std::uint64_t seed_;
  ChunkedArray<std::uint64_t> hashes_;
  std::optional<std::uint64_t> counted_;
  bool out_of_memory_ = false;
};

template <ErasableFormat F>
Result<std::unique_ptr<ErasableFilter>> NewTamisErasable(
    const F& format, std::uint64_t planned_keys) {
  BloomParameters parameters =
      format.Plan(std::max<std::uint64_t>(planned_keys, 1));
  parameters.keys = 0;
  if (Status fits = CheckPlan(format, parameters); !fits.ok()) return fits;
  Result<BloomPayload> payload =
      NewBloomPayload(format.PayloadBytes(parameters.bits));
  if (!payload.ok()) return payload.status();
  return std::unique_ptr<ErasableFilter>(std::make_unique<TamisErasable<F>>(
      format, parameters, *std::move(payload)));
}

template <ErasableFormat F>
Result<std::unique_ptr<ErasableFilter>> LoadTamisErasable(const F& format,
                                                          Slice bytes) {
  Result<ParsedBloom> parsed = ParseToLoad(format, bytes);
  if (!parsed.ok()) return parsed.status();
  if (Status loads = format.CheckToLoad(*parsed); !loads.ok()) return loads;
  Result<BloomPayload> payload = CopyBloomPayload(parsed->payload);
  if (!payload.ok()) return payload.status();
  return std::unique_ptr<ErasableFilter>(std::make_unique<TamisErasable<F>>(
      format, parsed->parameters, *std::move(payload)));
}

// Makes the union of some filters by adding their counters.
template <ErasableFormat F>
requires AddEngine<typename F::Engine> Status
CombineErasable(const F& format, std::span<const Slice> filters,
                SetOperation operation, std::string* dst) {
  Result<std::vector<ParsedBloom>> parts = ParseMergeable(format, filters);
  if (!parts.ok()) return parts.status();
  if (operation != SetOperation::kUnion) {
    return Status::NotSupported(
        std::string(F::kKind.name) +
        ": what keys of one filter alone leave in an intersection could never "
        "be erased; ask each filter instead");
  }
  BloomParameters parameters = parts->front().parameters;
  parameters.keys = 0;
  const auto add = [&](unsigned char* bytes) {
    for (const ParsedBloom& part : *parts) {
      F::Engine::AddInto({bytes, part.payload.size()},
                         {BytesOf(part.payload), part.payload.size()});
      parameters.keys =
          std::min(*parameters.keys + *part.parameters.keys, kMaxErasableKeys);
    }
  };
  return AppendBloom(format, parameters, add, dst);
}

template <ErasableFormat F>
class ErasablePolicy final : public SizedPolicy<F> {
 public:
  using SizedPolicy<F>::SizedPolicy;

  std::string_view name() const noexcept override { return kTamisFilterName; }
  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& /*options*/) const override {
    return std::make_unique<ErasableBuilder<F>>(format());
  }
  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    auto filter = NewTamisErasable(format(), planned_keys);
    if (!filter.ok()) return filter.status();
    return std::unique_ptr<MutableFilter>(*std::move(filter));
  }
  Status Combine(std::span<const Slice> filters, SetOperation operation,
                 std::string* dst) const override {
    if constexpr (AddEngine<typename F::Engine>) {
      return CombineErasable(format(), filters, operation, dst);
    } else {
      return FilterPolicy::Combine(filters, operation, dst);
    }
  }

 private:
  using SizedPolicy<F>::format;
};

// Return a policy and a filter of the format for the settings, or why there is
// none.
template <ErasableFormat F>
Result<std::unique_ptr<const FilterPolicy>> NewErasablePolicy(
    const Result<F>& format) {
  if (!format.ok()) return format.status();
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<ErasablePolicy<F>>(*format));
}
template <ErasableFormat F>
Result<std::unique_ptr<ErasableFilter>> NewTamisErasable(
    const Result<F>& format, std::uint64_t planned_keys) {
  if (!format.ok()) return format.status();
  return NewTamisErasable(*format, planned_keys);
}

}  // namespace tamis
