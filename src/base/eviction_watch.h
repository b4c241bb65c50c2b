// SPDX-License-Identifier: Apache-2.0
// base/eviction_watch.h -- whether a thread still finds in memory what it has
// read from mapped files before.
//
// Nothing tells a process that the system has evicted its pages, and asking
// page by page takes a system call each.  But the system counts, per thread,
// what was loaded from disks: a thread that reads again and again and loads
// nothing has all it needs in memory.  So the counts are read once for many
// reads.

#pragma once

#include <cstdint>

namespace tamis {

// Not thread-safe; each thread has its own.
class EvictionWatch {
 public:
  // How many reads share one look at the counts, and how many loads among them
  // make it worth while to request each range before it is read: a request for
  // what is in memory costs about a hundredth of a page's load.
  static constexpr std::uint32_t kReadsPerLook = 256;
  static constexpr std::uint64_t kManyLoads = 4;

  // What a thread has had loaded from disks since it was started.
  struct Loads {
    std::uint64_t faults = 0;   // pages that it had to wait for
    std::uint64_t sectors = 0;  // of 512 bytes, also of requests
  };

  // What was in memory once is about to be read again.  Returns true if it may
  // well have been evicted since.
  bool ReadsAgain() noexcept {
    if (--until_look_ == 0) [[unlikely]]
      Look();
    return is_evicting_;
  }

  // Takes the counts of a moment; the first ones are where counting starts.
  void Take(const Loads& now) noexcept {
    const std::uint64_t pages = (now.sectors - last_.sectors) / kSectorsPerPage;
    const std::uint64_t loads =
        pages > now.faults - last_.faults ? pages : now.faults - last_.faults;
    is_evicting_ = has_last_ && loads >= kManyLoads;
    has_last_ = true;
    last_ = now;
  }
  bool is_evicting() const noexcept { return is_evicting_; }

  static EvictionWatch& OfThisThread() noexcept {
    static constinit thread_local EvictionWatch watch;
    return watch;
  }

 private:
  static constexpr std::uint64_t kSectorsPerPage = 8;

  void Look() noexcept;

  std::uint32_t until_look_ = 1;
  bool is_evicting_ = false;
  bool has_last_ = false;
  Loads last_ = {};
};

}  // namespace tamis
