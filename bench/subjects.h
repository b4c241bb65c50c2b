// bench/subjects.h -- what is measured, behind one interface: our policies,
// LevelDB's through its public interface, and bare memory.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bench/key_set.h"
#include "tamis/filter.h"

namespace tamis::bench {

class Subject {
 public:
  virtual ~Subject() = default;

  virtual std::string name() const = 0;

  // What must be ready before the clock starts.  REQUIRES: `keys` outlives
  // the next Build()
  virtual void Prepare(const KeySet& keys) = 0;
  // Makes a filter of all prepared keys; the one before is gone.
  virtual Status Build() = 0;
  // Makes the filter ready for queries.
  virtual Status Open() = 0;

  // How many of the keys are "maybe" in, asked one after the other ...
  virtual std::uint64_t CountMaybe(const KeySet& keys) const = 0;
  // ... and many at a time; 0 if the subject cannot do that.
  virtual bool has_batches() const = 0;
  virtual std::uint64_t CountMaybeMany(const KeySet& keys) const = 0;

  virtual bool is_filter() const { return true; }
  virtual std::uint64_t bytes() const = 0;  // of the filter
  virtual double ExpectedRate(std::uint64_t keys) const = 0;
};

// Keys per call of MayContainMany(): what a store might gather for one call.
inline constexpr std::size_t kBatchKeys = 256;

// `spec` as for MakePolicy().
Result<std::unique_ptr<Subject>> NewTamisSubject(const std::string& spec);

// LevelDB's own Bloom filter.  REQUIRES: at most 2^31 - 1 keys, which is all
// that its interface can take
std::unique_ptr<Subject> NewLevelDbSubject(int bits_per_key);

enum class Loads {
  kIndependent,  // addresses are known ahead: the loads overlap
  kChained,      // each address depends on the load before
};

// No filter: one random cache line per query, out of as many bytes as a
// filter of that many bits per key has.  Nothing that keeps its bits in
// memory and touches one line per query can be faster.
std::unique_ptr<Subject> NewFloorSubject(Loads loads, unsigned bits_per_key);

}  // namespace tamis::bench
