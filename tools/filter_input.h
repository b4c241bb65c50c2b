// filter_input.h -- a filter file that the user named, opened.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/mapped_file.h"
#include "tamis/filter.h"
#include "tamis/formats.h"

namespace tamis::tools {

// Members in the order of need: what stands below points to what stands
// above.  Stays valid when moved.
struct FilterInput {
  std::optional<MappedFile> file;
  RecognisedFormat recognised;  // certain, if the user named the format
  std::unique_ptr<const FilterPolicy> policy;
  std::unique_ptr<const FilterReader> reader;
};

enum class Guesses {
  kRefuse,  // answers would depend on the guess
  kAccept,  // it is shown as one
};

// Maps `path` and opens it as `format` (as MakePolicy() takes it) or, if that
// is empty, as what it is recognised to be.  On error *out holds what was
// found by then.  Every message begins with the path.
// Corruption: the file is in that format, but damaged.
// InvalidArgument: unknown format, unrecognised file, a guess refused.
Status OpenFilterInput(const std::string& path, const std::string& format,
                       Guesses guesses, FilterInput* out);

}  // namespace tamis::tools
