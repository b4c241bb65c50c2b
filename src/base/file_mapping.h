// SPDX-License-Identifier: Apache-2.0
// base/file_mapping.h -- a part of a file, mapped into memory.
//
// If the system cannot read a page of a mapping (a bad sector, a truncated
// file), no call fails: touching the page raises SIGBUS.  In a file that is
// mapped after GuardMappings() was called that signal does not end the process:
// the page reads as zeros from then on, and faulted() says so.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tamis {

struct MappingSlot;  // an entry of the registry that the handler searches

enum class MappingAccess { kRead, kReadWrite };

// Owns a mapping.
class FileMapping {
 public:
  FileMapping() = default;  // empty
  // Not valid(), with errno set, if the system cannot map the file this way.
  // REQUIRES: `offset` is a multiple of a page, and bytes > 0
  FileMapping(int fd, std::uint64_t offset, std::size_t bytes,
              MappingAccess access) noexcept;
  FileMapping(FileMapping&& other) noexcept { Swap(&other); }
  FileMapping& operator=(FileMapping&& other) noexcept {
    Swap(&other);
    return *this;
  }
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping() { Unmap(); }

  bool valid() const noexcept { return start_ != nullptr; }
  char* data() const noexcept { return start_; }
  std::size_t size() const noexcept { return bytes_; }

  // True: a page could not be read since this was mapped, and what was read of
  // the mapping before this call may be zeros.  Always false for a mapping that
  // is not guarded.
  bool faulted() const noexcept { return HasFaulted(fault_flag()); }
  bool is_guarded() const noexcept { return slot_ != nullptr; }
  // Lives as long as the mapping; for HasFaulted().
  const std::atomic<bool>& fault_flag() const noexcept;
  static bool HasFaulted(const std::atomic<bool>& flag) noexcept {
    // The fence orders the caller's reads of the bytes before the flag.
#if defined(__x86_64__)
    std::atomic_signal_fence(std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    return flag.load(std::memory_order_relaxed);
  }

  // Reads these bytes into memory if necessary, without raising a signal.
  // Returns 0 or an errno if not all can be read; EINVAL: this system cannot
  // tell (Linux can since 5.14).  REQUIRES: the bytes are within the mapping
  int Populate(std::size_t offset, std::size_t bytes) const noexcept;

  // Hints.  A page that is touched is loaded alone, without those around it.
  void AdviseRandom() const noexcept;
  // The system begins to load these bytes, in as few requests as it can.
  // REQUIRES, for both: they lie in the mapping
  void WillNeed(std::size_t offset, std::size_t bytes) const noexcept;
  // Returns true if the first and the last of these bytes are in memory.  Says
  // so of any file that this user neither owns nor may write.
  bool AreEndsResident(std::size_t offset, std::size_t bytes) const noexcept;
  // They are the first to go when memory is short, unless they are used again.
  void Deactivate(std::size_t offset, std::size_t bytes) const noexcept;

  void Unmap() noexcept;

 private:
  // Returns 0 or an errno.
  int Advise(std::size_t offset, std::size_t bytes, int advice) const noexcept;
  void Swap(FileMapping* other) noexcept;

  char* start_ = nullptr;
  std::size_t bytes_ = 0;
  MappingSlot* slot_ = nullptr;  // null: not guarded
};

}  // namespace tamis
