// SPDX-License-Identifier: Apache-2.0
#include "build_options.h"

#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include "numbers.h"

namespace tamis::tools {

Result<std::uint64_t> CountOf(std::string_view option,
                              const std::string& text) {
  auto number = ParseCount(text);
  if (!number.ok()) {
    return Status::InvalidArgument(
        fmt::format("{}: {}", option, number.status().message()));
  }
  if (*number == 0) {
    return Status::InvalidArgument(
        fmt::format("{} must be at least 1", option));
  }
  return *number;
}

Status ReadBuildOptions(const BuildArgs& args, BuildOptions* options) {
  constexpr std::uint64_t kMaxThreads = 1024;
  if (!args.memory.empty()) {
    auto bytes = CountOf("--memory", args.memory);
    if (!bytes.ok()) return bytes.status();
    options->memory_bytes = *bytes;
  }
  if (!args.threads.empty()) {
    auto threads = CountOf("--threads", args.threads);
    if (!threads.ok()) return threads.status();
    if (*threads > kMaxThreads) {
      return Status::InvalidArgument("--threads: at most 1,024");
    }
    options->threads = static_cast<unsigned>(*threads);
  }
  if (!args.temporary_folder.empty()) {
    std::error_code error;
    if (!std::filesystem::is_directory(args.temporary_folder, error)) {
      return Status::InvalidArgument(
          fmt::format("--temp-dir: {}{}", args.temporary_folder,
                      error ? ": " + error.message() : " is no directory"));
    }
    options->temporary_folder = args.temporary_folder;
  }
  return Status::Ok();
}

}  // namespace tamis::tools
