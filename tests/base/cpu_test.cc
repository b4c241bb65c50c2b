// SPDX-License-Identifier: Apache-2.0
#include "base/cpu.h"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace tamis {
namespace {

#if defined(__x86_64__) && defined(__linux__)
// Returns the first line of /proc/cpuinfo that starts with `name`, after the
// colon.
std::string CpuInfo(const std::string& name) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name + "\t")) return line.substr(line.find(':') + 1);
  }
  return {};
}

TEST(Cpu, IsWhatTheKernelReports) {
  const Cpu& cpu = ThisCpu();
  const std::string vendor = CpuInfo("vendor_id");
  if (vendor.empty()) GTEST_SKIP() << "the kernel reports nothing";
  if (cpu.family != static_cast<unsigned>(std::stoi(CpuInfo("cpu family")))) {
    GTEST_SKIP() << "runs in an emulator, which is another CPU";
  }
  EXPECT_EQ(cpu.vendor == CpuVendor::kIntel, vendor == " GenuineIntel");
  EXPECT_EQ(cpu.vendor == CpuVendor::kAmd, vendor == " AuthenticAMD");
  EXPECT_EQ(cpu.model, static_cast<unsigned>(std::stoi(CpuInfo("model"))));
  const std::string flags = CpuInfo("flags") + " ";
  const auto has = [&](const std::string& flag) {
    return flags.find(" " + flag + " ") != std::string::npos;
  };
  EXPECT_EQ(cpu.popcnt, has("popcnt"));
  EXPECT_EQ(cpu.bmi, has("bmi1"));
  EXPECT_EQ(cpu.bmi2, has("bmi2"));
  EXPECT_EQ(cpu.avx2, has("avx2"));
  EXPECT_EQ(cpu.avx512f, has("avx512f"));
  EXPECT_EQ(cpu.avx512bw, has("avx512bw"));
  EXPECT_EQ(cpu.avx512dq, has("avx512dq"));
  EXPECT_EQ(cpu.avx512vl, has("avx512vl"));
  EXPECT_EQ(cpu.avx512vpopcntdq, has("avx512_vpopcntdq"));
}
#endif

TEST(Cpu, CachesThatAreReportedHavePlausibleSizes) {
  const CacheSizes& caches = ThisCpuCaches();
  if (caches.l1d != 0) {
    EXPECT_GE(caches.l1d, 4u * 1024);
    EXPECT_LE(caches.l1d, 1024u * 1024);
  }
  if (caches.l1d != 0 && caches.l2 != 0) {
    EXPECT_GE(caches.l2, caches.l1d);
  }
}

}  // namespace
}  // namespace tamis
