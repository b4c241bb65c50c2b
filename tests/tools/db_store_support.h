// SPDX-License-Identifier: Apache-2.0
// Stores for the tests of `tamis db`.

#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/base/temp_dir.h"

namespace tamis::tools {

// Small enough to stay where it is put: nothing is compacted by itself.
inline StoreOptions QuietOptions() {
  StoreOptions options;
  options.create_if_missing = true;
  options.automatic_compaction = false;
  options.filter_seed = FilterSeed::kFixed;  // answers are the same each time
  return options;
}

inline std::string Numbered(std::string_view prefix, int number) {
  std::string digits = std::to_string(number);
  return std::string(prefix) + std::string(4 - digits.size(), '0') + digits;
}

// Puts `count` keys PREFIX0000, PREFIX0001, ... with the values "value of KEY".
inline void PutNumbered(Store* store, std::string_view prefix, int count) {
  WriteBatch batch;
  for (int i = 0; i < count; ++i) {
    const std::string key = Numbered(prefix, i);
    batch.Put(key, "value of " + key);
  }
  ASSERT_TRUE(store->Write({}, batch).ok());
}

// A store with two tables, keys a.... and m...., and a log.
inline void MakeStore(const std::string& dir) {
  auto store = Store::Open(dir, QuietOptions());
  ASSERT_TRUE(store.ok()) << store.status().message();
  PutNumbered(store.value().get(), "a", 500);
  ASSERT_TRUE(store->Flush().ok());
  PutNumbered(store.value().get(), "m", 500);
  ASSERT_TRUE(store->Flush().ok());
  ASSERT_TRUE(store->Put({}, "z", "last").ok());
  ASSERT_TRUE(store->Delete({}, "a0007").ok());
}

// Every file of the directory with its bytes.
inline std::map<std::string, std::string> FilesOf(const std::string& dir) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename().string()] =
        std::string(std::istreambuf_iterator<char>(in), {});
  }
  return files;
}

// The names of its tables, the oldest first.
inline std::vector<std::string> TablesOf(const std::string& dir) {
  std::vector<std::string> tables;
  for (const auto& [name, bytes] : FilesOf(dir)) {
    if (name.ends_with(".ldb")) tables.push_back(name);
  }
  return tables;
}

inline void FlipBit(const std::string& path, std::streamoff at) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(at);
  const int byte = file.get();
  ASSERT_NE(byte, std::char_traits<char>::eof());
  file.seekp(at);
  file.put(static_cast<char>(byte ^ 1));
}

}  // namespace tamis::tools
