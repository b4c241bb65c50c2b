// SPDX-License-Identifier: Apache-2.0
#include "base/file_mapping.h"

#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>
#include <utility>

#include "base/mapping_guard.h"

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

int FileMapping::Populate(std::size_t offset,
                          std::size_t bytes) const noexcept {
  static const auto page = static_cast<std::size_t>(::getpagesize());
  const std::size_t start = offset / page * page;
  int result;
  do {
    result =
        ::madvise(start_ + start, offset + bytes - start, MADV_POPULATE_READ);
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  return result == 0 ? 0 : errno;
}

void FileMapping::Unmap() noexcept {
  if (start_ == nullptr) return;
  UnregisterMapping(std::exchange(slot_, nullptr));
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
