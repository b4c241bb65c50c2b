// SPDX-License-Identifier: Apache-2.0
// batch.h -- the bytes of a leveldb::WriteBatch, which are those of
// tamis::WriteBatch::contents().

#pragma once

#include <string>

#include <leveldb/write_batch.h>

namespace leveldb {

// A friend of the class; the name is LevelDB's.
class WriteBatchInternal {
 public:
  static const std::string& Contents(const WriteBatch& batch) noexcept {
    return batch.rep_;
  }
};

}  // namespace leveldb
