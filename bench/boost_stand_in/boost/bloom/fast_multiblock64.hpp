// SPDX-License-Identifier: Apache-2.0
// No part of Boost: see filter.hpp beside this file.
#pragma once

#include <cstddef>

namespace boost::bloom {

template <std::size_t K>
struct fast_multiblock64;

}  // namespace boost::bloom
