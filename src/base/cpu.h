// SPDX-License-Identifier: Apache-2.0
// base/cpu.h -- what the CPU is, which instructions it has and how large its
// caches are: values, so that what is chosen by them can be tested for CPUs
// that are elsewhere.

#pragma once

#include <cstdint>

namespace tamis {

enum class CpuVendor { kOther, kIntel, kAmd };

struct Cpu {
  CpuVendor vendor = CpuVendor::kOther;
  unsigned family = 0;  // as CPUID reports both, with the extended bits
  unsigned model = 0;
  // Instructions that the CPU has and the system lets programs use.
  bool popcnt = false;
  bool bmi = false;
  bool bmi2 = false;
  bool avx2 = false;
  bool avx512f = false;
  bool avx512bw = false;
  bool avx512dq = false;
  bool avx512vl = false;
  bool avx512vpopcntdq = false;
};

// Returns the CPU that this runs on.  Not an x86-64: all is 0 or false.
const Cpu& ThisCpu() noexcept;

// In bytes, of the caches that one core reads from.  0: not reported.
struct CacheSizes {
  std::uint64_t l1d = 0;
  std::uint64_t l2 = 0;
};

// Returns what the system reports, once.
const CacheSizes& ThisCpuCaches() noexcept;

}  // namespace tamis
