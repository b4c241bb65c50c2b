// SPDX-License-Identifier: Apache-2.0
// bench/gnuplot.h -- draws pictures with gnuplot, from a script.

#pragma once

#include <string>
#include <string_view>

#include "tamis/status.h"

namespace tamis::bench {

// NotFound: there is no gnuplot here.
Status CheckGnuplot();

// Returns the text in quotes, so that gnuplot takes it literally.
std::string Quoted(std::string_view text);

// Runs the script, which draws into `path`.
// IoError: gnuplot failed.
Status RunGnuplot(const std::string& script, const std::string& path);

}  // namespace tamis::bench
