// SPDX-License-Identifier: Apache-2.0
// support/rebuild_crashes.h -- a directory in memory whose filters are rebuilt
// while the system fails, or the power goes, at every call in turn.

#pragma once

#include <functional>
#include <string>

#include "tamis/sstable_rebuild.h"
#include "tests/base/temp_dir.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {

// Puts the files of a real directory, which has no others below it, into *env
// as kDbInMemory.
inline constexpr const char* kDbInMemory = "/db";
void LoadDirectory(const std::string& from, MemoryEnv* env);
// Writes what is there to a real directory, which is emptied first; also the
// files in kRebuildDirectory.
void StoreDirectory(MemoryEnv* env, const std::string& to);

// What is done, and what must hold after every crash and failure: `check` gets
// a real directory as the crash has left it.
struct CrashTrial {
  std::string from;        // a real directory
  RebuildOptions options;  // its Env is set
  // 0: the filters are rebuilt; 1: then they are undone, and only that fails.
  bool undo = false;
  std::function<void(const std::string& dir)> check;
  std::uint64_t disk_step = 1777;  // for FillTheDisk()
};

// Every call fails in turn: once (EIO), or from then on (ENOSPC).  Returns how
// many calls there were.
int FailAtEveryCall(const CrashTrial& trial, int error, bool from_then_on);

// The same, and then a crash.  `mode` is what it leaves.
int CrashAtEveryCall(const CrashTrial& trial, CrashMode mode);

// The files become no longer than so many bytes altogether; for sizes from
// what is there to what is needed.  Returns how often the disk was full.
int FillTheDisk(const CrashTrial& trial);

}  // namespace tamis::testing
