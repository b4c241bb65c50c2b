// SPDX-License-Identifier: Apache-2.0
// Which sstables an engine reads for a key.

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "base/no_throw.h"
#include "tamis/sstable_probe.h"

namespace tamis {
namespace {

constexpr std::string_view kBytewise = "leveldb.BytewiseComparator";
constexpr std::string_view kReverse = "rocksdb.ReverseBytewiseComparator";

// What one lookup goes through: a directory, of that one column family, of
// Cassandra one table.
std::pair<std::string, std::string> ScopeOf(const FoundSstable& found) {
  const std::string directory = found.path.substr(0, found.path.rfind('/') + 1);
  const std::size_t level = found.group.rfind("level ");
  return {directory, level == std::string::npos ? found.group
                                                : found.group.substr(0, level)};
}

std::uint64_t NumberOf(const std::string& path) {
  std::uint64_t number = 0;
  const std::size_t start = path.rfind('/') + 1;
  std::from_chars(path.data() + start, path.data() + path.size(), number);
  return number;
}

// Level 0 from the newest on, which has the highest sequence and number.
bool ComesBefore(const FoundSstable& a, const FoundSstable& b) {
  const auto scopes = ScopeOf(a) <=> ScopeOf(b);
  if (scopes != 0) return scopes < 0;
  if (a.level != b.level) return a.level < b.level;
  if (a.level != 0) return a.path < b.path;
  return std::tuple(b.newest_sequence, NumberOf(b.path)) <
         std::tuple(a.newest_sequence, NumberOf(a.path));
}

bool MayBeInRange(const FoundSstable& found, Slice key) {
  if (!found.has_range) return true;
  if (found.comparator == kReverse) {
    return key <= found.smallest && key >= found.largest;
  }
  // Of other column families the manifest's comparator is not known.
  if (found.comparator != kBytewise) return true;
  return key >= found.smallest && key <= found.largest;
}

bool IsInManifest(const FoundSstable& found) {
  return found.group != "not in the manifest";
}

FilterAnswer AnswerOf(const Sstable& sstable, Slice key) {
  const SstableInfo& info = sstable.info();
  if (info.filter.kind.empty()) return FilterAnswer::kNone;
  if (!sstable.MayContain(key)) return FilterAnswer::kNo;
  if (info.verdict == FilterVerdict::kDamaged) return FilterAnswer::kDamaged;
  if (info.verdict == FilterVerdict::kNotUsed) return FilterAnswer::kNotUsed;
  return FilterAnswer::kMaybe;
}

Result<ProbeStep> StepOf(const FoundSstable& found, Slice key) {
  const auto sstable = OpenSstable(found);
  if (!sstable.ok()) return sstable.status();
  ProbeStep step;
  step.info = (*sstable)->info();
  step.answer = AnswerOf(**sstable, key);
  const Result<StoredEntry> entry = (*sstable)->Find(key);
  if (entry.ok()) {
    step.entry = *entry;
    return step;
  }
  ThrowIfOutOfMemory(entry.status());
  step.problem = entry.status().message();
  return step;
}

// A merge needs what is older; an entry of unknown kind may be one.
bool EndsLookup(const ProbeStep& step) {
  return step.is_read() && (step.entry.kind == StoredKind::kValue ||
                            step.entry.kind == StoredKind::kDeletion);
}

}  // namespace

std::string_view NameOfAnswer(FilterAnswer answer) noexcept {
  switch (answer) {
    case FilterAnswer::kNo:
      return "no";
    case FilterAnswer::kMaybe:
      return "maybe";
    case FilterAnswer::kNone:
      return "no filter";
    case FilterAnswer::kDamaged:
      return "damaged";
    case FilterAnswer::kNotUsed:
      break;
  }
  return "not used";
}

std::string_view NameOfStored(StoredKind kind) noexcept {
  switch (kind) {
    case StoredKind::kNothing:
      return "nothing";
    case StoredKind::kValue:
      return "value";
    case StoredKind::kDeletion:
      return "deletion";
    case StoredKind::kMerge:
      return "merge";
    case StoredKind::kEntry:
      break;
  }
  return "entry";
}

void SortForLookups(std::vector<FoundSstable>* found) {
  std::stable_sort(found->begin(), found->end(), ComesBefore);
}

Result<SstableProbe> ProbeSstables(std::span<const FoundSstable> found,
                                   Slice user_key) {
  return NoThrow([&]() -> Result<SstableProbe> {
    SstableProbe probe;
    bool has_ended = false;
    const FoundSstable* before = nullptr;
    for (const FoundSstable& one : found) {
      if (!IsInManifest(one)) {
        ++probe.not_in_manifest;
        continue;
      }
      if (before != nullptr && ScopeOf(*before) != ScopeOf(one)) {
        has_ended = false;
      }
      before = &one;
      if (!MayBeInRange(one, user_key)) {
        ++probe.out_of_range;
        continue;
      }
      Result<ProbeStep> step = StepOf(one, user_key);
      if (!step.ok()) return step.status();
      step->is_after_end = has_ended;
      has_ended = has_ended || EndsLookup(*step);
      probe.steps.push_back(*std::move(step));
    }
    return probe;
  });
}

}  // namespace tamis
