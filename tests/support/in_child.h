// SPDX-License-Identifier: Apache-2.0
// support/in_child.h -- a part of a test in a forked child of this process.

#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>

namespace tamis::testing {

// What `body` returns there, an int from 0 to 127; -1 if the child was killed,
// as it is after 20 seconds.  Nothing else of this process runs in it, neither
// what follows nor what would happen at its end.
template <class Body>
int InChild(const Body& body) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    constexpr unsigned kLongestLifeSeconds = 20;
    ::alarm(kLongestLifeSeconds);
    ::_exit(body());
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace tamis::testing
