// SPDX-License-Identifier: Apache-2.0
// base/spill_file.h -- a temporary file for what exceeds memory.  It has no
// name, so no other program opens it, and it disappears with the process,
// however that ends.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/file_descriptor.h"
#include "tamis/result.h"

namespace tamis {

class SpillFile {
 public:
  // Returns an empty file.  If `folder` is empty, $TMPDIR or /var/tmp is used.
  // Every error message here and below names the folder.
  static Result<SpillFile> Create(const std::string& folder);

  // All of these may be called from several threads at a time.
  // IoError: for example, the disk is full.
  Status WriteAt(std::uint64_t offset, std::span<const std::byte> bytes) const;
  // IoError: also if less than that was written there.
  Status ReadAt(std::uint64_t offset, std::span<std::byte> bytes) const;

  // A hint that these bytes are about to be read.
  void WillNeed(std::uint64_t offset, std::uint64_t bytes) const noexcept;
  // These bytes are never read again: frees their disk space where the file
  // system supports it.
  void Discard(std::uint64_t offset, std::uint64_t bytes) const noexcept;

 private:
  SpillFile(std::string folder, FileDescriptor fd) noexcept;
  Status Error(int error) const;

  std::string folder_;
  FileDescriptor fd_;
};

}  // namespace tamis
