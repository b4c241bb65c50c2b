// SPDX-License-Identifier: Apache-2.0
// store/filter_file_build.h -- builds the filter of a table that is there
// already, and writes it beside the table.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "store/version_edit.h"
#include "table/table_reader.h"
#include "tamis/env.h"
#include "tamis/filter.h"
#include "tamis/prefix.h"
#include "tamis/result.h"

namespace tamis {

struct FilterFileJob {
  Env& env;
  const std::string& dir;
  const FileMetadata& table;
  KeyOrder order;
  UnpackLimits unpack = {};
  const FilterPolicy& policy;
  // The prefixes of keys go in, too; null: none do.  REQUIRES: bytewise order
  const PrefixExtractor* prefixes = nullptr;
  // Called now and then with the bytes of the table that were read.  An error
  // ends the job with it.
  std::function<Status(std::uint64_t bytes)> progress = {};
};

// A file that is not written yet.
struct BuiltFilterFile {
  std::string bytes;
  std::string kind;                // of the filter, as TableFilter::kind_name()
  std::uint64_t filter_bytes = 0;  // in memory
  double rate = 1.0;               // expected
  std::uint64_t keys = 0;
};

// Reads all keys of the table, and verifies every block: a filter of some of
// the keys would hide the others.  Corruption, IoError: the table is damaged,
// or cannot be read.  ResourceExhausted: the filter cannot be built.
Result<BuiltFilterFile> BuildFilterFile(const FilterFileJob& job);

// Writes the file, whole or not at all, also after a crash, and durably.
// AlreadyExists: a file of that name is not ours.
// REQUIRES: the manifest names the table, durably
Status WriteFilterFileOf(const FilterFileJob& job,
                         const BuiltFilterFile& built);

}  // namespace tamis
