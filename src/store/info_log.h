// SPDX-License-Identifier: Apache-2.0
// store/info_log.h -- LOG: what a store did, for people.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/owner_process.h"
#include "tamis/env.h"
#include "tamis/store_options.h"

namespace tamis {

// Thread-safe.  Lines that cannot be written are left out: a log must not stop
// work.
// A forked child writes nothing.
class InfoLog {
 public:
  // Without a file: lines are kept, up to a bound, until Open().
  InfoLog() = default;

  // Creates LOG in `dir`, with the lines kept so far; the previous one becomes
  // LOG.old.  With a receiver there is no file: it is called with each line,
  // without the time.  Called once, when opening a store can no longer be
  // refused.
  void Open(Env& env, const std::string& dir,
            const InfoLogReceiver& receiver = {});

  // Writes one line, after the time.
  void Write(std::string_view line);

 private:
  void Append(std::string_view text) TAMIS_REQUIRES(mutex_);
  void Pass(std::string_view text) TAMIS_REQUIRES(mutex_);

  OwnerProcess owner_;
  Mutex mutex_;
  // May be true while file_ is null, after an error.
  bool is_opened_ TAMIS_GUARDED_BY(mutex_) = false;
  std::string kept_ TAMIS_GUARDED_BY(mutex_);
  InfoLogReceiver receiver_ TAMIS_GUARDED_BY(mutex_);
  std::unique_ptr<WritableFile> file_ TAMIS_GUARDED_BY(mutex_);
};

}  // namespace tamis
