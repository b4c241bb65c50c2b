// SPDX-License-Identifier: Apache-2.0
// support/loop_disk.h -- a disk of its own for one test: an ext4 file system in
// an image, mounted by a loop device.  It can lose its end (what lies there can
// then not be read), get it back, and be copied as it is at any moment, which
// is what a power loss leaves.  Needs root, loop devices and mkfs.ext4.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tamis::testing {

// Unmounts and removes everything at the end, whatever happened.
class LoopDisk {
 public:
  // A new file system of that many bytes, mounted.
  // `mkfs_options` go to mkfs.ext4 as they are.
  explicit LoopDisk(std::uint64_t bytes,
                    const std::string& mkfs_options = "-O ^has_journal");
  // Another disk, as the image of this one is now, mounted beside it.  The file
  // system recovers from its journal, if it has one.
  std::unique_ptr<LoopDisk> Copy() const;
  LoopDisk(const LoopDisk&) = delete;
  LoopDisk& operator=(const LoopDisk&) = delete;
  ~LoopDisk();

  // Not empty: there is no disk, and this says why.  Skip the test, saying so.
  const std::string& why_not() const { return why_not_; }
  // Where it is mounted.
  const std::string& path() const { return mount_point_; }
  const std::string& image() const { return image_; }

  // What is written reaches the image.  False: the system said no.
  bool Sync() const;
  // The data of that file is no longer in memory; what is mapped stays there.
  // Its metadata stays in memory, too.
  static bool Forget(const std::string& path);
  // All that is not in use leaves memory, for the whole machine.
  static bool ForgetAll();

  // Where byte `offset` of that file lies in the image; -1: nobody knows.
  static std::int64_t PlaceOf(const std::string& path, std::uint64_t offset);

  // From there on the image cannot be read any more, until RestoreEnd().  What
  // is written there meanwhile makes it readable again.
  bool CutAt(std::uint64_t place);
  bool RestoreEnd();

  bool Mount();
  bool Unmount();

 private:
  LoopDisk() = default;
  bool MakeFolder();

  std::string folder_;
  std::string image_;
  std::string mount_point_;
  std::string why_not_;
  std::uint64_t bytes_ = 0;
  std::string end_;  // what CutAt() took away
  bool is_cut_ = false;
  bool is_mounted_ = false;
};

}  // namespace tamis::testing

// At the beginning of a test.
#define SKIP_WITHOUT_DISK(disk)                                             \
  if (!(disk).why_not().empty()) {                                          \
    GTEST_SKIP() << "NOT TESTED, no disk to test on: " << (disk).why_not(); \
  }
