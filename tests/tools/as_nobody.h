// SPDX-License-Identifier: Apache-2.0
// Runs `tamis ...` as a user who may do nothing, in a process of its own.

#pragma once

#include <sys/wait.h>
#include <unistd.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tools/in_process.h"

namespace tamis::tools {

// Only root can become somebody else; and root may read everything.
inline bool CanBeNobody() { return ::geteuid() == 0; }
inline constexpr const char* kCannotBeNobody =
    "NOT TESTED: only root can try what others may not";

// The code and the messages; nothing of standard output.
inline RunResult TamisAsNobody(const std::vector<std::string>& args,
                               const RunOptions& options = {}) {
  constexpr ::uid_t kNobody = 65534;
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe(ends), 0);
  const ::pid_t child = ::fork();
  if (child == 0) {
    // The real one, too: access(2) asks about that.
    if (::setregid(kNobody, kNobody) != 0 ||
        ::setreuid(kNobody, kNobody) != 0) {
      ::_exit(99);
    }
    const RunResult run = Tamis(args, options);
    const bool told = ::write(ends[1], run.err.data(), run.err.size()) ==
                      static_cast<::ssize_t>(run.err.size());
    ::_exit(told ? run.code : 98);
  }
  ::close(ends[1]);
  RunResult result;
  char buffer[4096];
  for (;;) {
    const ::ssize_t got = ::read(ends[0], buffer, sizeof(buffer));
    if (got <= 0) break;
    result.err.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

}  // namespace tamis::tools
