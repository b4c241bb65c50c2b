// SPDX-License-Identifier: Apache-2.0
// peers/child_process.h -- a part of this very program, run as a process of
// its own, so that it can be killed.
//
// The part is a test called DISABLED_...: it does nothing unless it is started
// from here.

#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

namespace tamis::testing {

class ChildProcess {
 public:
  // `argument` is what ChildArgument() gives there.
  ChildProcess(const std::string& test, const std::string& argument) {
    const std::string filter = "--gtest_filter=" + test;
    const std::string variable = "TAMIS_CHILD=" + argument;
    const char* const arguments[] = {"child", filter.c_str(),
                                     "--gtest_also_run_disabled_tests",
                                     "--gtest_brief=1", nullptr};
    std::vector<const char*> variables = {variable.c_str()};
    for (char** other = ::environ; *other != nullptr; ++other) {
      variables.push_back(*other);
    }
    variables.push_back(nullptr);
    process_ = ::fork();
    if (process_ != 0) return;
    // From here on only what is safe where other threads were.
    constexpr unsigned kLongestLifeSeconds = 100;
    ::alarm(kLongestLifeSeconds);
    ::execve("/proc/self/exe", const_cast<char* const*>(arguments),
             const_cast<char* const*>(variables.data()));
    ::_exit(127);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { Kill(); }

  // And waits until it is gone.  True: it was killed; false: it had ended.
  bool Kill() {
    if (process_ <= 0) return false;
    ::kill(process_, SIGKILL);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

 private:
  ::pid_t process_ = 0;
};

// Empty: this process was not started as a child.
inline std::string ChildArgument() {
  const char* const argument = std::getenv("TAMIS_CHILD");
  return argument == nullptr ? "" : argument;
}

}  // namespace tamis::testing
