// SPDX-License-Identifier: Apache-2.0
// version.h -- what `tamis --version` says; a test holds it to the project's.

#pragma once

#include <string_view>

namespace tamis::tools {

inline constexpr std::string_view kVersion = "0.5.0";

}  // namespace tamis::tools
