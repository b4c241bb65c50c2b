// SPDX-License-Identifier: Apache-2.0
#include "sstable/open_files.h"

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tamis {
namespace {

namespace fs = std::filesystem;

bool IsIn(const fs::path& dir, const fs::path& file) {
  return file.is_absolute() && file.parent_path() == dir;
}

// The path of an open file of the directory; empty: none.
fs::path OpenIn(const fs::path& process, const fs::path& dir) {
  std::error_code error;
  fs::directory_iterator files(process / "fd", error);
  for (; !error && files != fs::directory_iterator(); files.increment(error)) {
    std::error_code ignored;
    const fs::path target = fs::read_symlink(files->path(), ignored);
    if (!ignored && IsIn(dir, target)) return target;
  }
  return {};
}

// The same of a mapped file.
fs::path MappedIn(const fs::path& process, const fs::path& dir) {
  std::ifstream maps(process / "maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t at = line.find('/');
    if (at == std::string::npos) continue;
    const fs::path target(line.substr(at));
    if (IsIn(dir, target)) return target;
  }
  return {};
}

std::string NameOf(const fs::path& process) {
  std::string name;
  std::ifstream in(process / "comm");
  std::getline(in, name);
  return name;
}

}  // namespace

std::string DescribeOpenFile(const std::string& dir) {
  std::error_code error;
  const fs::path whole = fs::canonical(dir, error);
  if (error) return "";
  const std::string self = std::to_string(::getpid());
  fs::directory_iterator processes("/proc", error);
  for (; !error && processes != fs::directory_iterator();
       processes.increment(error)) {
    const std::string id = processes->path().filename().string();
    if (id == self || !std::all_of(id.begin(), id.end(), [](char c) {
          return c >= '0' && c <= '9';
        })) {
      continue;
    }
    fs::path file = OpenIn(processes->path(), whole);
    if (file.empty()) file = MappedIn(processes->path(), whole);
    if (file.empty()) continue;
    return "process " + id + " (" + NameOf(processes->path()) + ") has " +
           file.filename().string() + " open";
  }
  return "";
}

}  // namespace tamis
