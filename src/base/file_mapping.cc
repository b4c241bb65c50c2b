// SPDX-License-Identifier: Apache-2.0
#include "base/file_mapping.h"

#include <sys/mman.h>
#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/growing_pages.h"
#include "base/mapping_guard.h"

#ifndef MADV_COLD
#define MADV_COLD 20  // since Linux 5.4
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22  // since Linux 5.14; the headers may be older
#endif

namespace tamis {

FileMapping::FileMapping(int fd, std::uint64_t offset, std::size_t bytes,
                         MappingAccess access) noexcept {
  const bool is_writable = access == MappingAccess::kReadWrite;
  void* const mapping =
      ::mmap(nullptr, bytes, is_writable ? PROT_READ | PROT_WRITE : PROT_READ,
             MAP_SHARED, fd, static_cast<off_t>(offset));
  if (mapping == MAP_FAILED) return;
  start_ = static_cast<char*>(mapping);
  bytes_ = bytes;
  slot_ = RegisterMapping(start_, bytes, is_writable);
}

const std::atomic<bool>& FileMapping::fault_flag() const noexcept {
  static constinit const std::atomic<bool> never{false};
  return slot_ != nullptr ? slot_->faulted : never;
}

int FileMapping::Advise(std::size_t offset, std::size_t bytes,
                        int advice) const noexcept {
  const std::size_t start = offset / PageBytes() * PageBytes();
  int result;
  do {
    result = ::madvise(start_ + start, offset + bytes - start, advice);
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  return result == 0 ? 0 : errno;
}

int FileMapping::Populate(std::size_t offset,
                          std::size_t bytes) const noexcept {
  // Populating loads one page after the other; several are requested together.
  if (offset / PageBytes() != (offset + bytes - 1) / PageBytes()) {
    WillNeed(offset, bytes);
  }
  return Advise(offset, bytes, MADV_POPULATE_READ);
}

void FileMapping::AdviseRandom() const noexcept {
  static_cast<void>(Advise(0, bytes_, MADV_RANDOM));
}

void FileMapping::WillNeed(std::size_t offset,
                           std::size_t bytes) const noexcept {
  static_cast<void>(Advise(offset, bytes, MADV_WILLNEED));
}

bool FileMapping::AreEndsResident(std::size_t offset,
                                  std::size_t bytes) const noexcept {
  for (const std::size_t at : {offset, offset + bytes - 1}) {
    unsigned char is_resident = 0;
    char* const page = start_ + at / PageBytes() * PageBytes();
    if (::mincore(page, 1, &is_resident) != 0 || (is_resident & 1) == 0) {
      return false;
    }
  }
  return true;
}

void FileMapping::Deactivate(std::size_t offset,
                             std::size_t bytes) const noexcept {
  static_cast<void>(Advise(offset, bytes, MADV_COLD));
}

void FileMapping::Unmap() noexcept {
  if (start_ == nullptr) return;
  UnregisterMapping(std::exchange(slot_, nullptr));
  // A large mapping is emptied in pieces first.  The system holds a lock of the
  // whole address space while it unmaps, and threads that touch a page for the
  // first time would wait for it.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (std::size_t at = 0; bytes_ > kPiece && at < bytes_; at += kPiece) {
    static_cast<void>(Advise(at, std::min(kPiece, bytes_ - at), MADV_DONTNEED));
  }
  ::munmap(start_, bytes_);
  start_ = nullptr;
  bytes_ = 0;
}

void FileMapping::Swap(FileMapping* other) noexcept {
  std::swap(start_, other->start_);
  std::swap(bytes_, other->bytes_);
  std::swap(slot_, other->slot_);
}

}  // namespace tamis
