// SPDX-License-Identifier: Apache-2.0
#include "bench/machine.h"

#include <sched.h>
#include <unistd.h>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace tamis::bench {
namespace {

constexpr std::uint64_t kKibibyte = 1024;
constexpr std::uint64_t kMebibyte = kKibibyte * 1024;

// Returns what /proc/cpuinfo has of the first core after "field\t*: ".  Empty:
// nothing.
std::string CpuInfo(std::string_view field) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || !line.starts_with(field)) continue;
    if (line.find_first_not_of('\t', field.size()) != colon) continue;
    return line.substr(colon + 2);
  }
  return "";
}

std::string CpuName() {
  const std::string name = CpuInfo("model name");
  return name.empty() ? "unknown CPU" : name;
}

unsigned CpuNumber(std::string_view field) {
  return static_cast<unsigned>(
      std::strtoul(CpuInfo(field).c_str(), nullptr, 10));
}

unsigned Cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
    return static_cast<unsigned>(CPU_COUNT(&set));
  }
  return std::thread::hardware_concurrency();
}

std::string FirstWord(const std::string& path) {
  std::ifstream in(path);
  std::string word;
  in >> word;
  return word;
}

// Returns what the kernel says about the first core, which is not the same
// everywhere: virtual machines often hide it.  0: it says nothing.
std::uint64_t FromKernel(std::string_view level) {
  const std::string caches = "/sys/devices/system/cpu/cpu0/cache/index";
  for (int i = 0;; ++i) {
    const std::string cache = caches + std::to_string(i);
    const std::string type = FirstWord(cache + "/type");
    if (type.empty()) return 0;
    if (type == "Instruction" || FirstWord(cache + "/level") != level) continue;
    std::ifstream in(cache + "/size");  // "32K"
    std::uint64_t kibibytes = 0;
    in >> kibibytes;
    return kibibytes * kKibibyte;
  }
}

// The kernel first: the C library adds up what several dies have, of which this
// machine may be given one.
std::uint64_t CacheBytes(int question, std::string_view level) {
  if (const std::uint64_t bytes = FromKernel(level); bytes != 0) return bytes;
  const long answer = ::sysconf(question);
  return answer > 0 ? static_cast<std::uint64_t>(answer) : 0;
}

std::string SizeText(std::uint64_t bytes) {
  return bytes % kMebibyte == 0 ? fmt::format("{} MiB", bytes / kMebibyte)
                                : fmt::format("{} KiB", bytes / kKibibyte);
}

}  // namespace

Machine ThisMachine() {
  return {.cpu = CpuName(),
          .caches = {.l1d = CacheBytes(_SC_LEVEL1_DCACHE_SIZE, "1"),
                     .l2 = CacheBytes(_SC_LEVEL2_CACHE_SIZE, "2"),
                     .l3 = CacheBytes(_SC_LEVEL3_CACHE_SIZE, "3")},
          .cores = Cores(),
          .family = CpuNumber("cpu family"),
          .model = CpuNumber("model")};
}

std::string MachineText(const Machine& machine) {
  const std::pair<std::string_view, std::uint64_t> caches[] = {
      {"L1d", machine.caches.l1d},
      {"L2", machine.caches.l2},
      {"L3", machine.caches.l3}};
  std::string text = machine.cpu;
  std::string_view before = "; caches: ";
  for (const auto& [name, bytes] : caches) {
    if (bytes == 0) continue;
    text += fmt::format("{}{} {}", before, name, SizeText(bytes));
    before = ", ";
  }
  return text;
}

}  // namespace tamis::bench
