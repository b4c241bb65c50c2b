// SPDX-License-Identifier: Apache-2.0
// tamis/slice.h -- bytes that somebody else owns.

#pragma once

#include <string_view>

#include "tamis/export.h"

namespace tamis {

using Slice = std::string_view;  // any bytes, '\0' included; never owned

}  // namespace tamis
