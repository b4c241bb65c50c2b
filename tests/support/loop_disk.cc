// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loop_disk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <linux/fiemap.h>
#include <linux/fs.h>

#include "base/file_descriptor.h"

namespace tamis::testing {
namespace {

// True: it ended with 0.  What it says goes nowhere.
bool Run(const std::string& command) {
  const int status = ::system((command + " >/dev/null 2>&1").c_str());
  return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool LoopDisk::MakeFolder() {
  if (::geteuid() != 0) {
    why_not_ = "only root may mount";
    return false;
  }
  std::string name = ::testing::TempDir() + "/tamis-disk-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    why_not_ = name + ": " + std::strerror(errno);
    return false;
  }
  folder_ = name;
  image_ = folder_ + "/image";
  mount_point_ = folder_ + "/mounted";
  if (::mkdir(mount_point_.c_str(), 0755) != 0) why_not_ = "no folder";
  return why_not_.empty();
}

LoopDisk::LoopDisk(std::uint64_t bytes, const std::string& mkfs_options)
    : bytes_(bytes) {
  if (!MakeFolder()) return;
  std::ofstream(image_).close();
  std::error_code error;
  std::filesystem::resize_file(image_, bytes, error);
  if (error || !Run("mkfs.ext4 -q -F -E lazy_itable_init=0 -m 0 " +
                    mkfs_options + " " + image_)) {
    why_not_ = "mkfs.ext4 would not make a file system";
    return;
  }
  if (!Mount()) why_not_ = "a loop device could not be mounted";
}

std::unique_ptr<LoopDisk> LoopDisk::Copy() const {
  std::unique_ptr<LoopDisk> copy(new LoopDisk);
  copy->bytes_ = bytes_;
  copy->why_not_ = why_not_;
  if (!why_not_.empty() || !copy->MakeFolder()) return copy;
  std::error_code error;
  std::filesystem::copy_file(image_, copy->image_, error);
  if (error) {
    copy->why_not_ = "the image could not be copied: " + error.message();
  } else if (!copy->Mount()) {
    copy->why_not_ = "the copy could not be mounted";
  }
  return copy;
}

LoopDisk::~LoopDisk() {
  if (is_cut_) RestoreEnd();
  // Somebody may have a file open there still: then it goes when he does.
  if (is_mounted_ && !Unmount()) ::umount2(mount_point_.c_str(), MNT_DETACH);
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(image_, ignored);
  std::filesystem::remove(mount_point_, ignored);
  std::filesystem::remove(folder_, ignored);
}

bool LoopDisk::Mount() {
  is_mounted_ = Run("mount -o loop " + image_ + " " + mount_point_);
  return is_mounted_;
}

bool LoopDisk::Unmount() {
  if (!Run("umount " + mount_point_)) return false;
  is_mounted_ = false;
  return true;
}

bool LoopDisk::Sync() const {
  const FileDescriptor fd(
      ::open(mount_point_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return fd.valid() && ::syncfs(fd.get()) == 0;
}

bool LoopDisk::Forget(const std::string& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return fd.valid() && ::fsync(fd.get()) == 0 &&
         ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED) == 0;
}

bool LoopDisk::ForgetAll() {
  ::sync();
  std::ofstream drop("/proc/sys/vm/drop_caches");
  drop << "3\n";
  drop.close();
  return !drop.fail();
}

std::int64_t LoopDisk::PlaceOf(const std::string& path, std::uint64_t offset) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return -1;
  // The request, and behind it room for one extent.
  alignas(fiemap) std::array<char, sizeof(fiemap) + sizeof(fiemap_extent)>
      memory = {};
  auto* const request = reinterpret_cast<fiemap*>(memory.data());
  request->fm_start = offset;
  request->fm_length = 1;
  request->fm_flags = FIEMAP_FLAG_SYNC;
  request->fm_extent_count = 1;
  if (::ioctl(fd.get(), FS_IOC_FIEMAP, request) != 0 ||
      request->fm_mapped_extents != 1) {
    return -1;
  }
  fiemap_extent extent;
  std::memcpy(&extent, memory.data() + sizeof(fiemap), sizeof(extent));
  return static_cast<std::int64_t>(extent.fe_physical +
                                   (offset - extent.fe_logical));
}

bool LoopDisk::CutAt(std::uint64_t place) {
  const FileDescriptor fd(::open(image_.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid() || is_cut_ || place > bytes_) return false;
  end_.resize(static_cast<std::size_t>(bytes_ - place));
  if (::pread(fd.get(), end_.data(), end_.size(), static_cast<off_t>(place)) !=
      static_cast<ssize_t>(end_.size())) {
    return false;
  }
  is_cut_ = ::ftruncate(fd.get(), static_cast<off_t>(place)) == 0;
  return is_cut_;
}

bool LoopDisk::RestoreEnd() {
  const FileDescriptor fd(::open(image_.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid() || !is_cut_) return false;
  is_cut_ = false;
  return ::pwrite(fd.get(), end_.data(), end_.size(),
                  static_cast<off_t>(bytes_ - end_.size())) ==
         static_cast<ssize_t>(end_.size());
}

}  // namespace tamis::testing
