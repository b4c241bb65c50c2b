// SPDX-License-Identifier: Apache-2.0
// tamis/filter.h -- what every filter of this library implements.  A filter
// stands for a set of keys in a few bits per key.  Asked about a key it
// answers "certainly absent" (false) or "maybe present" (true).
//
//   FilterPolicy --NewBuilder--> FilterBuilder --Add*,Finish--> bytes
//   FilterPolicy --Open(bytes)-> FilterReader  --MayContain---> bool
//
// The one promise: a key given to Add() answers true for as long as the
// bytes exist, on every machine, in every later version of this library.
// Bytes that are damaged or unknown cost a read; they never hide a key.
//
// Memory: where there is none, every function of the library that returns a
// Status or a Result says ResourceExhausted, and throws nothing; Add() lets
// Finish() say it.  What returns neither and makes something -- NewBuilder(),
// Describe(), RecogniseFormat(), CheckErasures() -- throws std::bad_alloc, as
// `new` does, and so does copying a Status.  A Store throws nowhere, whatever a
// policy of one's own does.
//
// Anybody may derive from these classes.  All they do by themselves is here in
// the header, so that it matters to nobody whether the library has RTTI.

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

// What the bytes of one filter say about themselves.
struct FilterInfo {
  std::string format;  // as MakePolicy() spells it: "tamis", "cassandra:ka"
  std::string kind;    // the algorithm: "bloom" (cache-local), "classic",
                       // "splitblock", "ribbon", "cuckoo", ... or "unknown"
  std::string hash;    // the hash function: "xxh3", "murmur3 (cassandra)"
  // Bloom filters: positions that a probe can fall on, and how many are set.
  // Others: all bits stored; and how many are set or, where keys are counted
  // or have slots, how many counters or slots are in use.
  std::uint64_t bits = 0;
  std::uint64_t set_bits = 0;
  // Bits, cells or counters tested per key; a ribbon's columns; the bits of a
  // cuckoo filter's fingerprint.
  unsigned probes = 0;
  // What the bits as they stand say: the rate of false positives, and how
  // many keys explain that many set bits (0: cannot be told).
  double rate = 1.0;
  double keys_by_fill = 0.0;
  // As stored, or counted while it grew; most formats store none.
  std::optional<std::uint64_t> keys;
  std::optional<std::uint64_t> seed;  // as stored
  // Not empty: every key is answered with "maybe", and this says why.
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
  // The default knows nothing about ranges, so it cannot rule any out.
  virtual bool MayContainRange(Slice /*lo*/, Slice /*hi*/) const noexcept {
    return true;
  }

  // The seed of the hashes that this filter takes in place of keys
  // (tamis/key_hash.h).  Nothing: it takes none, since its format hashes
  // otherwise or nothing is known of it; ask it for the key itself.
  virtual std::optional<std::uint64_t> hash_seed() const noexcept {
    return std::nullopt;
  }

  // MayContainHash(HashKey(key, *hash_seed())) == MayContain(key), without
  // hashing.  A hash of another seed, or for a filter that takes none, is
  // "maybe": a mistake here costs a read and hides no key.
  virtual bool MayContainHash(KeyHash /*hash*/) const noexcept { return true; }

  // out[i] = MayContainHash() of values[i], with the memory accesses of many
  // overlapped.  REQUIRES: out.size() == hashes.values.size()
  virtual void MayContainHashes(KeyHashes hashes,
                                std::span<bool> out) const noexcept {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = MayContainHash({hashes.values[i], hashes.seed});
    }
  }

  // Reads the whole filter to count its bits: time grows with its size.
  virtual FilterInfo Describe() const = 0;
};

// How a key counts that is added more than once: in the size of a filter, and
// in the number of keys that it stores.
enum class RepeatedKeys {
  // Once, wherever the others came.  But formats of other engines count as
  // those do, so that the bytes are theirs: leveldb, lab and md5 each time it
  // is added; rocksdb, rocksdb-legacy and rocksdb-ribbon each time that the key
  // before it was another.
  kAsFormat,
  // Once in every format.  leveldb and rocksdb-legacy, which hash keys to 32
  // bits, then keep 8 more bytes per key to tell them apart.
  kOnce,
  // The caller's word that equal keys come one behind the other, as they do
  // in a table: as kAsFormat, without looking for others, which is faster.
  kNeighbours,
};

// How a filter is built; none of it but `repeats` changes the bytes that come
// out.
struct BuildOptions {
  // Bytes that the builder may take above the filter's own size; what is more
  // goes to a temporary file.  0: no limit.  Ribbon and fuse keep to it, down
  // to 64 MiB, and about 20 MB more for each thread; the others keep 8 bytes
  // or so per key in any case.
  std::uint64_t memory_bytes = 0;
  // Where the temporary file is made; it has no name there, and is gone when
  // the builder is.  Empty: $TMPDIR, or /var/tmp.
  std::string temporary_folder;
  // For ribbon and fuse: Finish() uses so many, and one of them takes keys from
  // AddMany() while the caller hashes more.
  unsigned threads = 1;
  // Called by Finish() now and then, by one thread at a time, with the part of
  // the work that is done, from 0 to 1.  May be empty.
  std::function<void(double)> progress;
  RepeatedKeys repeats = RepeatedKeys::kAsFormat;
};

// Collects keys, then writes one filter.  Calls must match: Add* Finish.
// Not thread-safe.  A builder makes one filter.
class TAMIS_EXPORT FilterBuilder {
 public:
  virtual ~FilterBuilder() = default;

  // Duplicates are harmless: they change neither the size nor the answers,
  // but for the formats that RepeatedKeys names.  (A size that is given, as by
  // "bloom:m=80000,k=5", is kept whatever comes.)  `key` is not kept after the
  // call returns.
  virtual void Add(Slice key) = 0;

  // Add() for each of them, in order; faster where there are many.
  virtual void AddMany(std::span<const Slice> keys) {
    for (const Slice key : keys) Add(key);
  }

  // The seed of the hashes that AddHash() takes; nothing: it takes none.
  virtual std::optional<std::uint64_t> hash_seed() const noexcept {
    return std::nullopt;
  }

  // Adds the key whose hash this is: the bytes are those that Add(key) makes.
  // False: nothing was added, since the hash has another seed than
  // hash_seed(), or this format hashes otherwise.  The key must then be given
  // to Add(), or the filter will hide it:
  //   if (!builder->AddHash(hash)) builder->Add(key);
  [[nodiscard]] bool AddHash(KeyHash hash) { return TakeHash(hash); }

  // Appends the filter to *dst, leaving the bytes already there alone.
  // On error *dst is as it was.  InvalidArgument: a size the format cannot
  // hold. FilterFull: keys found no room in a size that was given.  IoError:
  // the temporary file.  ResourceExhausted: no memory.
  virtual Status Finish(std::string* dst) = 0;

  // For how many keys Finish() sized the filter: different ones, as far as
  // RepeatedKeys says so.  (They are told apart by hashes of 64 bits.)
  // Nothing: it was not called, or failed, or this builder does not tell.
  virtual std::optional<std::uint64_t> counted_keys() const {
    return std::nullopt;
  }

 protected:
  // AddHash() of this builder.
  virtual bool TakeHash(KeyHash /*hash*/) { return false; }
};

// Grows in place: a filter in memory, sized for a planned number of keys.
// Insert needs exclusive access; queries may share.  It keeps no hashes, so a
// Bloom filter counts a key each time it is inserted (FilterInfo::keys); ask
// MayContain() first where that matters.  Scalable and rotating filters count
// what was not maybe in before; from counting and cuckoo filters a key must be
// erased as often as it was inserted.
class TAMIS_EXPORT MutableFilter : public FilterReader {
 public:
  // Afterwards MayContain(key) is true.  More keys than planned are taken
  // too: the rate of false positives climbs (see RateAt()), no key is lost.
  // FilterFull: there is no room.  ResourceExhausted: there is no memory to
  // grow into.  The filter is exactly as before.
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
};

// Grows in place under many hands: every method, Insert() and InsertMany()
// included, may be called from any thread at any time, and none takes a lock.
// Once Insert(key) has returned, MayContain(key) is true for everybody who
// knows that it has returned.  Save() while others insert is safe, too: the
// keys whose insertion it does not overlap are all in it.
class TAMIS_EXPORT ConcurrentFilter : public MutableFilter {};

// What a filter over some number of keys will cost, and how often it errs.
struct Estimate {
  std::uint64_t bytes = 0;  // everything stored, header and trailer included
  std::uint64_t bits = 0;   // as FilterInfo::bits
  unsigned probes = 0;      // as FilterInfo::probes
  double false_positive_rate = 1.0;  // of keys that were never added
  // Not ok: so large a filter cannot be; the rest is what it would take.
  Status status;
};

// What FilterPolicy::Combine() makes of several filters.
enum class SetOperation {
  kUnion,         // answers "maybe" for the keys of every input
  kIntersection,  // for the keys that are in all inputs, and some more:
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

  // A builder that need not be told how many keys will come.  Never returns
  // null.  A kind ignores the options that it has no use for.
  virtual std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options = {}) const = 0;

  // Checks every length and field here, once, so that probes need not.
  // Corruption: not a filter of this name; the caller must then read as if
  // there were no filter.  Reserved or newer encodings open, and answer
  // "maybe" to every key.  REQUIRES: `bytes` outlives the reader, unchanged.
  virtual Result<std::unique_ptr<const FilterReader>> Open(
      Slice bytes) const = 0;

  // Cost and error rate of a filter over that many distinct keys.
  virtual Estimate Predict(std::uint64_t keys) const noexcept = 0;

  // How the rate climbs: that of a filter which was sized for `planned_keys`
  // and got `keys`.  Predict(n).false_positive_rate is RateAt(n, n).
  virtual double RateAt(std::uint64_t planned_keys,
                        std::uint64_t keys) const noexcept = 0;

  // An empty filter that grows in place, sized for `planned_keys`.
  // NotSupported: this kind needs all its keys at once.
  virtual Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t /*planned_keys*/) const {
    return Status::NotSupported(
        std::string(name()) +
        ": this kind of filter needs all its keys at once; use a builder");
  }

  // The same for many threads at once.  NotSupported: not for this kind.
  virtual Result<std::unique_ptr<ConcurrentFilter>> NewConcurrent(
      std::uint64_t /*planned_keys*/) const {
    return Status::NotSupported(
        std::string(name()) +
        ": this kind of filter cannot grow under many threads");
  }

  // Appends to *dst one filter made of `filters`, which must be of this name
  // and have equal parameters.  On error *dst is as it was.
  // REQUIRES: none of `filters` lies in *dst
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

// Makes a policy from its text; the grammar is in docs/policies.md.
//   "bloom:10"          the default kind (cache-local) at 10 bits per key
//   "fpr:0.01"          a rate of 1 %, of the kind that costs least
//   "ribbon:8"          a rate of 1/256 in hardly more than 8 bits per key
//   "leveldb:10"        LevelDB's bytes; "rocksdb:10", "rocksdb-ribbon:10",
//   "parquet:10"        "cassandra:ka,fpr=0.1": those of the others
// InvalidArgument: the message says which part was not understood.
TAMIS_EXPORT Result<std::unique_ptr<const FilterPolicy>> MakePolicy(
    std::string_view spec);

}  // namespace tamis
