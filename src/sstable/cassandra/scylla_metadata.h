// SPDX-License-Identifier: Apache-2.0
// sstable/cassandra/scylla_metadata.h -- what Scylla.db says about the other
// components of an sstable.

#pragma once

#include <string>

#include "tamis/slice.h"

namespace tamis {

// Returns why a component must not be replaced by another one, or "".  Since
// March 2026 ScyllaDB stores checksums of components there, and refuses an
// sstable whose components do not match.  What is not understood is a reason,
// too.
std::string WhyFilterIsBound(Slice scylla_db);

}  // namespace tamis
