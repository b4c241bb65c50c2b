// SPDX-License-Identifier: Apache-2.0
// store/dump_filter_file.h -- lists what NNNNNN.filter says about itself, and
// whether it fits the table beside it.

#pragma once

#include <cstdint>
#include <string>

#include "tamis/env.h"
#include "tamis/store_dump.h"
#include "tamis/store_options.h"

namespace tamis {

// Reports the filter file of that number.  Without its table, it is verified by
// itself.  NotFound: there is no such file.  InvalidArgument: it is not ours,
// in spite of its name.
Status DumpFilterFile(Env& env, const std::string& dir, std::uint64_t number,
                      const StoreOptions& options, const DumpVisitor& visit);

}  // namespace tamis
