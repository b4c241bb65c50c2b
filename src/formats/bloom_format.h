// SPDX-License-Identifier: Apache-2.0
// formats/bloom_format.h -- the requirements of this folder's templates on a
// format and on its engine, as concepts.
//
// A format F is a small value that defines how keys are hashed, how a filter is
// sized and what surrounds the bits.  Its engine, F::Engine, finds the bits of
// a key (classic_engine.h, blocked_engine.h).  Readers require the least,
// policies the most; reading needs no sizing, so a format that only reads may
// have none.

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "filters/bloom/block_locks.h"
#include "formats/bloom_parameters.h"
#include "math/blocked_bloom.h"
#include "tamis/filter.h"

namespace tamis {

// Answers queries on bits that the caller owns.
template <typename E, typename F>
concept QueryEngine =
    std::constructible_from<E, const F&, const BloomParameters&> &&
    requires(const E engine, const F& format, typename F::Hash hash,
             const unsigned char* bits, std::uint64_t seed,
             std::span<const Slice> keys, std::span<bool> out,
             FilterInfo* info) {
  { engine.Check(bits, hash) }
  noexcept->std::same_as<bool>;
  // out[i] = Check() of keys[i], with the memory accesses overlapped.
  { engine.CheckMany(format, seed, bits, keys, out) }
  noexcept;
  // Fills in what the bits tell: kind, set bits, rate, keys by fill.
  engine.Describe(std::span<const unsigned char>(), info);
};

// Sets bits, too.
template <typename E, typename F>
concept MarkEngine = QueryEngine<E, F> &&
    std::default_initializable<typename E::Hashes> &&
    requires(const E engine, const F& format, typename F::Hash hash,
             unsigned char* bits, std::uint64_t seed,
             std::span<const Slice> keys, const typename E::Hashes& hashes) {
  { E::kConcurrent } -> std::convertible_to<bool>;
  engine.Mark(bits, hash);
  // Mark() of each of the keys, with the memory accesses overlapped.
  engine.MarkMany(format, seed, bits, keys);
  engine.MarkAll(bits, hashes);
};

// Sets them while other threads do the same with the same locks; required if
// E::kConcurrent.
template <typename E, typename F>
concept ConcurrentEngine = MarkEngine<E, F> &&
    requires(const E engine, const F& format, typename F::Hash hash,
             unsigned char* bits, std::uint64_t seed,
             std::span<const Slice> keys) {
  { engine.NewLocks() } -> std::same_as<BlockLocks>;
  engine.MarkShared(bits, engine.NewLocks(), hash);
  engine.MarkManyShared(format, seed, bits, engine.NewLocks(), keys);
  engine.PrefetchToCheck(bits, hash);
  { engine.CheckAtomic(bits, hash) } -> std::same_as<bool>;
};

// Inserts and erases keys.
template <typename E, typename F>
concept EraseEngine = QueryEngine<E, F> &&
    requires(const E engine, typename F::Hash hash, unsigned char* bits,
             const typename E::Query& query) {
  // Prefetches the memory of a key; Check() of the result is that of the key.
  { engine.Prepare(bits, hash) } -> std::same_as<typename E::Query>;
  { engine.Check(query) } -> std::same_as<bool>;
  // False: full, and nothing was changed.
  { engine.Insert(bits, hash) } -> std::same_as<bool>;
  // False: the key is certainly absent, and nothing was changed.
  { engine.Erase(bits, hash) } -> std::same_as<bool>;
};

// Combines two filters into the first.
template <typename E>
concept AddEngine = requires(std::span<unsigned char> into,
                             std::span<const unsigned char> from) {
  E::AddInto(into, from);
};

// Parsed bits can be queried.
template <typename F>
concept QueryFormat = std::copy_constructible<F> &&
    QueryEngine<typename F::Engine, F> &&
    requires(const F format, Slice key, std::uint64_t seed) {
  // The seed is stored and shown; HashOf() is HashKey() of tamis/key_hash.h.
  { F::kHasSeed } -> std::convertible_to<bool>;
  { format.spec_name() } -> std::convertible_to<std::string>;
  { format.hash_name() } -> std::convertible_to<std::string_view>;
  { format.HashOf(key, seed) }
  noexcept->std::same_as<typename F::Hash>;
};

// Bytes can be parsed and written.
template <typename F>
concept BytesFormat = QueryFormat<F> &&
    requires(const F format, Slice bytes, std::uint64_t bits,
             std::span<char> whole, const BloomParameters& parameters) {
  { F::kHeaderBytes } -> std::convertible_to<std::size_t>;
  { F::kTrailerBytes } -> std::convertible_to<std::size_t>;
  { format.PayloadBytes(bits) } -> std::same_as<std::uint64_t>;
  // Writes header and trailer around the bits.
  format.Seal(whole, parameters);
  { format.Parse(bytes) } -> std::same_as<Result<ParsedBloom>>;
};

// Filters can be planned.
template <typename F>
concept SizedFormat = BytesFormat<F> &&
    requires(const F format, std::uint64_t keys,
             const BloomParameters& parameters) {
  { format.Plan(keys) }
  noexcept->std::same_as<BloomParameters>;
  // Not ok: the format cannot represent it.
  { format.CheckPlan(parameters) } -> std::same_as<Status>;
  // The expected rate of false positives.
  { format.Rate(parameters, keys) }
  noexcept->std::same_as<double>;
};

// What BloomPolicy requires.
template <typename F>
concept BloomFormat = SizedFormat<F> && MarkEngine<typename F::Engine, F> &&
    requires(const F format) {
  { F::kRepeats } -> std::convertible_to<CountedRepeats>;
  { format.policy_name() } -> std::convertible_to<std::string_view>;
};

// What ErasablePolicy requires.  parameters.bits are all bits stored.
template <typename F>
concept ErasableFormat = SizedFormat<F> && EraseEngine<typename F::Engine, F> &&
    requires(const F format, const BloomParameters& parameters,
             const ParsedBloom& parsed) {
  F::kKind;  // an ErasableKind
  // Returns a larger size for keys that do not fit; the same: there is none.
  { format.Larger(parameters) } -> std::same_as<BloomParameters>;
  // Corruption: these bytes cannot be changed safely.
  { format.CheckToLoad(parsed) } -> std::same_as<Status>;
};

// What ClassicEngine requires.  With F::kKindName keys are confined to lines
// nevertheless; parameters.line_bits is then a line's size.
template <typename F>
concept ClassicFormat = requires(const F format) {
  typename F::Probes;  // filters/bloom/probe_sequences.h
  {
    format.byte_flip()
    } -> std::same_as<unsigned>;  // 0, 7: filters/bloom/classic_bloom.h
};

// What BlockedEngine requires.  A larger hash never has an earlier block, and
// its lower 32 bits select the bits in the block.
template <typename F>
concept BlockedFormat = std::same_as<typename F::Hash, std::uint64_t> &&
    requires(const F format, const BloomParameters& parameters,
             std::uint64_t hash, std::uint64_t blocks) {
  { F::kKindName } -> std::convertible_to<std::string_view>;
  { F::kBlockKind } -> std::convertible_to<BlockKind>;
  { format.ShapeOf(parameters) } -> std::same_as<typename F::Shape>;
  { format.BlockOf(hash, blocks) } -> std::same_as<std::uint64_t>;
};

}  // namespace tamis
