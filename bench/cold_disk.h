// SPDX-License-Identifier: Apache-2.0
// bench/cold_disk.h -- what is read from a disk, and how to make sure that it
// is: the page cache, and the counters of the kernel.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tamis/result.h"
#include "tamis/status.h"

namespace tamis::bench {

// What is dropped from the page cache.
enum class Drop {
  kMachine,  // everything, if this process may; otherwise as kFiles
  kFiles,    // the files below one directory
};

// Drops the page cache and then asks the kernel which pages of the files below
// `dir` are left.  Returns what was dropped.
// NotSupported: pages are left, as on a file system in memory.
// REQUIRES: no process maps one of the files
Result<Drop> DropPageCache(const std::string& dir, Drop drop);

// Returns how much of the files below `dir` the page cache holds, as a share
// of their lengths.
double CachedShare(const std::string& dir);

// Bytes that this process, with all its threads, has had read from disks.
// NotSupported: the kernel does not count them.
Result<std::uint64_t> BytesReadByProcess();

// The block device that holds a directory.
class Disk {
 public:
  // Where no device is known, as of a network's file system, name() is empty
  // and there are no counters.
  static Disk Of(const std::string& dir);

  const std::string& name() const { return name_; }
  // Nothing: not known.
  std::optional<std::uint64_t> ReadAheadKibibytes() const;

  // Since the machine was started, and by all its processes.
  struct Counters {
    std::uint64_t reads = 0;  // requests completed
    std::uint64_t bytes = 0;
  };
  std::optional<Counters> Read() const;

 private:
  std::string path_;  // in /sys; empty: no device is known
  std::string name_;
};

}  // namespace tamis::bench
