// SPDX-License-Identifier: Apache-2.0
// leveldb::DestroyDB(), leveldb::RepairDB(), and why a database does not open.

#include "manage.h"

#include <cerrno>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <leveldb/db.h>

#include "convert.h"
#include "store/file_names.h"
#include "store/manifest.h"
#include "tamis/store.h"

namespace tamis::dropin {
namespace {

// "": the name has no parent but the current directory.
std::string ParentOf(std::string name) {
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash);
}

bool IsLocked(const Status& why) {
  return why.code() == StatusCode::kIoError &&
         why.message().find("locked: ") != std::string::npos;
}

// Has a name and no order: for calls that never compare keys.
class NamedComparator final : public Comparator {
 public:
  explicit NamedComparator(std::string name) : name_(std::move(name)) {}
  std::string_view name() const noexcept override { return name_; }
  int Compare(Slice a, Slice b) const noexcept override { return a.compare(b); }

 private:
  const std::string name_;
};

// What a failed attempt of LevelDB to open a database leaves.
Status RemoveEmptyDirectory(Env& env, const std::string& dir) {
  static const std::set<std::string, std::less<>> kLeft = {"LOCK", "LOG",
                                                           "LOG.old"};
  const auto names = env.List(dir);
  if (!names.ok()) return Status::Ok();
  for (const std::string& name : *names) {
    if (!kLeft.contains(name)) return Status::Ok();
  }
  for (const std::string& name : *names) (void)env.Remove(dir + "/" + name);
  (void)env.RemoveDirectory(dir);
  return Status::Ok();
}

}  // namespace

leveldb::Status OpenError(const std::string& name,
                          const AdaptedOptions& options, const Status& why) {
  using TheirStatus = leveldb::Status;
  const bool is_default = options.store().env == nullptr;
  const std::string parent = ParentOf(name);
  if (why.code() == StatusCode::kNotFound) {
    if (is_default && !parent.empty() && !options.env().Exists(parent)) {
      return SystemError(LockFileName(name), ENOENT);
    }
    if (!options.store().create_if_missing) {
      return TheirStatus::InvalidArgument(
          name, "does not exist (create_if_missing is false)");
    }
  }
  if (why.code() == StatusCode::kAlreadyExists) {
    return TheirStatus::InvalidArgument(name,
                                        "exists (error_if_exists is true)");
  }
  if (why.remedy() == Remedy::kUseComparator) {
    const auto manifest = ReadManifest(options.env(), name);
    if (manifest.ok()) {
      return TheirStatus::InvalidArgument(
          manifest->comparator + " does not match existing comparator ",
          Theirs(options.comparator().name()));
    }
  }
  return IsLocked(why) ? LockError(LockFileName(name), why) : Theirs(why);
}

// LevelDB asks for no comparator here, so that of the store will do.
leveldb::Status Destroy(const std::string& name,
                        const leveldb::Options& theirs) {
  const AdaptedOptions options(theirs);
  StoreOptions ours = options.store();
  const auto manifest = ReadManifest(options.env(), name);
  const NamedComparator comparator(manifest.ok() &&
                                           !manifest->comparator.empty()
                                       ? manifest->comparator
                                       : std::string(ours.comparator->name()));
  ours.comparator = &comparator;
  Status destroyed = DestroyStore(name, ours);
  if (destroyed.code() == StatusCode::kNotFound) {
    destroyed = RemoveEmptyDirectory(options.env(), name);
  }
  return destroyed.ok() ? leveldb::Status()
                        : OpenError(name, options, destroyed);
}

// LevelDB makes an empty database where there is nothing to repair.
leveldb::Status Repair(const std::string& name,
                       const leveldb::Options& theirs) {
  const AdaptedOptions options(theirs);
  Status repaired = RepairStore(name, options.store()).status();
  if (repaired.code() == StatusCode::kNotFound) {
    StoreOptions ours = options.store();
    ours.create_if_missing = true;
    ours.error_if_exists = false;
    repaired = Store::Open(name, ours).status();
  }
  return repaired.ok() ? leveldb::Status() : OpenError(name, options, repaired);
}

}  // namespace tamis::dropin

namespace leveldb {

Status DestroyDB(const std::string& name, const Options& options) {
  return tamis::dropin::Destroy(name, options);
}

Status RepairDB(const std::string& dbname, const Options& options) {
  return tamis::dropin::Repair(dbname, options);
}

}  // namespace leveldb
