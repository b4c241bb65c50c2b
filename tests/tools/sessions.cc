// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/sessions.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/tools/process.h"

namespace tamis::tools {

std::vector<SessionStep> SessionSteps(const std::string& document,
                                      const std::string& fence) {
  std::vector<SessionStep> steps;
  std::ifstream in(TAMIS_SOURCE_DIR "/" + document);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = line == fence;
    } else if (inside && line.starts_with("$ ")) {
      steps.push_back({number, line.substr(2), ""});
    } else if (inside && !steps.empty()) {
      steps.back().output += line + "\n";
    }
  }
  return steps;
}

void ExpectSession(const std::string& document,
                   const std::vector<SessionStep>& steps, const TempDir& dir) {
  for (const SessionStep& step : steps) {
    const ProcessResult run =
        Shell(dir.path(), "{ " + step.command + "\n} 2>&1");
    EXPECT_EQ(run.out, step.output)
        << document << ":" << step.line << ": " << step.command;
  }
}

}  // namespace tamis::tools
