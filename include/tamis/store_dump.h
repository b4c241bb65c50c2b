// SPDX-License-Identifier: Apache-2.0
// tamis/store_dump.h -- what one file of a store holds, item by item: for who
// looks for a fault, or wants to know what lies on the disk.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tamis/export.h"
#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/store_options.h"

namespace tamis {

// One item of a file.  Which members count is said by the kind.
struct DumpItem {
  // What the item is.
  enum class Kind {
    kAbout,   // `name` and `text`: what the file is, and how it was written
    kPut,     // `sequence`, `key`, `value`
    kDelete,  // `sequence`, `key`
    kEdit,    // `text`: one change of the set of tables, of a manifest
    kProblem  // `text`: what could not be read
  };
  Kind kind = Kind::kAbout;    // which of the following count
  std::uint64_t sequence = 0;  // the number of the write
  Slice key;                   // the user's key
  Slice value;                 // what was stored under it
  std::string name;            // of a property of the file
  std::string text;            // its value, or a description
};

// Hears the items in the order of the file; the slices last until it returns.
// False: that was enough.  It must not throw.
using DumpVisitor = std::function<bool(const DumpItem&)>;

// Reads a table, a log or a manifest, whichever its name says ("000005.ldb",
// "000007.log", "MANIFEST-000004").  Damage is an item: what lies before it was
// given, and what lies behind it as well where it can be told apart.  Keys may
// be in any order.
// Of `options` only `env`, the limits of unpacked blocks and
// write_buffer_bytes, which bounds the length of a log, count. NotFound: no
// such file.  InvalidArgument: its name is none of these. ResourceExhausted: no
// memory, or it is longer than any such file.
TAMIS_EXPORT Status DumpStoreFile(const std::string& path,
                                  const DumpVisitor& visit,
                                  const StoreOptions& options = {});

}  // namespace tamis
