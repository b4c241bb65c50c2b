// SPDX-License-Identifier: Apache-2.0
// base/owner_process.h -- whether this is still the process that made a thing.

#pragma once

#include <atomic>
#include <cstdint>

namespace tamis {

// A child that was forked has copies of what its parent made.  They share the
// parent's files, so a copy must neither write, cut, remove nor unlock
// anything.  Whoever owns files keeps an OwnerProcess and asks it first.
class OwnerProcess {
 public:
  // This process.
  OwnerProcess() noexcept;

  // False in a child that was forked since.  Costs a load.
  bool IsHere() const noexcept {
    return forks_ == forks.load(std::memory_order_relaxed);
  }

 private:
  // From the first process that had an OwnerProcess to this one.
  static std::atomic<std::uint32_t> forks;

  std::uint32_t forks_;
};

}  // namespace tamis
