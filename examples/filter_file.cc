// SPDX-License-Identifier: Apache-2.0
// A filter in a file: written atomically, and queried from a mapping, without
// copying it.

#include "tamis/filter_file.h"

#include <unistd.h>
#include <filesystem>
#include <iostream>
#include <string>

namespace {

tamis::Status WriteFruits(const std::string& path) {
  auto policy = tamis::MakePolicy("bloom:12");
  if (!policy.ok()) return policy.status();
  const auto builder = policy->NewBuilder();
  for (const char* fruit : {"apple", "banana", "cherry"}) builder->Add(fruit);
  std::string bytes;
  tamis::Status status = builder->Finish(&bytes);
  if (!status.ok()) return status;
  return tamis::WriteFilterFile(path, bytes, tamis::IfExists::kFail);
}

// True if the file answers as it should, and a second write is refused.
bool Check(const std::string& path) {
  const tamis::Status written = WriteFruits(path);
  if (!written.ok()) {
    std::cerr << written.ToString() << "\n";
    return false;
  }
  const auto file = tamis::FilterFile::Open(path);  // format by its content
  if (!file.ok()) {
    std::cerr << file.status().ToString() << "\n";
    return false;
  }
  const tamis::FilterInfo info = file->reader().Describe();
  std::cout << file->spec() << ": " << info.keys.value_or(0) << " keys, "
            << info.bits << " bits, " << info.probes << " probes\n";
  const bool found = file->reader().MayContain("cherry");
  return found && WriteFruits(path).code() == tamis::StatusCode::kAlreadyExists;
}

}  // namespace

int main() {
  const std::string path = std::filesystem::temp_directory_path() /
                           ("fruits-" + std::to_string(getpid()) + ".tamis");
  const bool right = Check(path);
  std::filesystem::remove(path);
  return right ? 0 : 1;
}
