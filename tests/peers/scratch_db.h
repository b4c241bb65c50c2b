// SPDX-License-Identifier: Apache-2.0
// peers/scratch_db.h -- real LevelDB databases in a folder that goes away.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

namespace tamis::testing {

// An empty folder of its own, removed with all its content at the end.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

enum class KeyKind {
  kText,    // "key000017"
  kBinary,  // 1 to 40 random bytes
  kLong,    // 100 to 300 random bytes
};

// What to write: the same scenario gives the same writes, in the same order.
struct Scenario {
  std::string name;
  int bits_per_key = 10;
  KeyKind kind = KeyKind::kText;
  int keys = 500;
  std::size_t shortest_value = 0;
  std::size_t longest_value = 100;
  int versions = 1;  // how often every key is written; every 7th is deleted
  bool compressed = false;
};

// What a database must hold in the end.
struct Written {
  std::map<std::string, std::string> values;
  std::vector<std::string> deleted;
};

// Puts the scenario into a new database at `dir`, all of it into one table
// with every version of every key.  A failure fails the running test.
Written WriteDatabase(const std::filesystem::path& dir,
                      const Scenario& scenario,
                      const leveldb::FilterPolicy& policy);

// Reads all of it back, and 1,000 keys that were never written, by point
// lookups; whatever differs fails the running test.
void ExpectHolds(const std::filesystem::path& dir, const Written& written,
                 const leveldb::FilterPolicy& policy);

// The tables of a database: name and content.
std::map<std::string, std::string> TableFiles(const std::filesystem::path& dir);

}  // namespace tamis::testing
