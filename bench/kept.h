// SPDX-License-Identifier: Apache-2.0
// bench/kept.h -- the results that are kept, a folder per machine.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/machine.h"
#include "tamis/result.h"

namespace CLI {
class App;
}

namespace tamis::bench {

// Returns the name of the machine's folder: the CPU, which cores and how much
// last-level cache of it the machine has, and the kernel set:
// "amd-epyc-25-17-2-cores-l3-32-mib-avx2".  Family and model, two numbers, are
// there where the CPU's name has no number.  The name of the host is not.
std::string MachineFolder(const Machine& machine, std::string_view kernels);

// Returns the first option given on the command line that is not one of
// `harmless`, such as "--json": with it, a run is not the one that is kept.
// Empty: there is none.
std::string WhatMakesItAnother(const CLI::App& app,
                               std::span<const std::string_view> harmless);

// What to do with the figures in the end.
struct Keeping {
  std::string folder;   // with a folder per machine in it; empty: keep nothing
  std::string another;  // WhatMakesItAnother(); not empty: not kept
};

// Writes folder/MachineFolder()/name, which it replaces as a whole, and tells
// on standard error where it is; or why it is not kept.  A file with a store or
// a row that this run lacks, such as RocksDB on a machine that no longer has
// it, is not replaced.
Status KeepResults(const Keeping& keeping, const Machine& machine,
                   const std::string& name, const std::string& json);

}  // namespace tamis::bench
