// SPDX-License-Identifier: Apache-2.0
#include "bench/line_up.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "bench/goals.h"
#include "bench/rocksdb_peer.h"

namespace tamis::bench {
namespace {

constexpr unsigned kBitsPerKey = 10;  // of LevelDB's and RocksDB's

// Those of ours that goals compare with others' filters.
bool NeedsEveryLength(std::string_view spec) {
  return spec == kOurs || spec == "leveldb:10" || spec == "rocksdb-ribbon:10";
}

bool IsWanted(const LineUp& line_up, std::string_view name) {
  return line_up.only.empty() ||
         std::any_of(
             line_up.only.begin(), line_up.only.end(),
             [&](const std::string& start) { return name.starts_with(start); });
}

// Boost's filters see hashes, whatever the length of the keys.
void AddBoost(const LineUp& line_up, Subjects* subjects) {
  auto peers = NewBoostSubjects();
  if (!peers.ok()) return;
  for (auto& peer : *peers) {
    if (IsWanted(line_up, peer->name())) subjects->push_back(std::move(peer));
  }
}

// Those of RocksDB share what they build: all or none.
void AddPeers(const LineUp& line_up, Subjects* subjects) {
  if (IsWanted(line_up, "RocksDB")) {
    if (auto peers = NewRocksDbSubjects(kBitsPerKey); peers.ok()) {
      for (auto& peer : *peers) subjects->push_back(std::move(peer));
    }
  }
  if (IsWanted(line_up, kLevelDbName)) {
    subjects->push_back(NewLevelDbSubject(kBitsPerKey));
  }
}

}  // namespace

Result<Subjects> MakeSubjects(const LineUp& line_up, std::uint64_t keys,
                              bool first_length) {
  Subjects subjects;
  subjects.push_back(NewFloorSubject(Loads::kIndependent, kFloorBits));
  subjects.push_back(NewFloorSubject(Loads::kIndependent, kSmallFloorBits));
  subjects.push_back(NewFloorSubject(Loads::kChained, kFloorBits));
  const bool again = keys >= kVeryManyKeys && !first_length;
  if (!again) subjects.push_back(NewSortSubject());
  const std::size_t others = subjects.size();
  AddPeers(line_up, &subjects);
  if (first_length) AddBoost(line_up, &subjects);
  bool left_out = false;
  for (const std::string& spec : line_up.policies) {
    auto subject = NewTamisSubject(spec);
    if (!subject.ok()) return subject.status();
    if (!IsWanted(line_up, spec)) continue;
    const bool too_slow = keys >= kTooManyForSlow && IsSlow(spec);
    const bool seen = again && !NeedsEveryLength(spec);
    if ((too_slow || seen) && !line_up.slow_too) {
      left_out = true;
    } else {
      subjects.push_back(*std::move(subject));
      if (spec == kOurs) {
        subjects.push_back(
            NewHashedSubject(kHashedName, subjects.back().get()));
      }
    }
  }
  if (subjects.size() == others && !left_out) {
    return Status::InvalidArgument("--only leaves nothing to measure");
  }
  return subjects;
}

}  // namespace tamis::bench
