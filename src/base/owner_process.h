// SPDX-License-Identifier: Apache-2.0
// base/owner_process.h -- whether this is still the process that created an
// object.

#pragma once

#include <atomic>
#include <cstdint>

namespace tamis {

// A forked child has copies of its parent's objects, which share the parent's
// files.  So a copy must not write, truncate, remove or unlock anything.  A
// class that owns files has an OwnerProcess and checks it first.
class OwnerProcess {
 public:
  // Remembers this process.
  OwnerProcess() noexcept;

  // Returns false in a child that was forked since.  Costs one load.
  bool IsHere() const noexcept { return ForksSince() == 0; }
  // Returns how many forks lead from that process to this one.
  std::uint32_t ForksSince() const noexcept {
    return forks.load(std::memory_order_relaxed) - forks_;
  }

 private:
  // The number of forks from the first process that had an OwnerProcess to this
  // one.
  static std::atomic<std::uint32_t> forks;

  std::uint32_t forks_;
};

}  // namespace tamis
