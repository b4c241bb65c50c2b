// SPDX-License-Identifier: Apache-2.0
// DestroyStore(): removes a store's files and keeps others.

#include <algorithm>
#include <optional>
#include <utility>

#include "base/no_throw.h"
#include "store/file_names.h"
#include "store/read_whole.h"
#include "store/settings_file.h"
#include "store/store_checks.h"
#include "store/table_filter_file.h"
#include "tamis/store.h"

namespace tamis {
namespace {

constexpr std::string_view kLost = "lost";

bool IsOfType(const std::string& name, FileType type) {
  const std::optional<FileName> parsed = ParseFileName(name);
  return parsed.has_value() && parsed->type == type;
}

// Returns true for names that repair or recovery uses in lost/: that of a
// store's file, followed by a number if that name was taken.
bool IsPutAside(std::string_view name) {
  const auto is_name = [](std::string_view text) {
    return ParseFileName(text).has_value() ||
           ParseFilterFileName(text).has_value();
  };
  if (is_name(name)) return true;
  const std::size_t dot = name.rfind('.');
  return dot != std::string_view::npos && dot + 1 < name.size() &&
         name.find_first_not_of("0123456789", dot + 1) ==
             std::string_view::npos &&
         is_name(name.substr(0, dot));
}

class Destroyer {
 public:
  Destroyer(Env& env, const std::string& dir, const StoreOptions& options)
      : env_(env), dir_(dir), options_(options) {}

  Result<DestroyReport> Run(const DestroyOptions& options) {
    if (Status may = Look(); !may.ok()) return may;
    const bool had_lock = env_.Exists(LockFileName(dir_));
    Result<std::unique_ptr<FileLock>> lock = env_.Lock(LockFileName(dir_));
    if (!lock.ok()) return lock.status();
    // Another process may have changed or destroyed it before we had the lock.
    Status done = Look();
    if (!done.ok()) {
      const bool is_gone = done.code() == StatusCode::kNotFound;
      if (!had_lock || is_gone) (void)env_.Remove(LockFileName(dir_));
      return done;
    }
    done = RemoveFiles(options);
    if (!done.ok()) return done;
    // While the lock is held: a process that opens LOCK from now on creates a
    // new one, and one that has it open already notices that it is gone.
    done = env_.Remove(LockFileName(dir_));
    lock.value().reset();
    if (!done.ok()) return done;
    if (report_.stayed.empty()) (void)env_.RemoveDirectory(dir_);
    return std::move(report_);
  }

 private:
  Status Look() {
    Result<StoreDirectory> found = LookAtDirectory(env_, dir_);
    if (!found.ok()) return found.status();
    names_ = std::move(found->names);
    // An interrupted destruction leaves manifests behind.
    const bool has_manifest = std::any_of(
        names_.begin(), names_.end(),
        [](const auto& name) { return IsOfType(name, FileType::kManifest); });
    if (!found->has_current && !has_manifest) return NoStoreHere(dir_);
    if (!found->has_current) return Status::Ok();
    const Status read = ReadManifest(env_, dir_).status();
    const bool is_damaged = read.code() == StatusCode::kCorruption;
    if (!read.ok() && !is_damaged) return read;  // a damaged one may
    return CheckMayRepair(dir_, options_);       // a foreign one may not
  }

  Status RemoveFiles(const DestroyOptions& options) {
    for (const std::string& name : names_) {
      if (ParseFileName(name).has_value()) continue;
      if (IsSettingsFileName(name) && IsSettingsFile(dir_ + "/" + name) &&
          env_.Remove(dir_ + "/" + name).ok()) {
        continue;
      }
      if (ParseFilterFileName(name) &&
          IsOurFilterFile(env_, dir_ + "/" + name) &&
          env_.Remove(dir_ + "/" + name).ok()) {
        continue;
      }
      if (name == kLost && HandleLost(options.remove_lost)) continue;
      report_.stayed.push_back(name);
    }
    std::sort(report_.stayed.begin(), report_.stayed.end());
    // What makes it a store is removed last: until then destruction can be
    // repeated.
    Status done = RemoveAll([](FileType type) {
      return type != FileType::kLock && type != FileType::kCurrent &&
             type != FileType::kManifest;
    });
    if (done.ok()) done = env_.SyncDirectory(dir_);
    if (!done.ok()) return done;
    done = RemoveAll([](FileType type) { return type == FileType::kCurrent; });
    if (!done.ok()) return done;
    return RemoveAll([](FileType type) { return type == FileType::kManifest; });
  }

  // Continues after an error; returns the first.
  Status RemoveAll(bool (*is_wanted)(FileType)) {
    Status first_error;
    for (const std::string& name : names_) {
      const std::optional<FileName> parsed = ParseFileName(name);
      if (!parsed.has_value() || !is_wanted(parsed->type)) continue;
      Status removed = env_.Remove(dir_ + "/" + name);
      if (!removed.ok() && first_error.ok()) first_error = std::move(removed);
    }
    return first_error;
  }

  // Another program may have a file of that name.
  bool IsSettingsFile(const std::string& path) {
    const Result<std::string> bytes =
        ReadWholeFile(env_, path, kMaxSettingsBytes);
    if (!bytes.ok()) return false;
    const StatusCode code = ParseSettings(*bytes).status().code();
    return code == StatusCode::kOk || code == StatusCode::kCorruption;
  }

  // True: it is gone.
  bool HandleLost(bool remove) {
    const std::string lost = dir_ + "/" + std::string(kLost);
    const Result<std::vector<std::string>> names = env_.List(lost);
    if (!names.ok()) return false;
    // A symbolic link to a directory is not removed, empty or not.
    const Status emptied =
        remove ? env_.RemoveDirectory(lost) : Status::IoError("not asked for");
    if (emptied.ok()) return true;
    remove = remove && emptied.code() != StatusCode::kNotFound;
    for (const std::string& name : *names) {
      const bool is_gone =
          remove && IsPutAside(name) && env_.Remove(lost + "/" + name).ok();
      if (!is_gone) ++report_.lost_files;
    }
    return remove && env_.RemoveDirectory(lost).ok();
  }

  Env& env_;
  const std::string& dir_;
  const StoreOptions& options_;
  std::vector<std::string> names_;
  DestroyReport report_;
};

}  // namespace

Result<DestroyReport> DestroyStore(const std::string& dir,
                                   const StoreOptions& options,
                                   const DestroyOptions& destroy) {
  Env& env = options.env != nullptr ? *options.env : DefaultEnv();
  return NoThrow([&] { return Destroyer(env, dir, options).Run(destroy); });
}

Status DestroyStore(const std::string& dir, const StoreOptions& options) {
  return DestroyStore(dir, options, {}).status();
}

}  // namespace tamis
