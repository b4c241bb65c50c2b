// SPDX-License-Identifier: Apache-2.0
// query_ranges.h -- `tamis query --range`: may any key be from here to there?

#pragma once

#include <functional>

#include "commands.h"
#include "console.h"
#include "tamis/filter.h"

namespace tamis::tools {

// Answers the range that args.key_files are the ends of, or, if there is one
// file, the ranges on its lines: both ends, a tab between them.
// InvalidArgument: another number of words, or a line without a tab.
// IoError: the filter, as `read` says, or the ranges cannot be read.
Status AnswerRanges(const QueryArgs& args, const Console& console,
                    const FilterReader& filter,
                    const std::function<Status()>& read, bool* any_maybe);

}  // namespace tamis::tools
