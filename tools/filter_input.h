// SPDX-License-Identifier: Apache-2.0
// filter_input.h -- opens a filter file that the user named.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/mapped_file.h"
#include "parquet_column.h"
#include "tamis/filter.h"
#include "tamis/formats.h"

namespace tamis::tools {

// Members in order of dependence: each may point into those above it.  Stays
// valid when moved.  A caller must check file->status() after it has used the
// bytes or the reader.
struct FilterInput {
  std::optional<MappedFile> file;
  RecognisedFormat recognised;  // certain if the user named the format
  std::unique_ptr<const FilterPolicy> policy;
  std::unique_ptr<const FilterReader> reader;
  Status damage;  // why there is no reader, if the bytes are damaged
};

enum class Guesses {
  kRefuse,  // answers would depend on the guess
  kAccept,  // it is reported as a guess
};

struct FilterInputArgs {
  std::string path;    // "-": standard input
  std::string format;  // as in --format; empty: recognise it
  Guesses guesses = Guesses::kRefuse;
  int standard_input = 0;
};

// Maps the file and opens it in the given or recognised format.  On error *out
// has what was found so far.  Every message begins with the file's name, unless
// it is about the format's.
// Corruption: the file is in that format, but damaged.
// InvalidArgument: the format is unknown, or the file is not recognised, only
// by a guess, or certainly not in the given format.
Status OpenFilterInput(const FilterInputArgs& args, FilterInput* out);

// The filters of one column of a Parquet file; members as in FilterInput.
struct ColumnInput {
  std::optional<MappedFile> file;
  std::unique_ptr<const ColumnFilter> filter;
};

// InvalidArgument: not a Parquet file, or another format was given.  Otherwise
// fails as ColumnFilter::Open() does, with the file's name in front.
Status OpenColumnInput(const FilterInputArgs& args, const ColumnChoice& choice,
                       ColumnInput* out);

// Returns true if the file is a Parquet file, and no other format was
// requested.
bool HoldsFilters(const FilterInputArgs& args, Slice bytes);

// Returns the name of the file for messages.
std::string InputName(const std::string& path);

}  // namespace tamis::tools
