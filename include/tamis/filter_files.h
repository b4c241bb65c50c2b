// SPDX-License-Identifier: Apache-2.0
// tamis/filter_files.h -- filters beside the tables of a store, in files of
// their own: tables that LevelDB wrote, or whose filters are poor, damaged or
// missing, get good ones, and no byte of data is written again.
//
//   Result<FilterFilesReport> done = MakeFilterFiles("/data/db");
//
// A store that is open can do the same in the background
// (StoreOptions::filter_files).  docs/design/12-filter-files.md has the
// reasons.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/store_options.h"

namespace tamis {

// What MakeFilterFiles() did to one table, or would do.
enum class FilterFileAction {
  kNone,     // its filter is as required, or none is
  kMade,     // a file was written, or replaced
  kRemoved,  // its file was removed: by request, or because it was of no use
  kFailed,   // `problem` says why; whatever was there is still there
};

// One table.
struct FilterFileOfTable {
  int level = 0;                  // of the tree
  std::uint64_t file_number = 0;  // "000005.ldb" and "000005.filter"
  std::uint64_t keys = 0;         // an estimate, unless its filter was made
  // A filter that lookups use.
  struct Filter {
    std::string kind;         // "leveldb", "bloom", ...; empty: none
    std::uint64_t bytes = 0;  // in memory
    double rate = 1.0;        // expected, of false positives
  };
  Filter before;  // the one that there was
  Filter after;   // the one that there is; of a dry run: that would be made
  FilterFileAction action = FilterFileAction::kNone;  // what was done
  // Why it failed, or why the file that there was is of no use.
  std::string problem;
};

// What MakeFilterFiles() did, or would do.
struct FilterFilesReport {
  std::vector<FilterFileOfTable> tables;  // all, by level
  std::uint64_t made = 0;                 // files
  std::uint64_t removed = 0;              // files
  std::uint64_t failed = 0;               // tables that got none
};

// What MakeFilterFiles() does, and what it reports to.
struct FilterFilesOptions {
  // Removes the files instead.
  bool remove = false;
  // Changes nothing, takes no lock, and reports what would be done.
  bool dry_run = false;
  // Called with the bytes of tables that were read, and of all that will be; it
  // may throw only std::bad_alloc.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
};

// Gives tables a filter beside them whose own is missing, damaged, of another
// kind, or of another size, by more than 1.5 bits per key, than the options
// say: by filter_memory_bytes, which is divided over the tree; by
// filter_per_level or filter_policy; or by filter.  A table that is damaged is
// left out, and named: a filter of some of its keys would hide the others.  A
// file that is damaged, or of another table, is replaced or removed.
//
// Takes the store's lock; reads tables, but not logs; writes nothing but these
// files, and to TAMIS the seed of filters if none is remembered.  Each file is
// whole or absent at every moment.
//
// NotFound, InvalidArgument, NotSupported, Corruption: as Store::Open().
// IoError: the store is open.  A file that cannot be written is a failure of
// its table alone.
TAMIS_EXPORT Result<FilterFilesReport> MakeFilterFiles(
    const std::string& dir, const StoreOptions& options = {},
    const FilterFilesOptions& filters = {});

}  // namespace tamis
