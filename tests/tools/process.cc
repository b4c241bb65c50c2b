// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/process.h"

#include <sys/wait.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/base/temp_dir.h"

namespace tamis::tools {

ProcessResult Shell(const std::string& directory, std::string_view line) {
  TempDir streams;
  const std::string script = streams.Write("script", std::string(line) + "\n");
  const std::string bin =
      std::filesystem::path(TAMIS_COMMAND).parent_path().string();
  const std::string command = "cd '" + directory + "' && PATH='" + bin +
                              "':\"$PATH\" bash -o pipefail '" + script +
                              "' >'" + streams.File("out") + "' 2>'" +
                              streams.File("err") + "' </dev/null";
  const int status = std::system(command.c_str());
  ProcessResult result;
  result.code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = streams.Read("out");
  result.err = streams.Read("err");
  return result;
}

}  // namespace tamis::tools
