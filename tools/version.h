// SPDX-License-Identifier: Apache-2.0
// version.h -- the version that `tamis --version` prints; a test compares it
// with the project's.

#pragma once

#include <string_view>

namespace tamis::tools {

inline constexpr std::string_view kVersion = "0.5.0";

}  // namespace tamis::tools
