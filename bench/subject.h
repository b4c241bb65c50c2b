// SPDX-License-Identifier: Apache-2.0
// bench/subject.h -- what is measured, behind one interface: our policies,
// the policies of others through their libraries, and bare memory.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/keys.h"
#include "tamis/filter.h"

namespace tamis::bench {

// Each in nanoseconds per key.
enum Metric : std::size_t {
  kBuildOne,   // key by key, and the end
  kBuildMany,  // many at a time
  kBuildTwo,   // with two threads, on the wall
  kMissOne,    // queries of keys that are not in, one by one
  kHitOne,     // of keys that are
  kMiss256,    // the same in calls of 256 keys
  kHit256,
  kMiss32,  // and of 32, the most that RocksDB takes
  kHit32,
  kErase,       // keys that are in, one by one, out of a filter that can
  kBuildWall,   // kBuildMany on the wall, where kBuildTwo is the same build
  kFinishWall,  // what Finish() takes of that
  kFinishTwo,   // and of kBuildTwo
  kBuildKnown,  // kBuildMany where the number of keys is known beforehand
  kInsertMany,  // many at a time into a filter that takes keys one by one
  kInsertWall,  // into one for many threads, by one thread, on the wall
  kMissInline,  // kMissOne and kHitOne by hashes, without a virtual call
  kHitInline,
  kMissPrefetched,  // the same, with the lines of later hashes prefetched
  kHitPrefetched,
  kMetricCount,
};
inline constexpr std::array<std::string_view, kMetricCount> kMetricNames = {
    "build_one",
    "build_many",
    "build_two_threads",
    "miss_one",
    "hit_one",
    "miss_256",
    "hit_256",
    "miss_32",
    "hit_32",
    "erase",
    "build_many_wall",
    "finish_wall",
    "finish_two_threads",
    "build_known",
    "insert_many",
    "insert_many_concurrent_wall",
    "miss_inline",
    "hit_inline",
    "miss_prefetched",
    "hit_prefetched"};
inline constexpr std::array kBuilds = {kBuildOne, kBuildMany};
inline constexpr std::array kQueries = {
    kMissOne, kHitOne,     kMiss256,   kHit256,         kMiss32,
    kHit32,   kMissInline, kHitInline, kMissPrefetched, kHitPrefetched};

constexpr bool AsksForHits(Metric metric) {
  return metric == kHitOne || metric == kHit256 || metric == kHit32 ||
         metric == kHitInline || metric == kHitPrefetched;
}
constexpr bool IsPrefetched(Metric metric) {
  return metric == kMissPrefetched || metric == kHitPrefetched;
}
constexpr bool IsInline(Metric metric) {
  return metric == kMissInline || metric == kHitInline || IsPrefetched(metric);
}
// How many keys one call takes.
constexpr std::size_t KeysPerCall(Metric metric) {
  if (metric == kMiss256 || metric == kHit256) return 256;
  return metric == kMiss32 || metric == kHit32 ? 32 : 1;
}

class Subject {
 public:
  virtual ~Subject() = default;

  virtual std::string name() const = 0;
  virtual bool Has(Metric metric) const = 0;
  virtual bool is_filter() const { return true; }
  // Gets a quarter of the queries, so as not to take most of the time.
  virtual bool slow() const { return false; }

  // Not timed: gets everything ready for the next Add() or Ask(), which is
  // about these keys.  REQUIRES: they stay until then
  virtual void Prepare(const KeyChunk& chunk) = 0;

  // Timed, in this order: Start, Add for each chunk, Finish; the filter
  // before is gone.  `how` is one of kBuilds, kBuildKnown, or kBuildTwo where
  // builds_with_threads().
  virtual void Start(std::uint64_t keys, Metric how) = 0;
  virtual void Add(Metric how) = 0;
  virtual Status Finish() = 0;

  // Not timed, for a store does it once per file: makes the filter ready for
  // queries.
  virtual Status Load() = 0;

  // Timed: queries the prepared keys, so many per call.
  virtual void Ask(std::size_t keys_per_call, std::span<bool> out) = 0;
  // The same by their hashes, one by one, in a loop without virtual calls.
  // PrepareInline() is its Prepare(), which makes the hashes: not before other
  // queries, since it would bring the keys into the caches.
  // REQUIRES: IsInline(metric) and Has(metric)
  virtual void PrepareInline(const KeyChunk& chunk) { Prepare(chunk); }
  virtual Status AskInline(Metric /*metric*/, std::span<bool> /*out*/) {
    return Status::NotSupported(name() + ": it has no inline queries");
  }

  virtual std::uint64_t bytes() const = 0;  // of the filter
  // Returns the formula's rate for so many keys; 0: there is none.
  virtual double ExpectedRate(std::uint64_t keys) const = 0;

  // Null: nothing of ours, hence no filter for two threads.
  virtual const FilterPolicy* policy() const { return nullptr; }
  // Whether kBuildTwo is Start, Add and Finish as well, with a builder that
  // has two threads; or else a filter that two threads fill.
  virtual bool builds_with_threads() const { return false; }
  // The bytes that are queried.  REQUIRES: policy() != null, and Load() was ok
  virtual Slice loaded_bytes() const { return {}; }
};

using Subjects = std::vector<std::unique_ptr<Subject>>;

// Returns whether a policy touches many lines per query or hashes slowly: such
// policies are left out if there are many keys.
bool IsSlow(std::string_view spec);

// `spec` as for MakePolicy().
Result<std::unique_ptr<Subject>> NewTamisSubject(const std::string& spec);

// The filter that another subject of ours builds and loads, by MayContainHash()
// and MayContainHashes(): the keys are hashed before the clock starts.
// REQUIRES: `of` is earlier in the list, outlives the result and has a policy
// whose filters have a hash_seed()
std::unique_ptr<Subject> NewHashedSubject(std::string_view name,
                                          const Subject* of);

// LevelDB's own Bloom filter.  REQUIRES: at most 2^31 - 1 keys, which is all
// that its interface can take
std::unique_ptr<Subject> NewLevelDbSubject(int bits_per_key);

enum class Loads {
  kIndependent,  // addresses are known ahead: the loads overlap
  kChained,      // each address depends on the load before
};

// No filter: one random cache line per query, out of as many bytes as a
// filter of that many bits per key has, and nothing else; which lines is known
// beforehand.  Nothing that keeps its bits in memory and touches one line per
// query can be faster.
// REQUIRES: bits_per_key is kFloorBits or kSmallFloorBits
std::unique_ptr<Subject> NewFloorSubject(Loads loads, unsigned bits_per_key);
inline constexpr unsigned kFloorBits = 10;      // as many as bloom:10
inline constexpr unsigned kSmallFloorBits = 8;  // about as many as ribbon:8

// No filter: std::sort() of as many numbers of 64 bits, which look random, as
// there are keys.  Only the sorting is timed, as kBuildMany.
std::unique_ptr<Subject> NewSortSubject();

// Filters of Boost.Bloom, which are given the keys' hashes, made beforehand.
// NotSupported: there is no Boost.Bloom, or not for this CPU.
Result<Subjects> NewBoostSubjects();

// The names of subjects that are not policies of ours.
inline constexpr std::string_view kFloorName = "floor: lines only";
inline constexpr std::string_view kSmallFloorName = "floor: of 8 bits/key";
inline constexpr std::string_view kChainedFloorName = "floor: one after other";
inline constexpr std::string_view kHashedName = "bloom:10 pre-hashed";
inline constexpr std::string_view kSortName = "sort of 64-bit hashes";
inline constexpr std::string_view kLevelDbName = "LevelDB";
inline constexpr std::string_view kRocksDbBloomName = "RocksDB Bloom";
inline constexpr std::string_view kRocksDbAlignedName = "RocksDB Bloom moved";
inline constexpr std::string_view kRocksDbRibbonName = "RocksDB Ribbon";
inline constexpr std::string_view kBoostMultiblock10Name =
    "Boost multiblock:10";
inline constexpr std::string_view kBoostMultiblock12Name =
    "Boost multiblock:12";
inline constexpr std::string_view kBoostFast10Name = "Boost fast64:10";
inline constexpr std::string_view kBoostFast12Name = "Boost fast64:12";

// What was expected for a policy of ours that writes the same bytes.
double RateOfPolicy(const std::string& spec, std::uint64_t keys);

}  // namespace tamis::bench
