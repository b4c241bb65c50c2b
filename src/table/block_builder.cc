// SPDX-License-Identifier: Apache-2.0
#include "table/block_builder.h"

#include <cassert>
#include <cstring>

#include "base/coding.h"

namespace tamis {

void BlockBuilder::Add(Slice key, Slice value, std::size_t shared) {
  if (finished_) {
    bytes_.clear();
    finished_ = false;
  }
  if (entries_ == 0 || since_restart_ == restart_interval_) {
    restarts_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    since_restart_ = 0;
    shared = 0;
  }
  assert(shared <= key.size());
  ++since_restart_;
  ++entries_;
  const Slice own = key.substr(shared);
  char head[3 * kMaxVarint32Bytes];
  char* p = EncodeVarint32(head, static_cast<std::uint32_t>(shared));
  p = EncodeVarint32(p, static_cast<std::uint32_t>(own.size()));
  p = EncodeVarint32(p, static_cast<std::uint32_t>(value.size()));
  bytes_.append(head, static_cast<std::size_t>(p - head));
  bytes_.append(own);
  bytes_.append(value);
}

std::size_t BlockBuilder::BytesWith(Slice key, Slice value,
                                    std::size_t shared) const noexcept {
  const bool restarts = entries_ == 0 || since_restart_ == restart_interval_;
  if (restarts) shared = 0;
  const std::size_t own = key.size() - shared;
  return bytes() + (restarts ? sizeof(std::uint32_t) : 0) +
         VarintBytes(shared) + VarintBytes(own) + VarintBytes(value.size()) +
         own + value.size();
}

std::string& BlockBuilder::Finish() {
  if (finished_) bytes_.clear();                  // a block without entries
  if (restarts_.empty()) restarts_.push_back(0);  // as in LevelDB
  for (const std::uint32_t restart : restarts_) AppendFixed32(&bytes_, restart);
  AppendFixed32(&bytes_, static_cast<std::uint32_t>(restarts_.size()));
  restarts_.clear();
  since_restart_ = 0;
  entries_ = 0;
  finished_ = true;
  return bytes_;
}

}  // namespace tamis
