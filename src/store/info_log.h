// store/info_log.h -- LOG: what a store did, for people.

#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tamis/env.h"

namespace tamis {

// Thread-safe.  What cannot be written is left out: a log must not stop work.
class InfoLog {
 public:
  // Silent.
  InfoLog() = default;
  // LOG in `dir`; the one before becomes LOG.old.
  static std::unique_ptr<InfoLog> Open(Env& env, const std::string& dir);

  // One line, after the time.
  void Write(std::string_view line);

 private:
  std::mutex mutex_;
  std::unique_ptr<WritableFile> file_;
};

}  // namespace tamis
