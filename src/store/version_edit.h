// SPDX-License-Identifier: Apache-2.0
// store/version_edit.h -- one change of the set of a store's tables: a record
// of the manifest.  Tags and encoding are LevelDB's; an unknown tag would make
// LevelDB refuse the store, so there are no others.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "table/internal_key.h"
#include "tamis/result.h"
#include "tamis/store_stats.h"

namespace tamis {

// A table's metadata in the manifest.
struct FileMetadata {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::string smallest;  // internal keys
  std::string largest;
};

struct VersionEdit {
  std::optional<std::string> comparator;
  std::optional<std::uint64_t> log_number;  // older logs are not needed
  std::optional<std::uint64_t> previous_log_number;
  std::optional<std::uint64_t> next_file_number;
  std::optional<Sequence> last_sequence;
  std::vector<std::pair<int, std::string>> compact_pointers;  // level, key
  std::vector<std::pair<int, std::uint64_t>> removed;         // level, number
  std::vector<std::pair<int, FileMetadata>> added;            // level, file

  void AppendTo(std::string* dst) const;
  // Corruption: the message says what was not understood.
  static Result<VersionEdit> Parse(Slice record);
  // For people: one line per item.
  std::string ToText() const;
};

// What can be read of a record, up to the first item that is not understood.
struct EditPrefix {
  VersionEdit edit;
  // The tag of that item, if LevelDB has no such tag: another engine wrote the
  // record.
  std::optional<std::uint32_t> unknown_tag;
};
EditPrefix ReadEditPrefix(Slice record);

}  // namespace tamis
