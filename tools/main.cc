// SPDX-License-Identifier: Apache-2.0
// The tamis command: sets up the Console and runs the command.

#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "command_line.h"
#include "console.h"
#include "interrupt.h"
#include "tamis/env.h"

namespace {

// Returns the columns of the terminal that standard output is, by COLUMNS or as
// it reports; 80 for anything else, so that files do not depend on the
// environment.
int OutputColumns(const tamis::tools::Console& console) {
  constexpr int kUsualColumns = 80;
  if (!console.out_is_terminal) return kUsualColumns;
  const char* given = std::getenv("COLUMNS");
  int columns = given == nullptr ? 0 : std::atoi(given);
  if (columns <= 0) columns = console.out->columns();
  return columns > 0 ? columns : kUsualColumns;
}

}  // namespace

int main(int argc, char** argv) {
  using tamis::tools::Console;
  using tamis::tools::Output;
  // A closed pipe ends the process quietly, whatever our parent set.
  std::signal(SIGPIPE, SIG_DFL);
  // A limit on the size of files is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  // A page of a file that cannot be read is an error like any other.
  tamis::GuardMappings();
  tamis::tools::HandleInterrupts();

  Output out(STDOUT_FILENO);
  Output err(STDERR_FILENO);
  Console console;
  console.in = STDIN_FILENO;
  console.out = &out;
  console.err = &err;
  console.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  console.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  console.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  console.out_columns = OutputColumns(console);
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  console.colour = console.out_is_terminal &&
                   (no_colour == nullptr || *no_colour == '\0') &&
                   terminal != nullptr && std::string(terminal) != "dumb";
  std::vector<std::string> args(argv, argv + argc);
  if (!args.empty()) args.erase(args.begin());  // our own name
  return tamis::tools::RunTamis(args, console);
}
