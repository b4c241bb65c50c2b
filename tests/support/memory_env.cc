// SPDX-License-Identifier: Apache-2.0
#include "tests/support/memory_env.h"

#include <algorithm>
#include <cassert>
#include <cerrno>

#include "base/file_descriptor.h"
#include "tests/support/memory_env_files.h"

namespace tamis::testing {
namespace {

std::string DirectoryOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string NameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 == 0
}

std::size_t UpTo(std::size_t most, std::mt19937_64* random) {
  return std::uniform_int_distribution<std::size_t>(0, most)(*random);
}

}  // namespace

MemoryEnv::MemoryEnv() : MemoryEnv(Options()) {}
MemoryEnv::MemoryEnv(const Options& options) : options_(options) {}
MemoryEnv::~MemoryEnv() = default;

void MemoryEnv::Inode::CutTo(std::size_t bytes) {
  if (bytes < synced && !synced_before_cut.has_value()) {
    synced_before_cut = content.substr(0, synced);
  }
  synced = std::min(synced, bytes);
  content.resize(bytes);
  shown = nullptr;
}

void MemoryEnv::Inode::MarkSynced() {
  synced = content.size();
  synced_before_cut.reset();
}

void MemoryEnv::Inode::LoseWhatIsSynced() {
  lost.emplace_back(synced, content.size());
  MarkSynced();
}

// See CrashMode::kKeepRandomSectors.
void MemoryEnv::Inode::LoseSectors(std::mt19937_64* random) {
  const std::size_t unit = UpTo(1, random) == 0 ? 512 : 4096;
  // From every second to one of 64.
  const std::size_t one_of = std::size_t{2} << UpTo(5, random);
  for (std::size_t start = synced / unit * unit; start < content.size();
       start += unit) {
    const std::size_t end = std::min(start + unit, content.size());
    std::size_t from = std::max(start, synced);
    const std::size_t fate = UpTo(one_of, random);
    if (fate > 1) continue;
    if (fate == 1) from += UpTo(end - from, random);  // an older state of it
    std::fill(content.begin() + static_cast<std::ptrdiff_t>(from),
              content.begin() + static_cast<std::ptrdiff_t>(end), '\0');
  }
}

void MemoryEnv::Inode::LoseUnsynced(CrashMode mode, std::mt19937_64* random) {
  const bool by_chance = mode != CrashMode::kDropUnsynced;
  if (synced_before_cut.has_value() && (!by_chance || UpTo(1, random) == 0)) {
    content = *synced_before_cut;
  } else if (mode == CrashMode::kKeepRandomSectors) {
    LoseSectors(random);
  } else {
    const std::size_t unsynced = content.size() - synced;
    content.resize(synced + (by_chance ? UpTo(unsynced, random) : 0));
  }
  for (const auto& [from, to] : lost) {
    const std::size_t end = std::min(to, content.size());
    if (from < end) content.replace(from, end - from, end - from, '\0');
  }
  lost.clear();
  MarkSynced();
  shown = nullptr;
}

void MemoryEnv::NameChange::ApplyTo(Names* names) const {
  if (!old_name.empty()) names->erase(old_name);
  if (file == nullptr) {
    names->erase(path);
  } else {
    (*names)[path] = file;
  }
}

void MemoryEnv::Change(NameChange change) {
  change.ApplyTo(&names_);
  unsynced_changes_.push_back(std::move(change));
}

void MemoryEnv::FailCall(std::uint64_t n, int error, bool from_then_on,
                         CallKinds kinds) {
  const std::lock_guard guard(mutex_);
  until_failure_ = n;
  error_ = error;
  from_then_on_ = from_then_on;
  failing_kinds_ = kinds;
}

void MemoryEnv::Heal() {
  const std::lock_guard guard(mutex_);
  until_failure_ = 0;
  failures_ = 0;
}

std::uint64_t MemoryEnv::failures() const {
  const std::lock_guard guard(mutex_);
  return failures_;
}

std::uint64_t MemoryEnv::calls() const {
  const std::lock_guard guard(mutex_);
  return calls_;
}

void MemoryEnv::SetCapacity(std::uint64_t bytes) {
  const std::lock_guard guard(mutex_);
  capacity_ = bytes;
}

void MemoryEnv::HoldCreate(std::string ending) {
  const std::lock_guard guard(mutex_);
  hold_ending_ = std::move(ending);
}

bool MemoryEnv::is_holding() const {
  const std::lock_guard guard(mutex_);
  return is_holding_;
}

void MemoryEnv::ReleaseCreate() {
  const std::lock_guard guard(mutex_);
  hold_ending_.clear();
  is_holding_ = false;
  released_.notify_all();
}

void MemoryEnv::FlipBit(const std::string& path, std::uint64_t offset,
                        unsigned bit) {
  const std::lock_guard guard(mutex_);
  Inode& file = *names_.at(path);
  char& byte = file.content.at(static_cast<std::size_t>(offset));
  byte = static_cast<char>(byte ^ (1 << bit));
  file.shown = nullptr;
}

void MemoryEnv::MakeUnreadable(const std::string& path, std::uint64_t offset,
                               std::uint64_t bytes) {
  const std::lock_guard guard(mutex_);
  names_.at(path)->unreadable.emplace_back(offset, offset + bytes);
}

void MemoryEnv::Crash(CrashMode mode, std::uint64_t seed) {
  const std::lock_guard guard(mutex_);
  is_down_ = true;
  ++epoch_;
  locked_.clear();
  if (mode == CrashMode::kKillProcess) return;
  std::mt19937_64 random(seed);
  const std::size_t kept = mode == CrashMode::kDropUnsynced
                               ? 0
                               : UpTo(unsynced_changes_.size(), &random);
  for (std::size_t i = 0; i < kept; ++i) {
    unsynced_changes_[i].ApplyTo(&synced_names_);
  }
  unsynced_changes_.clear();
  for (const std::string& dir : unsynced_directories_) {
    const bool by_chance = mode != CrashMode::kDropUnsynced;
    if (!by_chance || UpTo(1, &random) == 0) LoseDirectory(dir);
  }
  unsynced_directories_.clear();
  names_ = synced_names_;
  for (const auto& [path, file] : names_) {
    if (mode == CrashMode::kKeepRandomSectors && path.ends_with(".log")) {
      constexpr std::size_t kAhead = std::size_t{64} << 10;
      const std::size_t size = file->content.size();
      if (UpTo(1, &random) == 0) {
        file->content.resize((size + kAhead - 1) / kAhead * kAhead);
      }
    }
    file->LoseUnsynced(mode, &random);
  }
}

void MemoryEnv::LoseDirectory(const std::string& dir) {
  directories_.erase(dir);
  const auto is_in = [&](const std::string& path) {
    return path.starts_with(dir + "/");
  };
  std::erase_if(directories_, is_in);
  std::erase_if(synced_names_,
                [&](const auto& named) { return is_in(named.first); });
}

void MemoryEnv::Restart() {
  const std::lock_guard guard(mutex_);
  is_down_ = false;
}

std::string MemoryEnv::Contents(const std::string& path) const {
  const std::lock_guard guard(mutex_);
  return names_.at(path)->content;
}

void MemoryEnv::SetContents(const std::string& path, std::string bytes) {
  const std::lock_guard guard(mutex_);
  auto file = std::make_shared<Inode>();
  file->content = std::move(bytes);
  file->MarkSynced();
  names_[path] = file;
  synced_names_[path] = file;
  unsynced_directories_.erase(DirectoryOf(path));
  std::erase_if(unsynced_changes_,
                [&](const NameChange& change) { return change.path == path; });
}

// To be asked first by every call that can fail.
Status MemoryEnv::Called(CallKinds kind, const std::string& path) {
  if (is_down_) return Status::IoError(path + ": the machine is down");
  ++calls_;
  if (until_failure_ == 0 || (failing_kinds_ & kind) == 0) return Status::Ok();
  if (--until_failure_ > 0) return Status::Ok();
  if (from_then_on_) until_failure_ = 1;
  ++failures_;
  return SystemError(path, error_);
}

Status MemoryEnv::CheckRoom(const std::string& path, std::size_t more) const {
  if (!capacity_.has_value()) return Status::Ok();
  std::uint64_t used = more;
  for (const auto& [name, file] : names_) used += file->content.size();
  return used <= *capacity_ ? Status::Ok() : SystemError(path, ENOSPC);
}

Status MemoryEnv::CheckParent(const std::string& path) const {
  return directories_.contains(DirectoryOf(path)) ? Status::Ok()
                                                  : SystemError(path, ENOENT);
}

Result<std::shared_ptr<MemoryEnv::Inode>> MemoryEnv::Find(
    const std::string& path) const {
  const auto found = names_.find(path);
  if (found == names_.end()) return SystemError(path, ENOENT);
  return found->second;
}

Result<std::unique_ptr<ReadableFile>> MemoryEnv::OpenReadable(
    const std::string& path, bool map) {
  const std::lock_guard guard(mutex_);
  if (Status called = Called(kOpenCalls, path); !called.ok()) return called;
  const auto file = Find(path);
  if (!file.ok()) return file.status();
  Inode& inode = **file;
  if (inode.shown == nullptr) {
    inode.shown = std::make_shared<const std::string>(inode.content);
  }
  return std::unique_ptr<ReadableFile>(
      std::make_unique<Readable>(this, path, inode, map && options_.can_map));
}

Result<std::unique_ptr<WritableFile>> MemoryEnv::Create(const std::string& path,
                                                        WriteKind /*kind*/) {
  std::unique_lock guard(mutex_);
  if (!hold_ending_.empty() && path.ends_with(hold_ending_)) {
    hold_ending_.clear();
    is_holding_ = true;
    released_.wait(guard, [this] { return !is_holding_; });
  }
  if (Status called = Called(kCreateCalls, path); !called.ok()) return called;
  if (Status parent = CheckParent(path); !parent.ok()) return parent;
  if (const auto found = Find(path); found.ok()) {
    found->CutTo(0);
    return NewWritable(path, *found);
  }
  const auto file = std::make_shared<Inode>();
  Change({path, file, ""});
  return NewWritable(path, file);
}

Result<std::unique_ptr<WritableFile>> MemoryEnv::Reopen(const std::string& path,
                                                        std::uint64_t keep,
                                                        WriteKind /*kind*/) {
  const std::lock_guard guard(mutex_);
  if (Status called = Called(kCreateCalls, path); !called.ok()) return called;
  const auto file = Find(path);
  if (!file.ok()) return file.status();
  if (file->content.size() < keep) {
    return Status::IoError(path + ": shorter than it should be");
  }
  file->CutTo(static_cast<std::size_t>(keep));
  return NewWritable(path, *file);
}

Result<std::vector<std::string>> MemoryEnv::List(const std::string& dir) {
  const std::lock_guard guard(mutex_);
  if (Status called = Called(kReadCalls, dir); !called.ok()) return called;
  if (!directories_.contains(dir)) return SystemError(dir, ENOENT);
  std::vector<std::string> names;
  for (const auto& [path, file] : names_) {
    if (DirectoryOf(path) == dir) names.push_back(NameOf(path));
  }
  for (const std::string& path : directories_) {
    if (path != "/" && path != "." && DirectoryOf(path) == dir) {
      names.push_back(NameOf(path));
    }
  }
  return names;
}

bool MemoryEnv::Exists(const std::string& path) {
  const std::lock_guard guard(mutex_);
  return !is_down_ && (names_.contains(path) || directories_.contains(path));
}

Result<std::uint64_t> MemoryEnv::FileSize(const std::string& path) {
  const std::lock_guard guard(mutex_);
  if (Status called = Called(kReadCalls, path); !called.ok()) return called;
  const auto file = Find(path);
  if (!file.ok()) return file.status();
  return std::uint64_t{file->content.size()};
}

Status MemoryEnv::Remove(const std::string& path) {
  const std::lock_guard guard(mutex_);
  if (Status called = Called(kNameCalls, path); !called.ok()) return called;
  if (const auto file = Find(path); !file.ok()) return file.status();
  Change({path, nullptr, ""});
  return Status::Ok();
}

Status MemoryEnv::Rename(const std::string& from, const std::string& to) {
  const std::lock_guard guard(mutex_);
  if (Status called = Called(kNameCalls, from); !called.ok()) return called;
  if (Status parent = CheckParent(to); !parent.ok()) return parent;
  const auto file = Find(from);
  if (!file.ok()) return file.status();
  if (from != to) Change({to, *file, from});
  return Status::Ok();
}

Status MemoryEnv::CreateDirectory(const std::string& dir) {
  const std::lock_guard guard(mutex_);
  if (Status called = Called(kNameCalls, dir); !called.ok()) return called;
  if (Status parent = CheckParent(dir); !parent.ok()) return parent;
  if (names_.contains(dir)) return SystemError(dir, EEXIST);
  if (directories_.insert(dir).second) unsynced_directories_.insert(dir);
  return Status::Ok();
}

Status MemoryEnv::RemoveDirectory(const std::string& dir) {
  const std::lock_guard guard(mutex_);
  if (Status called = Called(kNameCalls, dir); !called.ok()) return called;
  if (!directories_.contains(dir)) return SystemError(dir, ENOENT);
  const auto is_in = [&](const std::string& path) {
    return path != dir && DirectoryOf(path) == dir;
  };
  for (const auto& [path, file] : names_) {
    if (is_in(path)) return SystemError(dir, ENOTEMPTY);
  }
  if (std::any_of(directories_.begin(), directories_.end(), is_in)) {
    return SystemError(dir, ENOTEMPTY);
  }
  directories_.erase(dir);
  unsynced_directories_.erase(dir);
  return Status::Ok();
}

Status MemoryEnv::SyncDirectory(const std::string& dir) {
  const std::lock_guard guard(mutex_);
  if (Status called = Called(kSyncCalls, dir); !called.ok()) return called;
  if (!directories_.contains(dir)) return SystemError(dir, ENOENT);
  const auto is_in = [&](const NameChange& change) {
    return DirectoryOf(change.path) == dir;
  };
  for (const NameChange& change : unsynced_changes_) {
    if (is_in(change)) change.ApplyTo(&synced_names_);
  }
  std::erase_if(unsynced_changes_, is_in);
  std::erase_if(unsynced_directories_, [&](const std::string& path) {
    return DirectoryOf(path) == dir;
  });
  return Status::Ok();
}

std::unique_ptr<WritableFile> MemoryEnv::NewWritable(
    const std::string& path, std::shared_ptr<Inode> file) {
  return std::make_unique<Writable>(this, path, std::move(file));
}

Result<std::unique_ptr<FileLock>> MemoryEnv::Lock(const std::string& path) {
  const std::lock_guard guard(mutex_);
  if (Status called = Called(kLockCalls, path); !called.ok()) return called;
  if (Status parent = CheckParent(path); !parent.ok()) return parent;
  if (!locked_.insert(path).second) {
    return Status::IoError(path + ": locked: it is open elsewhere");
  }
  if (!names_.contains(path)) Change({path, std::make_shared<Inode>(), ""});
  return std::unique_ptr<FileLock>(std::make_unique<HeldLock>(this, path));
}

}  // namespace tamis::testing
