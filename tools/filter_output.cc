// SPDX-License-Identifier: Apache-2.0
#include "filter_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "base/atomic_file.h"
#include "base/file_descriptor.h"
#include "tamis/filter_file.h"

namespace tamis::tools {
namespace {

// A stream cannot be replaced: it can only be written to.
bool IsStream(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 &&
         (S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode));
}

Status WriteStream(const std::string& path, Slice bytes) {
  FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) return SystemError(path, errno);
  int error = WriteFully(fd.get(), bytes);
  if (error == 0) error = fd.Close();
  return error == 0 ? Status::Ok() : SystemError(path, error);
}

Status MustForce(const std::string& path) {
  return Status::AlreadyExists(path +
                               ": already exists; --force overwrites it");
}

bool IsRegular(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

bool IsSameFile(const std::string& input, const std::string& output,
                int standard_input) {
  struct stat in;
  struct stat out;
  const int found =
      input == "-" ? ::fstat(standard_input, &in) : ::stat(input.c_str(), &in);
  return found == 0 && ::stat(output.c_str(), &out) == 0 &&
         S_ISREG(in.st_mode) && in.st_dev == out.st_dev &&
         in.st_ino == out.st_ino;
}

Status CheckFilterOutput(const Console& console, const std::string& path,
                         bool force) {
  if (path.empty()) return Status::InvalidArgument("-o: no file name");
  if (path == "-") {
    if (!console.out_is_terminal) return Status::Ok();
    return Status::InvalidArgument(
        "will not write a filter to the terminal; redirect standard output");
  }
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return SystemError(path, EISDIR);
    if (S_ISREG(info.st_mode) && !force) return MustForce(path);
    return Status::Ok();
  }
  const std::size_t slash = path.rfind('/');
  std::string directory =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::access(directory.c_str(), W_OK | X_OK) != 0) {
    return SystemError(directory, errno);
  }
  return Status::Ok();
}

Status WriteFilterOutput(const Console& console, const std::string& path,
                         Slice bytes, bool force) {
  if (path == "-") {
    console.out->Write(bytes);
    if (console.out->Flush()) return Status::Ok();
    return SystemError("standard output", console.out->error());
  }
  if (IsStream(path)) return WriteStream(path, bytes);
  Status status = WriteFilterFile(path, bytes,
                                  force ? IfExists::kReplace : IfExists::kFail);
  return status.code() == StatusCode::kAlreadyExists ? MustForce(path) : status;
}

Status LockOutput(const Console& console, std::string_view command,
                  const std::string& path,
                  std::unique_ptr<FilterFileLock>* lock) {
  constexpr std::chrono::milliseconds kPatience{1000};
  if (path == "-" || !IsRegular(path)) return Status::Ok();
  auto taken = LockFilterFile(path, kPatience);
  if (taken.status().code() == StatusCode::kResourceExhausted) {
    Note(console, command,
         fmt::format("{}: waiting for another command that changes it", path));
    taken = LockFilterFile(path);
  }
  switch (taken.status().code()) {
    case StatusCode::kOk:
      *lock = *std::move(taken);
      return Status::Ok();
    case StatusCode::kNotFound:  // gone meanwhile
      return Status::Ok();
    case StatusCode::kNotSupported:
      Note(console, command,
           fmt::format("{}; see to it that nothing else changes it meanwhile",
                       taken.status().message()));
      return Status::Ok();
    default:
      return taken.status();
  }
}

}  // namespace tamis::tools
