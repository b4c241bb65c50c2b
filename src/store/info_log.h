// SPDX-License-Identifier: Apache-2.0
// store/info_log.h -- LOG: what a store did, for people.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/owner_process.h"
#include "tamis/env.h"

namespace tamis {

// Thread-safe.  What cannot be written is left out: a log must not stop work.
// A forked child writes nothing.
class InfoLog {
 public:
  // Without a file: lines are kept, up to a bound, until Open().
  InfoLog() = default;

  // LOG in `dir`, which begins with the lines kept so far; the one before
  // becomes LOG.old.  To be called once, when opening a store has got past
  // everything that may refuse it.
  void Open(Env& env, const std::string& dir);

  // One line, after the time.
  void Write(std::string_view line);

 private:
  void Append(std::string_view text) TAMIS_REQUIRES(mutex_);

  OwnerProcess owner_;
  Mutex mutex_;
  // True though file_ may be null, after an error.
  bool is_opened_ TAMIS_GUARDED_BY(mutex_) = false;
  std::string kept_ TAMIS_GUARDED_BY(mutex_);
  std::unique_ptr<WritableFile> file_ TAMIS_GUARDED_BY(mutex_);
};

}  // namespace tamis
