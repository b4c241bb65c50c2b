// SPDX-License-Identifier: Apache-2.0
// filter_input.h -- a filter file that the user named, opened.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/mapped_file.h"
#include "parquet_column.h"
#include "tamis/filter.h"
#include "tamis/formats.h"

namespace tamis::tools {

// Members in the order of need: what stands below points to what stands
// above.  Stays valid when moved.  Whoever has taken something from the bytes
// or the reader asks file->status() before it counts.
struct FilterInput {
  std::optional<MappedFile> file;
  RecognisedFormat recognised;  // certain, if the user named the format
  std::unique_ptr<const FilterPolicy> policy;
  std::unique_ptr<const FilterReader> reader;
  Status damage;  // why there is no reader, if the bytes are damaged
};

enum class Guesses {
  kRefuse,  // answers would depend on the guess
  kAccept,  // it is shown as one
};

struct FilterInputArgs {
  std::string path;    // "-": standard input
  std::string format;  // as --format takes it; empty: to be recognised
  Guesses guesses = Guesses::kRefuse;
  int standard_input = 0;
};

// Maps the file and opens it as the format given or recognised.  On error
// *out holds what was found by then.  Every message begins with the file's
// name, unless it is about the format's.
// Corruption: the file is in that format, but damaged.
// InvalidArgument: unknown format, unrecognised file, a guess refused; or the
// bytes are certainly something else than the format given.
Status OpenFilterInput(const FilterInputArgs& args, FilterInput* out);

// The filters of one column of a Parquet file; members as in FilterInput.
struct ColumnInput {
  std::optional<MappedFile> file;
  std::unique_ptr<const ColumnFilter> filter;
};

// InvalidArgument: no Parquet file, or a format is given that is another.
// Otherwise fails as ColumnFilter::Open() does, with the file's name in front.
Status OpenColumnInput(const FilterInputArgs& args, const ColumnChoice& choice,
                       ColumnInput* out);

// True if the file is no bare filter but a Parquet file, and no other format
// was asked for.
bool HoldsFilters(const FilterInputArgs& args, Slice bytes);

// What messages call the file.
std::string InputName(const std::string& path);

}  // namespace tamis::tools
