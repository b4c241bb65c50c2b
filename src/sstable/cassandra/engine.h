// SPDX-License-Identifier: Apache-2.0
// sstable/cassandra/engine.h -- sstables of Cassandra and ScyllaDB, which are
// several files each.

#pragma once

#include "sstable/engine.h"

namespace tamis {

SstableEngineRow CassandraEngine();

}  // namespace tamis
