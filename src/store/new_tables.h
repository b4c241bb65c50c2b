// SPDX-License-Identifier: Apache-2.0
// store/new_tables.h -- writes tables with the store's next numbers and its
// options.

#pragma once

#include <memory>

#include "base/give_way.h"
#include "store/memtable.h"
#include "store/store_context.h"
#include "store/table_outputs.h"
#include "store/version_set.h"

namespace tamis {

// The tables are for that level.  REQUIRES: both outlive it
std::unique_ptr<TableOutputs> NewTableOutputs(StoreContext& context,
                                              VersionSet& versions, int level);

// Writes the entries of a memtable that can still be read, and ends the last
// table.  The calls may come from two threads, one after the other.
Status WriteMemtable(const Memtable& memtable, const StoreContext& context,
                     TableOutputs* outputs, const GiveWay& give_way = {});

}  // namespace tamis
