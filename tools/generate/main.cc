// SPDX-License-Identifier: Apache-2.0
// tamis_generate DIR -- writes the manual pages and completions of the tamis
// command below DIR, as installed below share/.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "command_spec.h"
#include "completions.h"
#include "man_page.h"

namespace {

// False: it could not be written.
bool Write(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return !out.fail();
}

bool WriteAll(const std::filesystem::path& root) {
  namespace tools = tamis::tools;
  const std::filesystem::path manuals = root / "man" / "man1";
  bool good = Write(manuals / "tamis.1", tools::ManPageOfWhole());
  for (const tools::CommandSpec& command : tools::AllCommands()) {
    good &= Write(manuals / (tools::ManPageName(command) + ".1"),
                  tools::ManPageOf(command));
  }
  good &= Write(root / "bash-completion" / "completions" / "tamis",
                tools::BashCompletion());
  good &=
      Write(root / "zsh" / "site-functions" / "_tamis", tools::ZshCompletion());
  good &= Write(root / "fish" / "vendor_completions.d" / "tamis.fish",
                tools::FishCompletion());
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr const char* kUsage =
      "usage: tamis_generate DIR\n"
      "Writes the manual pages and completions of tamis below DIR.\n";
  const std::string_view given = argc == 2 ? argv[1] : "";
  if (given == "-h" || given == "--help") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (given.empty() || given.starts_with('-')) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  return WriteAll(argv[1]) ? 0 : 1;
}
