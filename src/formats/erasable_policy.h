// formats/erasable_policy.h -- what the kinds share from which keys can be
// erased: policy, builder, and the filter that grows and shrinks, for a format
// F as bloom_policy.h describes it, whose facts.bits are all bits stored.
//
// Asks of F, beside what bloom_policy.h asks:
//   F::kKind                     an ErasableKind
//   Larger(facts) -> BloomFacts  for keys that found no room; the same: none
//   CheckToLoad(parsed)          Corruption: these bytes cannot go on living
// and of its engine, beside Check() and Describe():
//   Ask(bytes, digest) -> Query  asks memory for what is about to be needed
//   CheckQuery(query)            is Check()
//   Insert(bytes, digest)        false: full, nothing was changed
//   Erase(bytes, digest)         false: a stranger, nothing was changed
//   AddInto(into, from)          only if two filters can be made one

#pragma once

#include <algorithm>
#include <array>
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
#include "formats/always_maybe.h"
#include "formats/bloom_facts.h"
#include "formats/bloom_mutable.h"
#include "formats/bloom_policy.h"
#include "formats/tamis_container.h"
#include "tamis/filter.h"
#include "tamis/living_filter.h"

namespace tamis {

// More keys than any filter has, and far from where counting them would wrap.
inline constexpr std::uint64_t kMostErasableKeys = std::uint64_t{1} << 62;

// What the header of a kind may state.
struct ErasableKind {
  TamisKind kind;
  std::string_view name;
  std::uint32_t least_a;  // parameter a
  std::uint32_t most_a;
  std::uint32_t b;
};

// Checks the container.  facts.bits are 0 and for the caller to find, unless
// always_maybe says that nothing may be probed; blocks is the size parameter.
struct ParsedErasable {
  ParsedBloom bloom;
  std::uint64_t blocks = 0;
};
Result<ParsedErasable> ParseErasable(Slice bytes, const ErasableKind& kind);

// REQUIRES: as SealTamis(); facts.keys are known
void SealErasable(std::span<char> whole, const ErasableKind& kind,
                  const BloomFacts& facts, std::uint64_t blocks) noexcept;

// The digests in order, each once.  ResourceExhausted: no memory.
struct SortedDigests {
  MemoryBlock<unsigned char> memory;
  std::span<const std::uint64_t> digests;
};
Result<SortedDigests> SortDigests(const ChunkedArray<std::uint64_t>& digests);

// out[i] = Check() of format.HashOf(keys[i], seed), with the memory accesses
// overlapped: always asks for the next group before it checks a group
// (docs/design/3-lines.md).
template <typename Hasher, typename Engine, typename Key>
void AskThenCheck(const Hasher& format, const Engine& engine,
                  std::uint64_t seed, const unsigned char* bytes,
                  std::span<const Key> keys, std::span<bool> out) noexcept {
  constexpr std::size_t kGroup = 32;
  std::array<std::array<typename Engine::Query, kGroup>, 2> groups;
  const auto ask = [&](std::size_t first, unsigned group) {
    const std::size_t count = std::min(kGroup, keys.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      groups[group][i] =
          engine.Ask(bytes, format.HashOf(keys[first + i], seed));
    }
    return first + count;
  };
  unsigned current = 0;
  std::size_t asked = ask(0, current);
  for (std::size_t done = 0; done < keys.size(); current = 1 - current) {
    const std::size_t next = ask(asked, 1 - current);
    for (std::size_t i = 0; done < asked; ++done, ++i) {
      out[done] = engine.CheckQuery(groups[current][i]);
    }
    asked = next;
  }
}

template <typename F>
class TamisErasable final : public ErasableFilter {
 public:
  // REQUIRES: `payload` is one of these facts, whose keys are known
  TamisErasable(const F& format, const BloomFacts& facts, BloomPayload payload)
      : format_(format),
        engine_(format, facts),
        facts_(facts),
        payload_(std::move(payload)) {}

  Status Insert(Slice key) override {
    return InsertDigest(format_.HashOf(key, facts_.seed));
  }
  Status InsertMany(std::span<const Slice> keys) override {
    constexpr std::size_t kGroup = 32;
    std::array<std::uint64_t, kGroup> digests;
    for (; !keys.empty(); keys = keys.subspan(std::min(kGroup, keys.size()))) {
      const std::size_t count = std::min(kGroup, keys.size());
      for (std::size_t i = 0; i < count; ++i) {
        digests[i] = format_.HashOf(keys[i], facts_.seed);
        engine_.Ask(bytes(), digests[i]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        Status inserted = InsertDigest(digests[i]);
        if (!inserted.ok()) return inserted;
      }
    }
    return Status::Ok();
  }
  Status Erase(Slice key) override {
    // What is left of counters that got stuck is nobody's.
    if (*facts_.keys == 0 ||
        !engine_.Erase(bytes(), format_.HashOf(key, facts_.seed))) {
      return NoThrow([] {
        return Status::NotFound(std::string(F::kKind.name) +
                                ": the key to erase is not in");
      });
    }
    --*facts_.keys;
    return Status::Ok();
  }
  bool MayContain(Slice key) const noexcept override {
    return engine_.Check(bytes(), format_.HashOf(key, facts_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    AskThenCheck(format_, engine_, facts_.seed, bytes(), keys, out);
  }
  FilterInfo Describe() const override {
    return DescribeBloom(format_, engine_, facts_, payload_.slice());
  }
  Status Save(std::string* dst) const override {
    const std::size_t start = dst->size();
    Status room = AppendZeros(dst, TotalBytes(format_, facts_));
    if (!room.ok()) return room;
    char* whole = dst->data() + start;
    std::memcpy(whole + F::kHeaderBytes, bytes(), payload_.size);
    format_.Seal({whole, dst->size() - start}, facts_);
    return Status::Ok();
  }

 private:
  unsigned char* bytes() const noexcept { return payload_.bytes.get(); }

  Status InsertDigest(std::uint64_t digest) {
    if (*facts_.keys == kMostErasableKeys || !engine_.Insert(bytes(), digest)) {
      return NoThrow([&] {
        return Status::ResourceExhausted(
            std::string(F::kKind.name) + ": no room for another key among " +
            std::to_string(*facts_.keys) + "; plan for more keys");
      });
    }
    ++*facts_.keys;
    return Status::Ok();
  }

  F format_;
  typename F::Engine engine_;
  BloomFacts facts_;
  BloomPayload payload_;
};

// Of the distinct keys: keys of one digest count as one key.
template <typename F>
class ErasableBuilder final : public FilterBuilder {
 public:
  explicit ErasableBuilder(const F& format)
      : format_(format), seed_(format.Plan(0).seed) {}

  void Add(Slice key) override {
    if (!digests_.PushBack(format_.HashOf(key, seed_))) out_of_memory_ = true;
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
    if (!digests_.PushBack(hash.value)) out_of_memory_ = true;
    return true;
  }

  Status Write(std::string* dst) {
    if (out_of_memory_) {
      return Status::ResourceExhausted("no memory for the keys' hashes");
    }
    Result<SortedDigests> sorted = SortDigests(digests_);
    if (!sorted.ok()) return sorted.status();
    BloomFacts facts = format_.Plan(sorted->digests.size());
    facts.keys = sorted->digests.size();
    // A plan fails by chance, and hardly ever twice; a size that was given is
    // kept to.
    constexpr unsigned kTries = 10;
    std::uint64_t tried_bits = 0;
    for (unsigned i = 0; i < kTries && facts.bits != tried_bits; ++i) {
      if (Status fits = CheckPlan(format_, facts); !fits.ok()) return fits;
      const std::size_t start = dst->size();
      Status room = AppendZeros(dst, TotalBytes(format_, facts));
      if (!room.ok()) return room;
      char* whole = dst->data() + start;
      if (InsertAll(facts, sorted->digests, BytesOf(whole + F::kHeaderBytes))) {
        format_.Seal({whole, dst->size() - start}, facts);
        counted_ = *facts.keys;
        return Status::Ok();
      }
      dst->resize(start);
      tried_bits = facts.bits;
      facts = format_.Larger(facts);
    }
    return Status::ResourceExhausted(
        std::string(F::kKind.name) + ": " + std::to_string(*facts.keys) +
        " keys do not find room; plan for a larger filter");
  }

  bool InsertAll(const BloomFacts& facts,
                 std::span<const std::uint64_t> digests,
                 unsigned char* bytes) const noexcept {
    constexpr std::size_t kAhead = 16;
    const typename F::Engine engine(format_, facts);
    for (std::size_t i = 0; i < digests.size(); ++i) {
      if (i + kAhead < digests.size()) engine.Ask(bytes, digests[i + kAhead]);
      if (!engine.Insert(bytes, digests[i])) return false;
    }
    return true;
  }

  F format_;
  std::uint64_t seed_;
  ChunkedArray<std::uint64_t> digests_;
  std::optional<std::uint64_t> counted_;
  bool out_of_memory_ = false;
};

template <typename F>
Result<std::unique_ptr<ErasableFilter>> NewTamisErasable(
    const F& format, std::uint64_t planned_keys) {
  BloomFacts facts = format.Plan(std::max<std::uint64_t>(planned_keys, 1));
  facts.keys = 0;
  if (Status fits = CheckPlan(format, facts); !fits.ok()) return fits;
  Result<BloomPayload> payload =
      NewBloomPayload(format.PayloadBytes(facts.bits));
  if (!payload.ok()) return payload.status();
  return std::unique_ptr<ErasableFilter>(
      std::make_unique<TamisErasable<F>>(format, facts, *std::move(payload)));
}

template <typename F>
Result<std::unique_ptr<ErasableFilter>> LoadTamisErasable(const F& format,
                                                          Slice bytes) {
  Result<ParsedBloom> parsed = format.Parse(bytes);
  if (!parsed.ok()) return parsed.status();
  if (!parsed->always_maybe.empty()) {
    return Status::NotSupported("tamis: " + parsed->always_maybe);
  }
  if (Status loads = format.CheckToLoad(*parsed); !loads.ok()) return loads;
  Result<BloomPayload> payload = NewBloomPayload(parsed->payload.size());
  if (!payload.ok()) return payload.status();
  std::memcpy(payload->bytes.get(), parsed->payload.data(), payload->size);
  return std::unique_ptr<ErasableFilter>(std::make_unique<TamisErasable<F>>(
      format, parsed->facts, *std::move(payload)));
}

template <typename F>
class ErasablePolicy final : public FilterPolicy {
 public:
  explicit ErasablePolicy(const F& format) : format_(format) {}

  std::string_view name() const noexcept override { return kTamisFilterName; }
  std::unique_ptr<FilterBuilder> NewBuilder(
      std::uint64_t /*expected_keys*/) const override {
    return std::make_unique<ErasableBuilder<F>>(format_);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    Result<ParsedBloom> parsed = format_.Parse(bytes);
    if (!parsed.ok()) return parsed.status();
    if (!parsed->always_maybe.empty()) {
      return NewAlwaysMaybe(format_.spec_name(), parsed->always_maybe);
    }
    return std::unique_ptr<const FilterReader>(
        std::make_unique<BloomReader<F>>(format_, *parsed));
  }
  Estimate Predict(std::uint64_t keys) const noexcept override {
    const BloomFacts facts = format_.Plan(keys);
    return {.bytes = TotalBytes(format_, facts),
            .bits = facts.bits,
            .probes = facts.probes,
            .false_positive_rate = format_.Rate(facts, keys),
            .status = CheckPlan(format_, facts)};
  }
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    return format_.Rate(format_.Plan(planned_keys), keys);
  }
  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    auto filter = NewTamisErasable(format_, planned_keys);
    if (!filter.ok()) return filter.status();
    return std::unique_ptr<MutableFilter>(*std::move(filter));
  }
  Status Combine(std::span<const Slice> filters, SetOperation operation,
                 std::string* dst) const override;

 private:
  // Of filters whose parameters were compared.
  Status Add(std::span<const ParsedBloom> parts, std::string* dst) const;

  F format_;
};

template <typename F>
Status ErasablePolicy<F>::Combine(std::span<const Slice> filters,
                                  SetOperation operation,
                                  std::string* dst) const {
  if constexpr (requires { &F::Engine::AddInto; }) {
    if (filters.empty()) {
      return Status::InvalidArgument("there is no filter to combine");
    }
    std::vector<ParsedBloom> parts;
    for (Slice filter : filters) {
      Result<ParsedBloom> part = format_.Parse(filter);
      if (!part.ok()) return part.status();
      parts.push_back(*std::move(part));
      Status fits = CheckMergeable(parts.front(), parts.back());
      if (!fits.ok()) return fits;
    }
    if (operation == SetOperation::kUnion) return Add(parts, dst);
    return Status::NotSupported(
        std::string(F::kKind.name) +
        ": what keys of one filter alone leave in an intersection could never "
        "be erased; ask each filter instead");
  } else {
    return FilterPolicy::Combine(filters, operation, dst);
  }
}

template <typename F>
Status ErasablePolicy<F>::Add(std::span<const ParsedBloom> parts,
                              std::string* dst) const {
  BloomFacts facts = parts.front().facts;
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, TotalBytes(format_, facts));
  if (!room.ok()) return room;
  char* whole = dst->data() + start;
  std::uint64_t keys = 0;
  for (const ParsedBloom& part : parts) {
    F::Engine::AddInto({BytesOf(whole + F::kHeaderBytes), part.payload.size()},
                       {BytesOf(part.payload), part.payload.size()});
    keys = std::min(keys + *part.facts.keys, kMostErasableKeys);
  }
  facts.keys = keys;
  format_.Seal({whole, dst->size() - start}, facts);
  return Status::Ok();
}

}  // namespace tamis
