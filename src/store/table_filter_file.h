// SPDX-License-Identifier: Apache-2.0
// store/table_filter_file.h -- NNNNNN.filter: a filter that is stored beside
// its table.  The format is in docs/formats/filter-file.md.
//
// It is written once its table is in the manifest, used instead of the filter
// in the table, and removed with the table.  A file that has such a name but
// not our magic number is another program's: it is never read further, replaced
// or removed.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "table/table_filter.h"
#include "table/table_reader.h"
#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// The table that a filter belongs to.
struct FilterOwner {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;  // of the table
  // ReadTableBinding(), of all blocks and of some.
  std::uint32_t binding = 0;
  std::uint32_t quick_binding = 0;
  // ReadableFile::modified() of the table when the filter was made.  As long as
  // it is that, the second one is enough.
  std::uint64_t modified = 0;
};

// Returns the file.  `policy` is FilterPolicy::name() of the filter's policy,
// and `prefixes` PrefixExtractor::name() if the filter has prefixes, too.
// REQUIRES: 1 to 255 bytes; at most 255 bytes
std::string FilterFileBytes(const FilterOwner& owner, Slice policy,
                            Slice filter, Slice prefixes = {});

enum class FilterFileState {
  kAbsent,   // there is no such file
  kForeign,  // without our magic number: not ours
  kUnread,   // it cannot be read, which is not its fault
  kNewer,    // of a version, a policy or a kind that is not known here
  kDamaged,
  kUnfit,  // of another table
  kUsable,
};

// Returns true for the states in which a store that writes removes the file.
constexpr bool IsUseless(FilterFileState state) noexcept {
  return state == FilterFileState::kDamaged || state == FilterFileState::kUnfit;
}

struct FilterFileLook {
  FilterFileState state = FilterFileState::kAbsent;
  // Why the filter is not used, with the name of the file.
  std::string problem;
  // Not null if usable.
  std::shared_ptr<const TableFilter> filter;
};

// What is read, and how.
struct FilterFileQuery {
  Env& env;
  const std::string& dir;
  std::uint64_t number = 0;
  std::uint64_t table_bytes = 0;
  std::uint64_t table_modified = 0;  // 0: not known
  // Returns the table's; called at most once, if the rest fits, and with kAll
  // unless table_modified is known.
  std::function<Result<std::uint32_t>(BoundBlocks blocks)> binding;
  const TableReadContext& read;
  unsigned divisor = TableFilter::kWholly;  // as for TableFilter::OpenWhole()
};
FilterFileLook ReadFilterFile(const FilterFileQuery& query);

// What such a file says before its filter.
struct FilterFileHeader {
  std::uint64_t file_bytes = 0;
  FilterOwner owner;
  std::string policy;  // FilterPolicy::name() of the filter's policy
};
// NotFound: no such file.  InvalidArgument: it is not ours.  Corruption: its
// header is damaged.  NotSupported: it is of a newer version.
Result<FilterFileHeader> ReadFilterFileHeader(Env& env,
                                              const std::string& path);

// Returns true if there is such a file, and it has our magic number.
bool IsOurFilterFile(Env& env, const std::string& path);
// Removes the filter beside a table if it is ours.  NotFound: there is none.
Status RemoveFilterFile(Env& env, const std::string& dir, std::uint64_t number);

}  // namespace tamis
