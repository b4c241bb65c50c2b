// SPDX-License-Identifier: Apache-2.0
// bench/machine.h -- what the figures were measured on: the CPU and its
// caches, never the name of the host.

#pragma once

#include <cstdint>
#include <string>

namespace tamis::bench {

// Bytes of the caches that one core reads through; 0: not known.
struct CpuCaches {
  std::uint64_t l1d = 0;
  std::uint64_t l2 = 0;
  std::uint64_t l3 = 0;
};

struct Machine {
  std::string cpu;  // as the operating system names it
  CpuCaches caches;
  unsigned cores = 0;  // that this process may use; with SMT, threads of them
  // As x86 CPUs number themselves; 0: not known.
  unsigned family = 0;
  unsigned model = 0;
};

Machine ThisMachine();

// Returns the CPU and those of its caches that are known:
// "AMD EPYC; caches: L1d 32 KiB, L2 1 MiB, L3 32 MiB".
std::string MachineText(const Machine& machine);

}  // namespace tamis::bench
