// DestroyStore(): a store's files go, others stay.

#include <algorithm>
#include <optional>

#include "store/file_names.h"
#include "store/settings_file.h"
#include "tamis/store.h"

namespace tamis {

Status DestroyStore(const std::string& dir, const StoreOptions& options) {
  Env& env = options.env != nullptr ? *options.env : DefaultEnv();
  Result<std::vector<std::string>> names = env.List(dir);
  if (!names.ok()) return names.status();
  bool is_store = false;
  for (const std::string& name : *names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    is_store |= parsed && (parsed->type == FileType::kCurrent ||
                           parsed->type == FileType::kManifest);
  }
  if (!is_store) return Status::NotFound(dir + ": there is no store here");

  Result<std::unique_ptr<FileLock>> lock = env.Lock(LockFileName(dir));
  if (!lock.ok()) return lock.status();
  Status first_error;
  bool others = false;
  // What makes it a store goes last: until then it can be destroyed again.
  std::stable_partition(names->begin(), names->end(), [](const auto& name) {
    return name != "CURRENT" && !name.starts_with("MANIFEST-");
  });
  for (const std::string& name : *names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    const bool is_ours = parsed || IsSettingsFileName(name);
    others |= !is_ours;
    if (!is_ours || (parsed && parsed->type == FileType::kLock)) continue;
    Status removed = env.Remove(dir + "/" + name);
    if (!removed.ok() && first_error.ok()) first_error = removed;
  }
  lock->reset();
  (void)env.Remove(LockFileName(dir));
  if (!others && first_error.ok()) (void)env.RemoveDirectory(dir);
  return first_error;
}

}  // namespace tamis
