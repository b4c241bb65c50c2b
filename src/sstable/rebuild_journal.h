// SPDX-License-Identifier: Apache-2.0
// sstable/rebuild_journal.h -- what a rebuild does to a directory, as data and
// as text; docs/formats/rebuild-journal.md describes the text.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// What a file is recognised by.
struct FileMark {
  std::uint64_t bytes = 0;
  std::optional<std::uint32_t> crc;  // CRC-32C; nothing: only the length counts

  friend bool operator==(const FileMark&, const FileMark&) = default;
};

// One change of a name in the directory.
struct RebuildMove {
  enum class Kind {
    kAdd,      // a new file gets its name
    kReplace,  // a new file takes the name of an old one, which was copied
    kRetire,   // an old file is moved away
  };
  Kind kind = Kind::kAdd;
  std::string name;        // of the file in the directory
  FileMark old_mark = {};  // of kReplace and kRetire
  FileMark new_mark = {};  // of kAdd and kReplace
};

// Changes that belong together, in order: each prefix of them leaves a
// directory that the engine opens.
struct RebuildUnit {
  // A file that is there as long as the unit is of any use: CURRENT, or the
  // data of an sstable.
  std::string anchor;
  std::vector<RebuildMove> moves;
};

struct RebuildJournal {
  std::string engine;
  bool is_done = false;  // all moves were made
  std::vector<RebuildUnit> units;
};

std::string FormatRebuildJournal(const RebuildJournal& journal);

// Corruption: it is damaged, or has names that are not of files in a directory.
// NotSupported: a later version wrote it.
Result<RebuildJournal> ParseRebuildJournal(Slice text);

}  // namespace tamis
