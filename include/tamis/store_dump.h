// SPDX-License-Identifier: Apache-2.0
// tamis/store_dump.h -- lists the contents of one file of a store, item by
// item, for debugging.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tamis/export.h"
#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/store_options.h"

namespace tamis {

// One item of a file.  Its kind determines which members are set.
struct DumpItem {
  // What the item is.
  enum class Kind {
    kAbout,   // `name` and `text`: what the file is, and how it was written
    kPut,     // `sequence`, `key`, `value`
    kDelete,  // `sequence`, `key`
    kEdit,    // `text`: one change of the set of tables, of a manifest
    kProblem  // `text`: what could not be read
  };
  Kind kind = Kind::kAbout;    // which of the following are set
  std::uint64_t sequence = 0;  // the number of the write
  Slice key;                   // the user's key
  Slice value;                 // what was stored under it
  std::string name;            // of a property of the file
  std::string text;            // its value, or a description
};

// Called with each item in the order of the file; the slices last until it
// returns.  Return false to stop.  It must not throw.
using DumpVisitor = std::function<bool(const DumpItem&)>;

// Reads a table, a log, a manifest or a filter beside a table, according to its
// name ("000005.ldb", "000007.log", "MANIFEST-000004", "000005.filter").  Of a
// filter it reports what it is, and whether it fits its table.  Of the
// directory of a store it reports what each file is, and verifies filters.
// Damage is an item: items before it are reported, and so are items after it
// where they can be found.  Keys may be in any order.
// Uses only these `options`: `env`, the limits of unpacked blocks, and
// write_buffer_bytes, which bounds the length of a log.  NotFound: no such
// file.  InvalidArgument: the name is not one of these.  ResourceExhausted: no
// memory, or the file is longer than any valid one.
TAMIS_EXPORT Status DumpStoreFile(const std::string& path,
                                  const DumpVisitor& visit,
                                  const StoreOptions& options = {});

}  // namespace tamis
