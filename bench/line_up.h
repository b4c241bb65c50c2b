// SPDX-License-Identifier: Apache-2.0
// bench/line_up.h -- the subjects of a run.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/subject.h"

namespace tamis::bench {

// Numbers of keys from which on the slow kinds stay out; from which on most
// have one length of keys only, and passes are fewer.
inline constexpr std::uint64_t kTooManyForSlow = 10'000'000;
inline constexpr std::uint64_t kVeryManyKeys = 50'000'000;

struct LineUp {
  std::vector<std::string> policies = {
      "bloom:10", "bloom:12", "rocksdb:10", "rocksdb-ribbon:10", "leveldb:10",
      "splitblock:10", "parquet:10", "rocksdb-legacy:10", "classic:10",
      "cassandra:oa,10", "lab:10", "md5:10",
      // rates of about 1 % and 0.4 %
      "bloom:fpr=0.004", "ribbon:7", "ribbon:8", "fuse8", "fuse8:arity=4",
      "fuse16", "cuckoo:fpr=0.004", "counting:fpr=0.01", "scalable:fpr=0.01",
      "rotating:fpr=0.01"};
  // Only what begins like one of these: policies, "RocksDB", "LevelDB",
  // "Boost"; bare memory and the sort are always there.  Empty: everything.
  std::vector<std::string> only;
  bool slow_too = false;  // however many keys there are
};

// Subjects that are compared are adjacent.  `first_length`: no other run has as
// many keys of another length before.
// InvalidArgument: a policy is not known, or `only` leaves nothing.
Result<Subjects> MakeSubjects(const LineUp& line_up, std::uint64_t keys,
                              bool first_length);

}  // namespace tamis::bench
