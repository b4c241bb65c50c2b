// SPDX-License-Identifier: Apache-2.0
// bench/memory_limit.h -- a limit on the memory of a process, page cache
// included: a control group of the kernel.

#pragma once

#include <cstdint>
#include <string>

#include "tamis/result.h"
#include "tamis/status.h"

namespace tamis::bench {

// A control group below the one of this process.  The destructor removes it.
class MemoryLimit {
 public:
  // NotSupported: this process may not make such a group; the message says
  // what to do instead.
  static Result<MemoryLimit> Make(std::uint64_t bytes);
  MemoryLimit(MemoryLimit&& other) noexcept;
  MemoryLimit& operator=(MemoryLimit&&) = delete;
  // REQUIRES: every process that entered has ended
  ~MemoryLimit();

  // From now on, what this process allocates and what it reads into the page
  // cache counts.
  Status Enter() const;

 private:
  explicit MemoryLimit(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: nothing to remove
};

}  // namespace tamis::bench
