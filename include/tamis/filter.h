// SPDX-License-Identifier: Apache-2.0
// tamis/filter.h -- the interface that every filter of this library implements.
// A filter represents a set of keys in a few bits per key.  A query for a key
// returns "certainly absent" (false) or "maybe present" (true).
//
//   FilterPolicy --NewBuilder--> FilterBuilder --Add*,Finish--> bytes
//   FilterPolicy --Open(bytes)-> FilterReader  --MayContain---> bool
//
// The one promise: a query for a key that was passed to Add() returns true for
// as long as the bytes exist, on every machine, in every later version of this
// library.  Bytes that are damaged or unknown cost a read; they never hide a
// key.
//
// When memory runs out, every function of the library that returns a Status or
// a Result returns ResourceExhausted and throws nothing; after a failed Add(),
// Finish() reports it.  Functions that allocate and return neither --
// NewBuilder(), Describe(), RecogniseFormat(), CheckErasures() -- throw
// std::bad_alloc, and so does copying a Status.  A Store never throws, even if
// a custom policy does.
//
// Programs may derive from these classes.  Their default methods are inline in
// this header, so it does not matter whether the library was built with RTTI.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tamis/export.h"
#include "tamis/key_hash.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// A description of one filter, read from its bytes.
struct FilterInfo {
  std::string format;  // as MakePolicy() spells it: "tamis", "cassandra:ka"
  std::string kind;    // the algorithm: "bloom" (cache-local), "classic",
                       // "splitblock", "ribbon", "cuckoo", ... or "unknown"
  std::string hash;    // the hash function: "xxh3", "murmur3 (cassandra)"
  // For Bloom filters: the bits that a probe can test, and how many of them are
  // set.  For others: all stored bits, and how many of them are set; for
  // filters of counters or slots, how many of those are in use.
  std::uint64_t bits = 0;
  std::uint64_t set_bits = 0;
  // Bits, cells or counters tested per key; a ribbon's columns; the bits of a
  // cuckoo filter's fingerprint.
  unsigned probes = 0;
  // Estimates from the set bits: the rate of false positives, and the number of
  // keys (0: unknown).
  double rate = 1.0;
  double keys_by_fill = 0.0;
  // The number of keys as stored, or as counted by insertions; most formats do
  // not store it.
  std::optional<std::uint64_t> keys;
  std::optional<std::uint64_t> seed;  // as stored
  // The name of the extractor (tamis/prefix.h) whose prefixes it has, too, and
  // counts as keys; empty: it has none.
  std::string prefixes = {};
  // Not empty: the filter answers "maybe" to every key, for this reason.
  std::string always_maybe;
};

// Answers from bytes that somebody else owns.  Safe to share among threads.
class TAMIS_EXPORT FilterReader {
 public:
  virtual ~FilterReader() = default;

  // False only if `key` was certainly never added.
  virtual bool MayContain(Slice key) const noexcept = 0;

  // out[i] = MayContain(keys[i]): the same answers, with the memory
  // accesses of many keys overlapped.  REQUIRES: out.size() == keys.size()
  virtual void MayContainMany(std::span<const Slice> keys,
                              std::span<bool> out) const noexcept {
    for (std::size_t i = 0; i < keys.size(); ++i) out[i] = MayContain(keys[i]);
  }

  // False only if certainly no added key k has lo <= k <= hi (bytewise).
  // The default does not support ranges and rules none out; those that do also
  // answer "maybe" where hi < lo: this mistake costs a read and hides no key.
  virtual bool MayContainRange(Slice /*lo*/, Slice /*hi*/) const noexcept {
    return true;
  }

  // False only if certainly no added key starts with `prefix`.  The default
  // does not support that, and says "maybe"; tamis/prefix_filter.h has filters
  // that do, for the prefixes that their extractor gives and longer ones.
  virtual bool MayContainPrefix(Slice /*prefix*/) const noexcept {
    return true;
  }

  // Where a scan may skip to.  False: certainly no added key k has k >= from.
  // True: sets *to, which is at least `from`, so that certainly no added key k
  // has from <= k < *to (bytewise).  The default skips nothing.
  virtual bool SkipForward(Slice from, std::string* to) const {
    to->assign(from);
    return true;
  }

  // The same for a scan towards smaller keys.  False: certainly no added key k
  // has k <= from.  True: sets *to, which is at most `from`, so that certainly
  // no added key k has *to < k <= from.  REQUIRES: as there
  virtual bool SkipBackward(Slice from, std::string* to) const {
    to->assign(from);
    return true;
  }

  // The seed of the hashes that this filter accepts in place of keys
  // (tamis/key_hash.h).  Nothing: it accepts none, because its format uses
  // another hash or is unknown; query it by key.
  virtual std::optional<std::uint64_t> hash_seed() const noexcept {
    return std::nullopt;
  }

  // MayContainHash(HashKey(key, *hash_seed())) == MayContain(key), without
  // hashing.  A hash with the wrong seed, or passed to a filter that accepts
  // none, is "maybe": this mistake costs a read and hides no key.
  virtual bool MayContainHash(KeyHash /*hash*/) const noexcept { return true; }

  // out[i] = MayContainHash() of values[i], with the memory accesses of many
  // overlapped.  REQUIRES: out.size() == hashes.values.size()
  virtual void MayContainHashes(KeyHashes hashes,
                                std::span<bool> out) const noexcept {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = MayContainHash({hashes.values[i], hashes.seed});
    }
  }

  // Reads the whole filter to count its bits: takes time in proportion to its
  // size.
  virtual FilterInfo Describe() const = 0;
};

// How a key that is added more than once counts towards the size of a filter
// and the number of keys that it stores.
enum class RepeatedKeys {
  // It counts once, wherever the repeats are.  Formats of other engines count
  // as those engines do, so that the bytes are identical: leveldb, lab and md5
  // count it each time it is added; rocksdb, rocksdb-legacy and rocksdb-ribbon
  // count it each time that it differs from the key before it.
  kAsFormat,
  // It counts once in every format.  Builders of leveldb and rocksdb-legacy,
  // which hash keys to 32 bits, then keep 8 more bytes per key to tell keys
  // apart.
  kOnce,
  // The caller guarantees that equal keys are adjacent, as in a table.  The
  // same as kAsFormat, but faster, because no other repeats are searched for.
  kNeighbours,
};

// How a filter is built.  Only `repeats` affects the resulting bytes.
struct BuildOptions {
  // Memory that the builder may use in addition to the filter itself, in bytes;
  // beyond that it uses a temporary file.  0: no limit.  Ribbon and fuse
  // builders obey it, but use at least 64 MiB, and about 20 MB more for each
  // thread; the others keep about 8 bytes per key in any case.
  std::uint64_t memory_bytes = 0;
  // The directory of the temporary file.  The file has no name, and disappears
  // with the builder.  Empty: $TMPDIR, or /var/tmp.
  std::string temporary_folder;
  // For ribbon and fuse: the number of threads that Finish() uses; one of them
  // also processes keys of AddMany() while the caller hashes more.
  unsigned threads = 1;
  // Called by Finish() from time to time, from one thread at a time, with the
  // fraction of the work that is done, from 0 to 1.  May be empty.
  std::function<void(double)> progress;
  RepeatedKeys repeats = RepeatedKeys::kAsFormat;
  // The number of keys, if the caller knows it exactly beforehand, as
  // counted_keys() will return it: the builder then keeps no hashes, and marks
  // each key in a filter that has its final size from the start.  The bytes are
  // the same as without.  If another number of keys was added, Finish() returns
  // InvalidArgument and there is no filter.  0: unknown.
  // With kNeighbours, whose guarantee distinct keys meet, too, these kinds use
  // it: bloom, splitblock, classic, leveldb, rocksdb, cassandra, parquet, lab
  // and md5.  With kAsFormat, those of them do that search for no repeats:
  // leveldb, rocksdb, lab and md5.  With kOnce, and in all other kinds, it is
  // ignored: they need the hashes to find repeats, to choose a kind ("fpr"), or
  // to build at all; those of rocksdb-legacy are too short to tell whether
  // neighbours are equal.
  std::uint64_t exact_keys = 0;
};

// Collects keys, then writes one filter.  Calls must match: Add* Finish.
// Not thread-safe.  A builder makes one filter.
class TAMIS_EXPORT FilterBuilder {
 public:
  virtual ~FilterBuilder() = default;

  // Duplicates are harmless: they change neither the size nor the answers,
  // except in the formats that RepeatedKeys names.  (A fixed size, as in
  // "bloom:m=80000,k=5", stays fixed.)  `key` is not kept after the call
  // returns.
  virtual void Add(Slice key) = 0;

  // Add() for each of them, in order; faster where there are many.
  virtual void AddMany(std::span<const Slice> keys) {
    for (const Slice key : keys) Add(key);
  }

  // The seed of the hashes that AddHash() accepts; nothing: it accepts none.
  virtual std::optional<std::uint64_t> hash_seed() const noexcept {
    return std::nullopt;
  }

  // Adds a key by its hash; the resulting bytes are the same as with Add(key).
  // False: nothing was added, because the seed differs from hash_seed(), or the
  // format uses another hash.  The key must then be passed to Add(), or the
  // filter will hide it:
  //   if (!builder->AddHash(hash)) builder->Add(key);
  [[nodiscard]] bool AddHash(KeyHash hash) { return TakeHash(hash); }

  // Appends the filter to *dst, leaving the bytes already there alone.
  // On error *dst is as it was.  InvalidArgument: a size that the format cannot
  // represent.  FilterFull: the keys do not fit into the fixed size.  IoError:
  // the temporary file failed.  ResourceExhausted: no memory.
  virtual Status Finish(std::string* dst) = 0;

  // The number of keys that Finish() sized the filter for: distinct keys, where
  // RepeatedKeys says so.  (Keys are distinguished by 64-bit hashes.)  Nothing:
  // Finish() was not called or failed, or this builder does not count.
  virtual std::optional<std::uint64_t> counted_keys() const {
    return std::nullopt;
  }

 protected:
  // Implements AddHash().
  virtual bool TakeHash(KeyHash /*hash*/) { return false; }
};

// A filter in memory that takes keys one by one, sized for a planned number of
// keys.  Insert() needs exclusive access; queries may run concurrently with
// each other.  It keeps no hashes, so a Bloom filter counts a key each time it
// is inserted (FilterInfo::keys); call MayContain() first where that matters.
// Scalable and rotating filters count only keys that were certainly absent
// before; from counting and cuckoo filters a key must be erased as often as it
// was inserted.
class TAMIS_EXPORT MutableFilter : public FilterReader {
 public:
  // Afterwards MayContain(key) is true.  More keys than planned are accepted,
  // too: the rate of false positives rises (see RateAt()), and no key is lost.
  // FilterFull: the key does not fit.  ResourceExhausted: there is no memory to
  // grow.  On error the filter is exactly as before.
  virtual Status Insert(Slice key) = 0;

  // Insert() for each of them, in order, up to the first that fails.
  virtual Status InsertMany(std::span<const Slice> keys) {
    for (const Slice key : keys) {
      if (Status inserted = Insert(key); !inserted.ok()) return inserted;
    }
    return Status::Ok();
  }

  // Appends the filter as it stands, as FilterBuilder::Finish() does.
  virtual Status Save(std::string* dst) const = 0;

  // Sets piece to the bytes from `offset` on of what Save() would append now,
  // as many as fit, *length to their number and *total to that of all.  Only
  // the kind scalable copies the whole for it.  A filter that changes between
  // two pieces is damaged when they are put together, as its checksum tells.
  virtual Status SavePiece(std::uint64_t offset, std::span<char> piece,
                           std::size_t* length, std::uint64_t* total) const {
    std::string whole;
    if (Status saved = Save(&whole); !saved.ok()) return saved;
    *total = whole.size();
    *length = offset < whole.size()
                  ? whole.copy(piece.data(), piece.size(),
                               static_cast<std::size_t>(offset))
                  : 0;
    return Status::Ok();
  }
};

// A mutable filter for many threads: every method, Insert() and InsertMany()
// included, may be called from any thread at any time, and none takes a lock.
// Once Insert(key) has returned, MayContain(key) is true for every thread that
// is synchronized with that return.  Save() during insertions is safe, too: it
// includes every key whose insertion completed before it began.
class TAMIS_EXPORT ConcurrentFilter : public MutableFilter {};

// The predicted size and error rate of a filter over some number of keys.
struct Estimate {
  std::uint64_t bytes = 0;  // everything stored, header and trailer included
  std::uint64_t bits = 0;   // as FilterInfo::bits
  unsigned probes = 0;      // as FilterInfo::probes
  double false_positive_rate = 1.0;  // of keys that were never added
  // Not ok: the format cannot represent so large a filter; the other members
  // then say what it would need.
  Status status;
};

// What FilterPolicy::Combine() makes of several filters.
enum class SetOperation {
  kUnion,         // contains the keys of every input
  kIntersection,  // contains the keys that all inputs contain, and some more:
                  // an approximation, never worse than the best input
};

// A kind of filter with its settings.  Immutable, so safe to share; must
// outlive the builders and readers it makes.
class TAMIS_EXPORT FilterPolicy {
 public:
  virtual ~FilterPolicy() = default;

  // Stored in files.  It names the bytes, not the settings: policies of one
  // name read each other's filters.  If the bytes change, so does the name.
  virtual std::string_view name() const noexcept = 0;

  // Returns a builder, which need not know the number of keys in advance.
  // Never returns null.  A kind ignores options that do not apply to it.
  virtual std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options = {}) const = 0;

  // Checks every length and field here, once, so that probes need not.
  // Corruption: not a filter of this name; the caller must then read as if
  // there were no filter.  Reserved or newer encodings open, and answer
  // "maybe" to every key.  REQUIRES: `bytes` outlives the reader, unchanged.
  virtual Result<std::unique_ptr<const FilterReader>> Open(
      Slice bytes) const = 0;

  // Returns the size and error rate of a filter over that many distinct keys.
  virtual Estimate Predict(std::uint64_t keys) const noexcept = 0;

  // Returns the rate of a filter that was sized for `planned_keys` and holds
  // `keys`.  Predict(n).false_positive_rate is RateAt(n, n).
  virtual double RateAt(std::uint64_t planned_keys,
                        std::uint64_t keys) const noexcept = 0;

  // Returns an empty filter that takes keys one by one, sized for
  // `planned_keys`.
  // NotSupported: this kind needs all its keys at once.
  virtual Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t /*planned_keys*/) const {
    return Status::NotSupported(
        std::string(name()) +
        ": this kind of filter needs all its keys at once; use a builder");
  }

  // The same for concurrent use.  NotSupported: this kind cannot do that.
  virtual Result<std::unique_ptr<ConcurrentFilter>> NewConcurrent(
      std::uint64_t /*planned_keys*/) const {
    return Status::NotSupported(
        std::string(name()) +
        ": this kind of filter cannot grow under many threads");
  }

  // Combines `filters`, which must be of this name and have equal parameters,
  // into one filter, and appends it to *dst.  On error *dst is as it was.
  // REQUIRES: none of `filters` is a view of *dst
  // InvalidArgument: the parameters differ; the message names the first.
  // NotSupported: this kind cannot be combined.
  virtual Status Combine(std::span<const Slice> /*filters*/,
                         SetOperation /*operation*/,
                         std::string* /*dst*/) const {
    return Status::NotSupported(
        std::string(name()) +
        ": filters of this kind cannot be combined; build one from the keys");
  }
};

// Makes a policy from its spec; the grammar is in docs/policies.md.
//   "bloom:10"          the default kind (cache-local) at 10 bits per key
//   "fpr:0.01"          a rate of 1 %, of the kind that costs least
//   "ribbon:8"          a rate of 1/256 in hardly more than 8 bits per key
//   "leveldb:10"        LevelDB's bytes; "rocksdb:10", "rocksdb-ribbon:10",
//   "parquet:10"        "cassandra:ka,fpr=0.1": those of the others
// InvalidArgument: the message says which part was not understood.
TAMIS_EXPORT Result<std::unique_ptr<const FilterPolicy>> MakePolicy(
    std::string_view spec);

}  // namespace tamis
