// SPDX-License-Identifier: Apache-2.0
// table/block_builder.h -- writes one block after the other.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tamis/slice.h"

namespace tamis {

// Calls must match: (Add* Finish)*.
class BlockBuilder {
 public:
  // REQUIRES: restart_interval > 0
  explicit BlockBuilder(unsigned restart_interval)
      : restart_interval_(restart_interval) {}

  // `shared` is how many bytes the key has in common with the one added
  // before, or any lower number.  REQUIRES: key and value below 4 GiB each
  void Add(Slice key, Slice value, std::size_t shared);

  // Returns the block, to which the caller may append; valid until the next
  // Add(), which starts another block.
  std::string& Finish();

  bool empty() const noexcept { return entries_ == 0; }
  // The size of what Finish() would return.
  std::size_t bytes() const noexcept {
    return (finished_ ? 0 : bytes_.size()) +
           (restarts_.size() + 1) * sizeof(std::uint32_t);
  }
  // The same after Add() of that entry.
  std::size_t BytesWith(Slice key, Slice value,
                        std::size_t shared) const noexcept;

 private:
  const unsigned restart_interval_;
  std::string bytes_;
  std::vector<std::uint32_t> restarts_;
  unsigned since_restart_ = 0;
  std::size_t entries_ = 0;
  bool finished_ = false;
};

}  // namespace tamis
