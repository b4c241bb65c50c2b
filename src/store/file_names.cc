// SPDX-License-Identifier: Apache-2.0
#include "store/file_names.h"

#include <limits>
#include <memory>
#include <utility>

namespace tamis {
namespace {

constexpr std::string_view kManifestPrefix = "MANIFEST-";
constexpr std::string_view kFilterSuffix = ".filter";
// LevelDB pads to six digits; larger numbers simply have more.
constexpr std::size_t kFewestDigits = 6;
// Longer than any manifest's name: a longer file is not a CURRENT.
constexpr std::uint64_t kLongestCurrent = 64;

std::string Digits(std::uint64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < kFewestDigits) {
    digits.insert(0, kFewestDigits - digits.size(), '0');
  }
  return digits;
}

std::string Numbered(const std::string& dir, std::uint64_t number,
                     std::string_view suffix) {
  std::string name = dir + "/" + Digits(number);
  name += suffix;
  return name;
}

// Removes a number from the front of *name.  Nothing: there are no digits, or
// the number is too large.
std::optional<std::uint64_t> TakeNumber(std::string_view* name) noexcept {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t number = 0;
  std::size_t i = 0;
  for (; i < name->size() && (*name)[i] >= '0' && (*name)[i] <= '9'; ++i) {
    const auto digit = static_cast<std::uint64_t>((*name)[i] - '0');
    if (number > (kMax - digit) / 10) return std::nullopt;
    number = 10 * number + digit;
  }
  if (i == 0) return std::nullopt;
  name->remove_prefix(i);
  return number;
}

std::optional<FileType> TypeOfSuffix(std::string_view suffix) noexcept {
  if (suffix == ".log") return FileType::kLog;
  if (suffix == ".ldb" || suffix == ".sst") return FileType::kTable;
  if (suffix == ".dbtmp") return FileType::kTemporary;
  return std::nullopt;
}

Status WriteAndSync(Env& env, const std::string& path, Slice bytes) {
  auto file = env.Create(path, WriteKind::kTable);
  if (!file.ok()) return file.status();
  Status status = file->Append(bytes);
  if (status.ok()) status = file->Sync();
  if (status.ok()) status = file->Close();
  return status;
}

}  // namespace

std::string LogFileName(const std::string& dir, std::uint64_t number) {
  return Numbered(dir, number, ".log");
}
std::string TableFileName(const std::string& dir, std::uint64_t number) {
  return Numbered(dir, number, ".ldb");
}
std::string OldTableFileName(const std::string& dir, std::uint64_t number) {
  return Numbered(dir, number, ".sst");
}
std::string ManifestFileName(const std::string& dir, std::uint64_t number) {
  std::string name = dir + "/";
  name += kManifestPrefix;
  return name + Digits(number);
}
std::string TemporaryFileName(const std::string& dir, std::uint64_t number) {
  return Numbered(dir, number, ".dbtmp");
}
std::string FilterFileName(const std::string& dir, std::uint64_t number) {
  return Numbered(dir, number, kFilterSuffix);
}
std::string CurrentFileName(const std::string& dir) { return dir + "/CURRENT"; }
std::string LockFileName(const std::string& dir) { return dir + "/LOCK"; }
std::string InfoLogFileName(const std::string& dir) { return dir + "/LOG"; }
std::string OldInfoLogFileName(const std::string& dir) {
  return dir + "/LOG.old";
}

std::string ParentDirectory(std::string dir) {
  while (dir.size() > 1 && dir.ends_with('/')) dir.pop_back();
  const std::size_t slash = dir.rfind('/');
  if (slash == std::string::npos) return ".";
  dir.resize(slash);
  while (dir.ends_with('/')) dir.pop_back();
  return dir.empty() ? "/" : dir;
}

std::optional<FileName> ParseFileName(std::string_view name) noexcept {
  if (name == "CURRENT") return FileName{FileType::kCurrent, 0};
  if (name == "LOCK") return FileName{FileType::kLock, 0};
  if (name == "LOG" || name == "LOG.old") {
    return FileName{FileType::kInfoLog, 0};
  }
  const bool is_manifest = name.starts_with(kManifestPrefix);
  if (is_manifest) name.remove_prefix(kManifestPrefix.size());
  const std::optional<std::uint64_t> number = TakeNumber(&name);
  if (!number.has_value()) return std::nullopt;
  if (is_manifest) {
    if (!name.empty()) return std::nullopt;
    return FileName{FileType::kManifest, *number};
  }
  const std::optional<FileType> type = TypeOfSuffix(name);
  if (!type.has_value()) return std::nullopt;
  return FileName{*type, *number};
}

std::optional<std::uint64_t> ParseFilterFileName(std::string_view name) {
  std::string_view rest = name;
  const std::optional<std::uint64_t> number = TakeNumber(&rest);
  if (!number || *number > kMaxFileNumber || rest != kFilterSuffix) {
    return std::nullopt;
  }
  // Only as it is written: "7.filter" is another program's.
  if (name != FilterFileName("", *number).substr(1)) return std::nullopt;
  return number;
}

std::string UnusedName(Env& env, const std::string& path) {
  std::string unused = path;
  for (int i = 2; env.Exists(unused); ++i) {
    unused = path + "." + std::to_string(i);
  }
  return unused;
}

Status SetCurrent(Env& env, const std::string& dir, std::uint64_t manifest) {
  const std::string content =
      ManifestFileName(dir, manifest).substr(dir.size() + 1) + "\n";
  return ReplaceFile(env, dir, manifest, CurrentFileName(dir), content);
}

Status ReplaceFile(Env& env, const std::string& dir, std::uint64_t number,
                   const std::string& path, Slice content) {
  const std::string temporary = TemporaryFileName(dir, number);
  Status status = WriteAndSync(env, temporary, content);
  if (status.ok()) status = env.Rename(temporary, path);
  if (!status.ok()) {
    static_cast<void>(env.Remove(temporary).ok());  // it may not even exist
    return status;
  }
  return env.SyncDirectory(dir);
}

Result<std::string> ReadCurrent(Env& env, const std::string& dir) {
  const std::string path = CurrentFileName(dir);
  auto file = env.OpenReadable(path, false);
  if (!file.ok()) return file.status();
  const std::uint64_t size = file->size();
  if (size > kLongestCurrent) {
    return Status::Corruption(path + ": too long to be a manifest's name");
  }
  std::string scratch;
  const auto bytes = file->Read(0, static_cast<std::size_t>(size), &scratch);
  if (!bytes.ok()) return bytes.status();
  std::string_view name = *bytes;
  if (!name.ends_with('\n')) {
    return Status::Corruption(path + ": does not end with a newline");
  }
  name.remove_suffix(1);
  const std::optional<FileName> parsed = ParseFileName(name);
  if (!parsed.has_value() || parsed->type != FileType::kManifest) {
    return Status::Corruption(path + ": does not name a manifest");
  }
  return dir + "/" + std::string(name);
}

}  // namespace tamis
