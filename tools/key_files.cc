// SPDX-License-Identifier: Apache-2.0
#include "key_files.h"

#include <sys/stat.h>
#include <algorithm>
#include <cerrno>

#include <fmt/core.h>

#include "interrupt.h"

namespace tamis::tools {
namespace {

// Adds up the sizes; 0 if not all of them are known.
Status LookFor(const std::vector<std::string>& paths, std::uint64_t* bytes) {
  bool all_known = true;
  *bytes = 0;
  for (const std::string& path : paths) {
    struct stat info;
    if (path == "-") {
      all_known = false;
    } else if (path.empty()) {
      return Status::InvalidArgument("no file name");
    } else if (::stat(path.c_str(), &info) != 0) {
      return SystemError(path, errno);
    } else {
      all_known &= S_ISREG(info.st_mode);
      *bytes += static_cast<std::uint64_t>(info.st_size);
    }
  }
  if (!all_known) *bytes = 0;
  return Status::Ok();
}

std::vector<std::string> PathsOf(const KeyFiles& files) {
  if (files.paths.empty()) return {"-"};
  return files.paths;
}

}  // namespace

bool KeyFiles::reads_standard_input() const {
  return paths.empty() ||
         std::find(paths.begin(), paths.end(), "-") != paths.end();
}

Status ReadKeyFiles(const KeyFiles& files, std::string_view command,
                    const Console& console, Progress* progress,
                    const UseKeys& use) {
  const std::vector<std::string> paths = PathsOf(files);
  std::uint64_t total_bytes = 0;
  Status found = LookFor(paths, &total_bytes);
  if (!found.ok()) return found;
  progress->set_total_bytes(total_bytes);
  std::uint64_t keys = 0;
  std::uint64_t bytes_before = 0;
  for (const std::string& path : paths) {
    auto source = FileSource::Open(path, console.in);
    if (!source.ok()) return source.status();
    if (path == "-" && console.in_is_terminal) {
      Note(console, command,
           fmt::format("reading {} from the terminal; Ctrl-D on an empty line "
                       "ends them",
                       files.what));
    }
    if (paths.size() == 1) progress->set_total_bytes(source->total_bytes());
    source->FlushBeforeWaiting(console.out);
    KeyReader reader(source.value().get(), files.syntax);
    for (;;) {
      Status status = reader.Next();
      if (!status.ok()) return status;
      if (reader.keys().empty()) break;
      status = use(reader);
      if (!status.ok()) return status;
      keys += reader.keys().size();
      progress->Update(keys, bytes_before + reader.bytes_read());
    }
    if (source->was_cut()) return Status::Ok();
    bytes_before += reader.bytes_read();
  }
  return Status::Ok();
}

}  // namespace tamis::tools
