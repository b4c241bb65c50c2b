// SPDX-License-Identifier: Apache-2.0
// FindSstables(): goes through a tree, and lets each engine list its files.

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/no_throw.h"
#include "sstable/engine.h"
#include "sstable/level_listing.h"
#include "tamis/env.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

// Returns the code that says what kind of error it is.
StatusCode CodeOf(const std::error_code& error) noexcept {
  if (error == std::errc::no_such_file_or_directory) {
    return StatusCode::kNotFound;
  }
  return error == std::errc::permission_denied ? StatusCode::kPermissionDenied
                                               : StatusCode::kIoError;
}

// Tables that no engine recognises are reported when they are opened.
void ListUnrecognised(const DirectoryFiles& files, std::size_t first,
                      SstableListing* listing) {
  std::set<std::string_view> listed;
  for (std::size_t i = first; i < listing->sstables.size(); ++i) {
    listed.insert(listing->sstables[i].path);
  }
  std::vector<FoundSstable> others;
  for (const std::string& name : files.names) {
    const std::string path = files.PathOf(name);
    if (!IsLevelTableName(name) || listed.contains(path)) continue;
    FoundSstable found{.path = path};
    found.group = "not recognised";
    if (const auto size = DefaultEnv().FileSize(path); size.ok()) {
      found.bytes = *size;
    }
    others.push_back(std::move(found));
  }
  std::move(others.begin(), others.end(),
            std::back_inserter(listing->sstables));
}

void SortFrom(std::size_t first, SstableListing* listing) {
  const auto begin =
      listing->sstables.begin() + static_cast<std::ptrdiff_t>(first);
  std::stable_sort(begin, listing->sstables.end(),
                   [](const FoundSstable& a, const FoundSstable& b) {
                     // Those without a level come last.
                     const auto level = [](const FoundSstable& found) {
                       return static_cast<unsigned>(found.level);
                     };
                     return std::tuple(level(a), Slice(a.group),
                                       Slice(a.path)) <
                            std::tuple(level(b), Slice(b.group), Slice(b.path));
                   });
}

void ListFiles(const DirectoryFiles& files, SstableListing* listing) {
  const std::size_t first = listing->sstables.size();
  for (const SstableEngineRow& engine : SstableEngines()) {
    engine.list(files, listing);
  }
  ListUnrecognised(files, first, listing);
  SortFrom(first, listing);
}

// Directories are read in the order of their names.
void ListTree(const std::string& dir, unsigned depth, SstableListing* listing) {
  constexpr unsigned kMaxDepth = 64;
  DirectoryFiles files{.path = dir, .names = {}};
  std::vector<std::string> below;
  std::error_code error;
  fs::directory_iterator entries(dir, error);
  for (; !error && entries != fs::directory_iterator();
       entries.increment(error)) {
    std::error_code ignored;
    const std::string name = entries->path().filename().string();
    const bool is_link = entries->is_symlink(ignored);
    if (entries->is_directory(ignored)) {
      if (!is_link) below.push_back(name);
    } else if (entries->is_regular_file(ignored)) {
      files.names.push_back(name);
    }
  }
  if (error) {
    listing->problems.push_back(dir + ": " + error.message());
    return;
  }
  std::sort(files.names.begin(), files.names.end());
  std::sort(below.begin(), below.end());
  ListFiles(files, listing);
  for (const std::string& name : below) {
    if (depth == kMaxDepth) {
      listing->problems.push_back(dir +
                                  ": its directories are nested deeper "
                                  "than " +
                                  std::to_string(kMaxDepth));
      return;
    }
    ListTree(files.PathOf(name), depth + 1, listing);
  }
}

// One file gets its level from the directory that it is in.
Status ListFile(const std::string& path, SstableListing* listing) {
  const fs::path file(path);
  const std::string name = file.filename().string();
  std::string dir = file.parent_path().string();
  const bool is_here = dir.empty();
  if (is_here) dir = ".";
  DirectoryFiles files{.path = dir, .names = {}};
  std::error_code error;
  fs::directory_iterator entries(dir, error);
  for (; !error && entries != fs::directory_iterator();
       entries.increment(error)) {
    files.names.push_back(entries->path().filename().string());
  }
  std::sort(files.names.begin(), files.names.end());
  SstableListing all;
  ListFiles(files, &all);
  for (FoundSstable& found : all.sstables) {
    if (fs::path(found.path).filename() != name) continue;
    found.path = path;
    listing->sstables.push_back(std::move(found));
    return Status::Ok();
  }
  const Result<std::string> tail = ReadTail(DefaultEnv(), path);
  if (!tail.ok()) return tail.status();
  for (const SstableEngineRow& engine : SstableEngines()) {
    if (!engine.recognises(name, *tail)) continue;
    FoundSstable found{.path = path, .engine = engine.name};
    found.group = "no manifest";
    if (const auto size = DefaultEnv().FileSize(path); size.ok()) {
      found.bytes = *size;
    }
    listing->sstables.push_back(std::move(found));
    return Status::Ok();
  }
  return Status::InvalidArgument(
      path +
      ": it is no sstable: neither a table of LevelDB or RocksDB, nor a "
      "component of Cassandra's, nor a Parquet file");
}

}  // namespace

Result<SstableListing> FindSstables(const std::string& path) {
  return NoThrow([&]() -> Result<SstableListing> {
    SstableListing listing;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      if (!error)
        error = std::make_error_code(std::errc::no_such_file_or_directory);
      return Status(CodeOf(error), path + ": " + error.message());
    }
    if (!fs::is_directory(status)) {
      const Status listed = ListFile(path, &listing);
      if (!listed.ok()) return listed;
      return listing;
    }
    std::string dir = path;
    while (dir.size() > 1 && dir.back() == '/') dir.pop_back();
    fs::directory_iterator entries(dir, error);
    if (error) return Status(CodeOf(error), path + ": " + error.message());
    ListTree(dir, 0, &listing);
    return listing;
  });
}

}  // namespace tamis
