// SPDX-License-Identifier: Apache-2.0
// A directory of its own for one test, gone at the end with all in it.

#pragma once

#include <stdlib.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {

class TempDir {
 public:
  TempDir() : TempDir(::testing::TempDir()) {}
  explicit TempDir(const std::string& parent) {
    std::string name = parent + "/tamis-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no " << name;
    path_ = name;
  }
  // In memory where the system has such a place, so that syncing is quick.
  static std::string InMemory() {
    return std::filesystem::exists("/dev/shm") ? "/dev/shm"
                                               : ::testing::TempDir();
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }
  // Writes the file and returns its path.
  std::string Write(std::string_view name, std::string_view bytes) const {
    std::ofstream(File(name), std::ios::binary) << bytes;
    return File(name);
  }
  std::string Read(std::string_view name) const {
    std::ifstream in(File(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // How many entries, the hidden ones included.
  std::size_t Count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

}  // namespace tamis
