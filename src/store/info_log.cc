#include "store/info_log.h"

#include <array>
#include <chrono>
#include <ctime>
#include <utility>

#include "base/no_throw.h"
#include "store/file_names.h"

namespace tamis {

std::unique_ptr<InfoLog> InfoLog::Open(Env& env, const std::string& dir) {
  auto log = std::make_unique<InfoLog>();
  const std::string path = InfoLogFileName(dir);
  (void)env.Rename(path, OldInfoLogFileName(dir));
  Result<std::unique_ptr<WritableFile>> file =
      env.Create(path, WriteKind::kTable);
  if (file.ok()) log->file_ = *std::move(file);
  return log;
}

void InfoLog::Write(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr) return;
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> when{};
  const std::size_t length =
      std::strftime(when.data(), when.size(), "%Y-%m-%dT%H:%M:%SZ ", &utc);
  const Status written = NoThrow([&] {
    std::string text(when.data(), length);
    text += line;
    text += '\n';
    Status appended = file_->Append(text);
    return appended.ok() ? file_->Flush() : appended;
  });
  // A line that there was no memory for is left out.
  if (!written.ok() && written.code() != StatusCode::kResourceExhausted) {
    file_.reset();
  }
}

}  // namespace tamis
