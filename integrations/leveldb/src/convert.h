// SPDX-License-Identifier: Apache-2.0
// convert.h -- slices and statuses, both ways.

#pragma once

#include <string>
#include <string_view>

#include <leveldb/slice.h>
#include <leveldb/status.h>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis::dropin {

inline Slice Ours(const leveldb::Slice& slice) noexcept {
  return {slice.data(), slice.size()};
}

inline leveldb::Slice Theirs(Slice slice) noexcept {
  return {slice.data(), slice.size()};
}

// An error with the nearest of LevelDB's codes and the same message.
leveldb::Status ErrorOf(const Status& status);

inline leveldb::Status Theirs(const Status& status) {
  return status.ok() ? leveldb::Status() : ErrorOf(status);
}

// REQUIRES: the status is not ok
Status ErrorOf(const leveldb::Status& status);

inline Status Ours(const leveldb::Status& status) {
  return status.ok() ? Status::Ok() : ErrorOf(status);
}

// The error of a call of the system about a file, as LevelDB's Env reports it.
leveldb::Status SystemError(const std::string& what, int number);

// The error of a lock that cannot be taken, in LevelDB's words.
leveldb::Status LockError(const std::string& path, const Status& why);

}  // namespace tamis::dropin
