// SPDX-License-Identifier: Apache-2.0
// tamis/sstable_probe.h -- which sstables an engine reads for a key, why, and
// what they really have.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/slice.h"
#include "tamis/sstable.h"

namespace tamis {

// What a filter has to say about a key.
enum class FilterAnswer {
  kNo,       // the key is certainly absent
  kMaybe,    // it may be there
  kNone,     // there is no filter
  kDamaged,  // "maybe", and the filter, or a part of it, is damaged
  kNotUsed,  // readers of today ignore it, or have to
};

// "no", "maybe", "no filter", "damaged", "not used".
TAMIS_EXPORT std::string_view NameOfAnswer(FilterAnswer answer) noexcept;
// "nothing", "value", "deletion", "merge", "entry".
TAMIS_EXPORT std::string_view NameOfStored(StoredKind kind) noexcept;

// One sstable that a lookup may come to.
struct ProbeStep {
  SstableInfo info;  // as Sstable::info()
  // Of its filter.
  FilterAnswer answer = FilterAnswer::kNone;
  StoredEntry entry;    // what is really there
  std::string problem;  // not empty: that is not known, for this reason
  // A newer sstable has the key, so that the lookup does not come to this one.
  bool is_after_end = false;

  // The engine reads data of it.
  bool is_read() const noexcept {
    return !is_after_end && answer != FilterAnswer::kNo;
  }
  // It has an entry of the key.
  bool has_key() const noexcept { return entry.kind != StoredKind::kNothing; }
  // The filter rules a key out that is there.
  bool is_hidden() const noexcept {
    return answer == FilterAnswer::kNo && has_key();
  }
  // It is read, and does not have the key.
  bool is_needless() const noexcept {
    return is_read() && !has_key() && problem.empty();
  }
};

// A lookup of one key.
struct SstableProbe {
  std::vector<ProbeStep> steps;       // in the order in which the engine comes
  std::uint64_t out_of_range = 0;     // sstables whose range excludes the key
  std::uint64_t not_in_manifest = 0;  // which the engine does not know
};

// Sorts by directory, column family or table, and then as a lookup goes: level
// 0 from the newest sstable on, then level by level.
TAMIS_EXPORT void SortForLookups(std::vector<FoundSstable>* found);

// Opens the sstables whose range may have the key, and looks it up in their
// filters and their data.  What cannot be read is in the steps.
// REQUIRES: SortForLookups() sorted them.  ResourceExhausted: no memory.
TAMIS_EXPORT Result<SstableProbe> ProbeSstables(
    std::span<const FoundSstable> found, Slice user_key);

}  // namespace tamis
