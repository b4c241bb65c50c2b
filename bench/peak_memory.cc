// SPDX-License-Identifier: Apache-2.0
#include "bench/peak_memory.h"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

#include "bench/build_once.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kWarmUpKeys = 1000;

// A line like "VmHWM:     1234 kB".
Result<std::uint64_t> FromProcStatus(std::string_view name) {
  constexpr std::uint64_t kKilobyte = 1024;
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    if (digits == std::string::npos) break;
    std::uint64_t number = 0;
    std::from_chars(line.data() + digits, line.data() + line.size(), number);
    return number * kKilobyte;
  }
  return Status::IoError("/proc/self/status has no " + std::string(name));
}

// What the child does.
Result<double> Build(Subject* subject, const Plan& plan) {
  const Metric how = subject->Has(kBuildMany) ? kBuildMany : kBuildOne;
  // First a small one: what code and tables take is not counted.
  Plan small = plan;
  small.keys = std::min(plan.keys, kWarmUpKeys);
  if (const auto built = BuildOnce(subject, small, how); !built.ok()) {
    return built.status();
  }
  if (Status loaded = subject->Load(); !loaded.ok()) return loaded;
  const auto before = ResidentBytes();
  if (!before.ok()) return before.status();
  if (const auto built = BuildOnce(subject, plan, how); !built.ok()) {
    return built.status();
  }
  const auto peak = PeakResidentBytes();
  if (!peak.ok()) return peak.status();
  if (Status loaded = subject->Load(); !loaded.ok()) return loaded;
  const double taken = static_cast<double>(*peak) -
                       static_cast<double>(*before) -
                       static_cast<double>(subject->bytes());
  return std::max(0.0, taken / static_cast<double>(plan.keys));
}

// REQUIRES: it is a child of this process
bool EndedWell(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Result<std::uint64_t> ResidentBytes() { return FromProcStatus("VmRSS:"); }
Result<std::uint64_t> PeakResidentBytes() { return FromProcStatus("VmHWM:"); }

Result<double> PeakOfBuild(Subject* subject, const Plan& plan) {
  const Status failed = Status::IoError("cannot measure the memory of " +
                                        subject->name() + " in a process");
  std::array<int, 2> answer = {};
  if (::pipe(answer.data()) != 0) return failed;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto peak = Build(subject, plan);
    const double value = peak.ok() ? *peak : -1;
    const bool sent = ::write(answer[1], &value, sizeof(value)) ==
                      static_cast<ssize_t>(sizeof(value));
    ::_exit(peak.ok() && sent ? 0 : 1);
  }
  ::close(answer[1]);
  double value = 0;
  const bool got = child > 0 && ::read(answer[0], &value, sizeof(value)) ==
                                    static_cast<ssize_t>(sizeof(value));
  ::close(answer[0]);
  const bool ended = child > 0 && EndedWell(child);
  if (!got || !ended) return failed;
  return value;
}

}  // namespace tamis::bench
