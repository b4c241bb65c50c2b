// SPDX-License-Identifier: Apache-2.0
// bench/gnuplot.h -- pictures are drawn by gnuplot, from a script.

#pragma once

#include <string>
#include <string_view>

#include "tamis/status.h"

namespace tamis::bench {

// NotFound: there is no gnuplot here.
Status CheckGnuplot();

// The text in quotes, such that gnuplot takes it as it is.
std::string Quoted(std::string_view text);

// Runs the script, which draws into `path`.
// IoError: gnuplot was not pleased.
Status RunGnuplot(const std::string& script, const std::string& path);

}  // namespace tamis::bench
