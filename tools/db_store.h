// SPDX-License-Identifier: Apache-2.0
// db_store.h -- how the commands of `tamis db` open a store, and their common
// options and operands.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/store.h"

namespace tamis::tools {

// As typed; empty: not given.
struct NewTableArgs {
  std::string filter;        // as MakePolicy() takes it, or "none"
  std::string block_filter;  // bits per key, as digits; empty: as remembered
  std::string range_filter;  // likewise
  // As MakePrefixExtractor() takes it, or "none"; empty: as remembered.
  std::string prefix_extractor;
  std::string compression;
  bool remember = false;
};
// Returns what the store at `dir` remembers, overridden by the arguments.
// InvalidArgument: there is no such filter.  Others: what it remembers cannot
// be used, and the arguments do not replace all of it; the message says what to
// do.
Result<StoreOptions> StoreOptionsFrom(const std::string& dir,
                                      const NewTableArgs& args);

struct DbWriteArgs {
  NewTableArgs tables;
  bool may_create = false;  // the command has --create
  bool create = false;
  bool sync = false;
};

// A range from the first key (included) to the second (excluded).
struct RangeArgs {
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> prefix;  // instead of both
};
// Returns the bytes of both ends; a prefix becomes the range of its keys.
// InvalidArgument: `hex` is set, and an end is not hexadecimal.
Result<RangeArgs> DecodedRange(const RangeArgs& args, bool hex);

// Returns the bytes of an argument called `name`, which is hexadecimal if
// `hex`.  InvalidArgument: it is not.
Result<std::string> ArgumentBytes(std::string_view name,
                                  const std::string& text, bool hex);

// Takes no lock and writes nothing.
Result<std::unique_ptr<Store>> OpenToRead(
    const std::string& dir,
    FilterLoading loading = FilterLoading::kWhenFirstAsked);
// Creates a store only if args.create is set.
Result<std::unique_ptr<Store>> OpenToWrite(const std::string& dir,
                                           const DbWriteArgs& args);

// Returns ok if a store can probably be created at `dir`: checked before
// waiting for input in vain.
Status CheckMayCreate(const std::string& dir);

// Returns a message of the library about opening a store, with what to do.
Status InDbWords(const Status& status);

// Returns true if `dir` is a directory with a CURRENT, as every store has.
// False also without permission to look.
bool HasStore(const std::string& dir);

// Returns why the library found no store at `dir`: no such directory, no
// permission, or a store that lost its CURRENT; and what to do.  With
// `may_create` that includes --create.
Status MissingStore(const std::string& dir, bool may_create = false);

}  // namespace tamis::tools
