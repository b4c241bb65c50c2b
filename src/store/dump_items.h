// SPDX-License-Identifier: Apache-2.0
// store/dump_items.h -- makes the items of a dump.

#pragma once

#include <string>

#include "table/table_filter.h"
#include "tamis/store_dump.h"

namespace tamis {

DumpItem AboutItem(std::string name, std::string text);
DumpItem ProblemItem(std::string text);
// Kind, size and rate of a filter in a few words, or why it cannot be used.
std::string FilterText(const TableFilter& filter);

}  // namespace tamis
