// SPDX-License-Identifier: Apache-2.0
// db_store.h -- how the commands of `tamis db` open a store, and the options
// and arguments they have in common.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/store.h"

namespace tamis::tools {

// As typed; empty: not given.
struct NewTableArgs {
  std::string filter;  // as MakePolicy() takes it, or "none"
  std::string compression;
  bool remember = false;
};
// What the store at `dir` remembers, and in its place what is given.
// InvalidArgument: there is no such filter.  Others: what it remembers cannot
// be used, and not all of it is given; the message says what to do.
Result<StoreOptions> StoreOptionsFrom(const std::string& dir,
                                      const NewTableArgs& args);

struct DbWriteArgs {
  NewTableArgs tables;
  bool may_create = false;  // the command has --create
  bool create = false;
  bool sync = false;
};

// From the first, included, to the second, excluded.
struct RangeArgs {
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> prefix;  // in place of both
};
// The bytes of both ends; a prefix becomes the range of the keys that have it.
// InvalidArgument: hexadecimal digits were requested, and these are none.
Result<RangeArgs> DecodedRange(const RangeArgs& args, bool hex);

// The bytes of an argument called `name`, written as hexadecimal digits if
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

// Ok if a store may be made at `dir`, as far as can be seen: asked before input
// is awaited that would then be for nothing.
Status CheckMayCreate(const std::string& dir);

// A message of the library about opening a store, with what to do.
Status InDbWords(const Status& status);

// True if `dir` is a directory with a CURRENT, as every store has one.  False
// also where nobody lets us look.
bool HasStore(const std::string& dir);

// Why there is no store at `dir`, which the library did not find: no such
// directory, no right to look into it, a store that lost its CURRENT; and what
// to do.  With `may_create` that includes --create.
Status MissingStore(const std::string& dir, bool may_create = false);

}  // namespace tamis::tools
