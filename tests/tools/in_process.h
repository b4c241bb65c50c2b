// SPDX-License-Identifier: Apache-2.0
// Runs `tamis ...` inside the test, with strings for its streams.

#pragma once

#include <fcntl.h>
#include <unistd.h>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "console.h"
#include "tests/base/temp_dir.h"

namespace tamis::tools {

struct RunResult {
  int code = -1;
  std::string out;
  std::string err;
};

struct RunOptions {
  std::string_view input = {};
  bool terminal = false;  // all three streams are one
  bool colour = false;
  int out_columns = 80;
};

inline RunResult Tamis(const std::vector<std::string>& args,
                       const RunOptions& options = {}) {
  TempDir dir;
  const std::string input = dir.Write("input", options.input);
  RunResult result;
  Console console;
  console.in = ::open(input.c_str(), O_RDONLY | O_CLOEXEC);
  console.in_is_terminal = options.terminal;
  console.out_is_terminal = options.terminal;
  console.err_is_terminal = options.terminal;
  console.colour = options.colour;
  console.out_columns = options.out_columns;
  {
    Output out(&result.out);
    Output err(&result.err);
    console.out = &out;
    console.err = &err;
    result.code = RunTamis(args, console);
  }
  ::close(console.in);
  return result;
}

inline bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Errors are one line, and say whose they are.
inline bool IsOneLineFrom(std::string_view command, std::string_view err) {
  return err.starts_with("tamis " + std::string(command) + ": ") &&
         err.find('\n') == err.size() - 1;
}

// "PREFIX0\nPREFIX1\n...", `count` lines.
inline std::string Lines(std::string_view prefix, int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    lines += std::string(prefix) + std::to_string(i) + "\n";
  }
  return lines;
}

}  // namespace tamis::tools
