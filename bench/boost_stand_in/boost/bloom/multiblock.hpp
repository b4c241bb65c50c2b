// SPDX-License-Identifier: Apache-2.0
// No part of Boost: see filter.hpp beside this file.
#pragma once

#include <cstddef>

namespace boost::bloom {

template <typename Block, std::size_t K>
struct multiblock;

}  // namespace boost::bloom
