// SPDX-License-Identifier: Apache-2.0
// fuzz/plain_main.cc -- replays inputs through a fuzz target without any
// fuzzing engine, so that every compiler and sanitizer can run the corpus.
//
//   replay_<name> PATH...    each PATH a file, or a folder searched fully
//
// Exit 0: every input ran.  1: there was none to run, or one was unreadable.
// A target that finds a fault ends the program; the last line printed names
// the input.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

namespace {

namespace fs = std::filesystem;

// False: `path` could not be read; stderr says so.
bool RunOne(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)),
                          std::istreambuf_iterator<char>());
  if (!in.is_open() || in.bad()) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return false;
  }
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  // A copy of exactly the right size: one byte read beyond it is then beyond
  // the allocation, where the address sanitizer detects it.
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  return true;
}

// Appends the files at or below `path`.  False: it cannot be listed.
bool Collect(const fs::path& path, std::vector<fs::path>* files) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    files->push_back(path);
    return true;
  }
  fs::recursive_directory_iterator it(path, error);
  for (; !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    if (it->is_regular_file(error)) files->push_back(it->path());
  }
  if (error) std::fprintf(stderr, "cannot list %s\n", path.c_str());
  return !error;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  bool all_well = true;
  for (int i = 1; i < argc; ++i) {
    all_well = Collect(argv[i], &files) && all_well;
  }
  std::size_t ran = 0;
  for (const fs::path& file : files) {
    if (RunOne(file)) {
      ++ran;
    } else {
      all_well = false;
    }
  }
  std::printf("%zu inputs ran\n", ran);
  if (ran == 0) std::fprintf(stderr, "no inputs: nothing was tested\n");
  return all_well && ran > 0 ? 0 : 1;
}
