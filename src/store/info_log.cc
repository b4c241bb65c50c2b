// SPDX-License-Identifier: Apache-2.0
#include "store/info_log.h"

#include <array>
#include <chrono>
#include <ctime>
#include <utility>

#include "base/no_throw.h"
#include "store/file_names.h"

namespace tamis {
namespace {

// A store that is opened read-only keeps lines that are never written.
constexpr std::size_t kMaxKeptBytes = std::size_t{64} << 10;

}  // namespace

void InfoLog::Open(Env& env, const std::string& dir,
                   const InfoLogReceiver& receiver) {
  const MutexLock lock(mutex_);
  if (receiver) {
    InfoLogReceiver copy;
    (void)NoThrow([&] {
      copy = receiver;
      return Status::Ok();
    });
    receiver_ = std::move(copy);
    is_opened_ = true;
    Append(kept_);
    kept_ = std::string();
    return;
  }
  const std::string path = InfoLogFileName(dir);
  (void)env.Rename(path, OldInfoLogFileName(dir));
  Result<std::unique_ptr<WritableFile>> file =
      env.Create(path, WriteKind::kTable);
  is_opened_ = true;
  if (file.ok()) {
    file_ = *std::move(file);
    Append(kept_);
  }
  kept_ = std::string();
}

void InfoLog::Write(std::string_view line) {
  if (!owner_.IsHere()) return;
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> when{};
  const std::size_t length =
      std::strftime(when.data(), when.size(), "%Y-%m-%dT%H:%M:%SZ ", &utc);
  (void)NoThrow([&] {
    std::string text(when.data(), length);
    text += line;
    text += '\n';
    const MutexLock lock(mutex_);
    if (is_opened_) {
      Append(text);
    } else if (kept_.size() + text.size() <= kMaxKeptBytes) {
      kept_ += text;
    }
    return Status::Ok();  // without memory the line is left out
  });
}

// Passes each line of the text to the receiver.
void InfoLog::Pass(std::string_view text) {
  constexpr std::size_t kTimeBytes = sizeof("2000-01-01T00:00:00Z ") - 1;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
    try {
      receiver_(text.substr(kTimeBytes, end - kTimeBytes));
    } catch (...) {
    }
    text.remove_prefix(end + 1);
  }
}

void InfoLog::Append(std::string_view text) {
  if (receiver_) return Pass(text);
  if (file_ == nullptr) return;
  Status written = file_->Append(text);
  if (written.ok()) written = file_->Flush();
  if (!written.ok()) file_.reset();
}

}  // namespace tamis
