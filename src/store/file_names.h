// SPDX-License-Identifier: Apache-2.0
// store/file_names.h -- which files a store's directory has.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/env.h"

namespace tamis {

std::string LogFileName(const std::string& dir, std::uint64_t number);
std::string TableFileName(const std::string& dir, std::uint64_t number);
// The name that LevelDB used before 1.14; read, never written.
std::string OldTableFileName(const std::string& dir, std::uint64_t number);
std::string ManifestFileName(const std::string& dir, std::uint64_t number);
std::string TemporaryFileName(const std::string& dir, std::uint64_t number);
std::string CurrentFileName(const std::string& dir);
std::string LockFileName(const std::string& dir);
std::string InfoLogFileName(const std::string& dir);
std::string OldInfoLogFileName(const std::string& dir);

// The directory that `dir` is in: "." for "a", "/" for "/a", "a" for "a/b/".
std::string ParentDirectory(std::string dir);

enum class FileType {
  kLog,
  kTable,
  kManifest,
  kTemporary,
  kCurrent,
  kLock,
  kInfoLog
};

// Nobody gets there by counting, and from there one can still count on.  A
// larger number is damage.
inline constexpr std::uint64_t kMaxFileNumber = std::uint64_t{1} << 62;

struct FileName {
  FileType type;
  std::uint64_t number;  // 0 where there is none
};

// Nothing: not a name of a store's file, so not ours to touch.  Takes what
// LevelDB takes: at least one digit, no sign, at most 64 bits.
std::optional<FileName> ParseFileName(std::string_view name) noexcept;

// The path itself, or with ".2", ".3", ... behind it: nothing is there yet.
std::string UnusedName(Env& env, const std::string& path);

// CURRENT then names the manifest of that number, whatever happens meanwhile:
// by a temporary file that is synced and renamed; the directory is synced.
Status SetCurrent(Env& env, const std::string& dir, std::uint64_t manifest);

// The file at `path`, in `dir`, then has that content, in the same way; the
// number is the temporary file's.
Status ReplaceFile(Env& env, const std::string& dir, std::uint64_t number,
                   const std::string& path, Slice content);

// The path of the manifest that CURRENT names.  NotFound: no CURRENT.
// Corruption: it does not name a manifest.
Result<std::string> ReadCurrent(Env& env, const std::string& dir);

}  // namespace tamis
