// SPDX-License-Identifier: Apache-2.0
// tamis/kernels.h -- which kernel set (implementation of the inner loops) runs
// on this machine.
//
// All kernel sets give the same answers; they differ in speed alone.  The
// environment variable TAMIS_KERNELS, read once, names one to be used instead
// of the best for this CPU: TAMIS_KERNELS=portable.

#pragma once

#include <string_view>
#include <vector>

#include "tamis/export.h"

namespace tamis {

// Returns the name of the kernel set in use: "portable", "avx2", ...
TAMIS_EXPORT std::string_view ActiveKernelsName() noexcept;

// Returns the names of all that run on this machine, the portable one first.
TAMIS_EXPORT std::vector<std::string_view> RunnableKernelsNames();

}  // namespace tamis
