// SPDX-License-Identifier: Apache-2.0
#include "base/cpu.h"

#include <unistd.h>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tamis {
namespace {

#if defined(__x86_64__)
CpuVendor VendorOf(unsigned b, unsigned d, unsigned c) noexcept {
  std::array<char, 12> name;
  std::memcpy(name.data(), &b, 4);
  std::memcpy(name.data() + 4, &d, 4);
  std::memcpy(name.data() + 8, &c, 4);
  const std::string_view vendor(name.data(), name.size());
  if (vendor == "GenuineIntel") return CpuVendor::kIntel;
  return vendor == "AuthenticAMD" ? CpuVendor::kAmd : CpuVendor::kOther;
}

Cpu AskCpu() noexcept {
  Cpu cpu;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(0, &a, &b, &c, &d) != 0) cpu.vendor = VendorOf(b, d, c);
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) {
    cpu.family = a >> 8 & 0xf;
    cpu.model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
    if (cpu.family == 0xf) cpu.family += a >> 20 & 0xff;
  }
  // These know what the system allows, too.
  cpu.popcnt = __builtin_cpu_supports("popcnt") != 0;
  cpu.bmi = __builtin_cpu_supports("bmi") != 0;
  cpu.bmi2 = __builtin_cpu_supports("bmi2") != 0;
  cpu.avx2 = __builtin_cpu_supports("avx2") != 0;
  cpu.avx512f = __builtin_cpu_supports("avx512f") != 0;
  cpu.avx512bw = __builtin_cpu_supports("avx512bw") != 0;
  cpu.avx512dq = __builtin_cpu_supports("avx512dq") != 0;
  cpu.avx512vl = __builtin_cpu_supports("avx512vl") != 0;
  cpu.avx512vpopcntdq = __builtin_cpu_supports("avx512vpopcntdq") != 0;
  return cpu;
}
#else
Cpu AskCpu() noexcept { return {}; }
#endif

// Returns the first number of a file, or -1.
long NumberIn(const char* path) noexcept {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return -1;
  long number = -1;
  if (std::fscanf(file, "%ld", &number) != 1) number = -1;
  std::fclose(file);
  return number;
}

// Returns what the kernel reports for the first core; 0: nothing.  The C
// library, which is asked otherwise, reports nothing on some CPUs.
std::uint64_t FromKernel(long level) noexcept {
  for (unsigned i = 0; i < 4; ++i) {
    std::array<char, 64> path;
    const auto path_of = [&](const char* name) {
      std::snprintf(path.data(), path.size(),
                    "/sys/devices/system/cpu/cpu0/cache/index%u/%s", i, name);
      return path.data();
    };
    if (NumberIn(path_of("level")) != level) continue;
    // Of the two caches of the first level, that of data comes first.
    const long kibibytes = NumberIn(path_of("size"));  // "32K"
    return kibibytes > 0 ? static_cast<std::uint64_t>(kibibytes) * 1024 : 0;
  }
  return 0;
}

std::uint64_t CacheBytes(long level, int question) noexcept {
  if (const std::uint64_t bytes = FromKernel(level); bytes != 0) return bytes;
  const long answer = ::sysconf(question);
  return answer > 0 ? static_cast<std::uint64_t>(answer) : 0;
}

}  // namespace

const Cpu& ThisCpu() noexcept {
  static const Cpu cpu = AskCpu();
  return cpu;
}

const CacheSizes& ThisCpuCaches() noexcept {
  static const CacheSizes caches = {
      .l1d = CacheBytes(1, _SC_LEVEL1_DCACHE_SIZE),
      .l2 = CacheBytes(2, _SC_LEVEL2_CACHE_SIZE)};
  return caches;
}

}  // namespace tamis
