// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/index_builder.h"

#include <cassert>
#include <utility>

#include "base/coding.h"

namespace tamis {

void RocksDbIndexBuilder::Add(Slice separator, const BlockHandle& handle) {
  assert(!coding_.has_first_keys);
  restarts_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  std::string value;
  AppendHandle(&value, handle);
  AppendVarint32(&bytes_, 0);  // shares nothing
  AppendVarint32(&bytes_, static_cast<std::uint32_t>(separator.size()));
  if (!coding_.has_delta_values) {
    AppendVarint32(&bytes_, static_cast<std::uint32_t>(value.size()));
  }
  bytes_.append(separator);
  bytes_.append(value);
}

std::string RocksDbIndexBuilder::Finish() {
  for (const std::uint32_t restart : restarts_) AppendFixed32(&bytes_, restart);
  AppendFixed32(&bytes_, static_cast<std::uint32_t>(restarts_.size()));
  restarts_.clear();
  return std::exchange(bytes_, {});
}

}  // namespace tamis
