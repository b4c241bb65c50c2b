// SPDX-License-Identifier: Apache-2.0
#include "bench/memory_limit.h"

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace tamis::bench {
namespace {

namespace fs = std::filesystem;

constexpr char kRoot[] = "/sys/fs/cgroup";

bool WriteTo(const std::string& path, std::string_view text) {
  std::ofstream out(path);
  out << text << std::flush;
  return static_cast<bool>(out);
}

// Returns the group of this process in the hierarchy whose line in
// /proc/self/cgroup has `controller` between its colons.
std::optional<std::string> OwnGroup(std::string_view controller) {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (line.substr(first + 1, second - first - 1) != controller) continue;
    const std::string path = line.substr(second + 1);
    return path == "/" ? "" : path;
  }
  return {};
}

// One of the two interfaces of the kernel.
struct Interface {
  std::string group;  // that of this process; empty: not there
  const char* limit;
  const char* swap;
};

Interface FindInterface() {
  std::error_code error;
  const auto first = OwnGroup("memory");
  if (first.has_value()) {
    const std::string group = std::string(kRoot) + "/memory" + *first;
    if (fs::exists(group + "/memory.limit_in_bytes", error)) {
      return {group, "/memory.limit_in_bytes", "/memory.memsw.limit_in_bytes"};
    }
  }
  const auto second = OwnGroup("");
  if (second.has_value() &&
      fs::exists(std::string(kRoot) + "/cgroup.controllers", error)) {
    return {kRoot + *second, "/memory.max", "/memory.swap.max"};
  }
  return {};
}

Status CannotLimit(std::uint64_t bytes) {
  return Status::NotSupported(fmt::format(
      "this process may not limit its memory: run it as root, or with "
      "--no-limit below a limit of {} MiB, such as that of systemd-run "
      "--scope -p MemoryMax={}M -p MemorySwapMax=0",
      bytes >> 20, bytes >> 20));
}

}  // namespace

Result<MemoryLimit> MemoryLimit::Make(std::uint64_t bytes) {
  const Interface interface = FindInterface();
  if (interface.group.empty()) return CannotLimit(bytes);
  const std::string path =
      fmt::format("{}/tamis-{}", interface.group, ::getpid());
  std::error_code error;
  if (!fs::create_directory(path, error) || error) return CannotLimit(bytes);
  MemoryLimit limit(path);
  if (!fs::exists(path + interface.limit, error)) {
    WriteTo(interface.group + "/cgroup.subtree_control", "+memory");
  }
  if (!WriteTo(path + interface.limit, std::to_string(bytes))) {
    return CannotLimit(bytes);
  }
  // Where there is swap, none of it; in the older interface the sum of both is
  // limited.
  const bool is_sum =
      std::string_view(interface.swap).find("memsw") != std::string_view::npos;
  WriteTo(path + interface.swap, is_sum ? std::to_string(bytes) : "0");
  return limit;
}

MemoryLimit::MemoryLimit(MemoryLimit&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

MemoryLimit::~MemoryLimit() {
  if (!path_.empty()) ::rmdir(path_.c_str());
}

Status MemoryLimit::Enter() const {
  if (WriteTo(path_ + "/cgroup.procs", std::to_string(::getpid()))) {
    return Status::Ok();
  }
  return Status::NotSupported("cannot enter the control group " + path_);
}

}  // namespace tamis::bench
