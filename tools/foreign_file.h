// foreign_file.h -- files that people take for filters, by mistake.

#pragma once

#include <string_view>

#include "tamis/filter.h"

namespace tamis::tools {

// "a LevelDB table", "gzip data", ...; empty if the bytes are none of the
// well-known files that are not filters.  A filter without a magic number can
// look like anything, so ask only where the format is not certain.
std::string_view NameForeignFile(Slice bytes);

}  // namespace tamis::tools
