// SPDX-License-Identifier: Apache-2.0
// store/file_names.h -- the names of a store's files.

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
// The filter beside a table; of that number, too.
std::string FilterFileName(const std::string& dir, std::uint64_t number);
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

// No store reaches this number, and it leaves room for more.  A larger number
// is damage.
inline constexpr std::uint64_t kMaxFileNumber = std::uint64_t{1} << 62;

struct FileName {
  FileType type;
  std::uint64_t number;  // 0 if the name has none
};

// Nothing: not the name of a store's file, so it must not be touched.  Accepts
// what LevelDB accepts: at least one digit, no sign, at most 64 bits.
std::optional<FileName> ParseFileName(std::string_view name) noexcept;

// Returns the number of the table that a file of that name is a filter of.
// Nothing: another name.  Such a file is a store's own only if its content says
// so (store/table_filter_file.h): LevelDB has no such files, and
// ParseFileName() does not know them.
std::optional<std::uint64_t> ParseFilterFileName(std::string_view name);

// Returns `path`, or `path` with ".2", ".3", ... appended, such that no such
// file exists.
std::string UnusedName(Env& env, const std::string& path);

// Makes CURRENT name the manifest of that number, atomically: writes a
// temporary file, syncs and renames it, and syncs the directory.
Status SetCurrent(Env& env, const std::string& dir, std::uint64_t manifest);

// Replaces the contents of the file at `path`, in `dir`, in the same way;
// `number` is that of the temporary file.
Status ReplaceFile(Env& env, const std::string& dir, std::uint64_t number,
                   const std::string& path, Slice content);

// Returns the path of the manifest that CURRENT names.  NotFound: no CURRENT.
// Corruption: it does not name a manifest.
Result<std::string> ReadCurrent(Env& env, const std::string& dir);

}  // namespace tamis
