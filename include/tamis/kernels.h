// SPDX-License-Identifier: Apache-2.0
// tamis/kernels.h -- which variant of the inner loops runs on this machine.
//
// All variants give the same answers; they differ in speed alone.  The
// environment variable TAMIS_KERNELS, read once, names one to be used instead
// of the best: TAMIS_KERNELS=portable.

#pragma once

#include <string_view>
#include <vector>

#include "tamis/export.h"

namespace tamis {

// "portable", "avx2", ...: the one in use.
TAMIS_EXPORT std::string_view ActiveKernelsName() noexcept;

// All that run on this machine, the portable one first.
TAMIS_EXPORT std::vector<std::string_view> RunnableKernelsNames();

}  // namespace tamis
