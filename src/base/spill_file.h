// SPDX-License-Identifier: Apache-2.0
// base/spill_file.h -- a temporary file for what exceeds memory.  It has no
// name, so nobody else opens it, and it is gone with the process, however that
// ends.

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
  // Empty.  `folder` empty: $TMPDIR, or /var/tmp.  The folder's name is in
  // the message of every error, of those below too.
  static Result<SpillFile> Create(const std::string& folder);

  // All of these may be called by several threads at a time.

  // IoError, among others: no room in the folder.
  Status WriteAt(std::uint64_t offset, std::span<const std::byte> bytes) const;
  // IoError, too: less than that was written there.
  Status ReadAt(std::uint64_t offset, std::span<std::byte> bytes) const;

  // About to be read.  Only advice.
  void WillNeed(std::uint64_t offset, std::uint64_t bytes) const noexcept;
  // Never read again: where the file system can, their room is freed.
  void Discard(std::uint64_t offset, std::uint64_t bytes) const noexcept;

 private:
  SpillFile(std::string folder, FileDescriptor fd) noexcept;
  Status Error(int error) const;

  std::string folder_;
  FileDescriptor fd_;
};

}  // namespace tamis
