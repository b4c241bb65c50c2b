// SPDX-License-Identifier: Apache-2.0
#include "bench/gnuplot.h"

#include <cstdio>
#include <cstdlib>

namespace tamis::bench {

Status CheckGnuplot() {
  if (std::system("gnuplot --version >/dev/null 2>&1") == 0) {
    return Status::Ok();
  }
  return Status::NotFound(
      "pictures need gnuplot, which is not here; Debian has it as gnuplot-nox");
}

// In gnuplot's single quotes only a quote itself needs care.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

Status RunGnuplot(const std::string& script, const std::string& path) {
  std::FILE* pipe = ::popen("gnuplot", "w");
  if (pipe == nullptr) return Status::IoError("cannot start gnuplot");
  const bool written =
      std::fwrite(script.data(), 1, script.size(), pipe) == script.size();
  const int ended = ::pclose(pipe);
  if (written && ended == 0) return Status::Ok();
  return Status::IoError("gnuplot could not draw " + path);
}

}  // namespace tamis::bench
