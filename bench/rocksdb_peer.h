// SPDX-License-Identifier: Apache-2.0
// bench/rocksdb_peer.h -- RocksDB's own builders and readers of filters.

#pragma once

#include "bench/subject.h"

namespace tamis::bench {

// RocksDB's Bloom filter as it is; the same with its bytes moved into memory
// like ours; its Ribbon.  NotSupported: there is no RocksDB, or not of the one
// version whose interface is known here.
Result<Subjects> NewRocksDbSubjects(int bits_per_key);

}  // namespace tamis::bench
