// store/info_log.h -- LOG: what a store did, for people.

#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

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
  void Append(std::string_view text);  // REQUIRES: mutex_ is held

  OwnerProcess owner_;
  std::mutex mutex_;
  bool is_opened_ = false;  // though file_ may be null, after an error
  std::string kept_;
  std::unique_ptr<WritableFile> file_;
};

}  // namespace tamis
