// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/scratch_db.h"

#include <stdlib.h>
#include <algorithm>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/random.h"

namespace tamis::testing {
namespace {

std::size_t Between(std::mt19937_64* random, std::size_t low,
                    std::size_t high) {
  return low + (*random)() % (high - low + 1);
}

std::string MakeKey(const Scenario& scenario, int i, std::mt19937_64* random) {
  if (scenario.kind == KeyKind::kText) {
    const std::string digits = std::to_string(i);
    return "key" + std::string(6 - digits.size(), '0') + digits;
  }
  const bool is_long = scenario.kind == KeyKind::kLong;
  return RandomBytes(
      random, is_long ? Between(random, 100, 300) : Between(random, 1, 40));
}

// Distinct, in a random but fixed order.
std::vector<std::string> MakeKeys(const Scenario& scenario,
                                  std::mt19937_64* random) {
  std::set<std::string> keys;
  for (int i = 0; keys.size() < static_cast<std::size_t>(scenario.keys); ++i) {
    keys.insert(MakeKey(scenario, i, random));
  }
  std::vector<std::string> order(keys.begin(), keys.end());
  std::shuffle(order.begin(), order.end(), *random);
  return order;
}

// Half random, half repeated, so that compression has something to do.
std::string MakeValue(const Scenario& scenario, std::mt19937_64* random) {
  const std::size_t size =
      Between(random, scenario.shortest_value, scenario.longest_value);
  std::string value = RandomBytes(random, size / 2);
  value.resize(size, 'v');
  return value;
}

std::unique_ptr<leveldb::DB> OpenDatabase(const std::filesystem::path& dir,
                                          leveldb::Options options) {
  leveldb::DB* db = nullptr;
  const leveldb::Status opened = leveldb::DB::Open(options, dir.string(), &db);
  EXPECT_TRUE(opened.ok()) << opened.ToString();
  return std::unique_ptr<leveldb::DB>(db);
}

void WriteAll(const Scenario& scenario, leveldb::DB* db, Written* written) {
  std::mt19937_64 random(static_cast<std::uint64_t>(scenario.bits_per_key));
  const std::vector<std::string> keys = MakeKeys(scenario, &random);
  for (int version = 0; version < scenario.versions; ++version) {
    for (const std::string& key : keys) {
      const std::string value = MakeValue(scenario, &random);
      ASSERT_TRUE(db->Put({}, key, value).ok());
      written->values[key] = value;
    }
  }
  if (scenario.versions == 1) return;
  for (std::size_t i = 0; i < keys.size(); i += 7) {
    ASSERT_TRUE(db->Delete({}, keys[i]).ok());
    written->values.erase(keys[i]);
    written->deleted.push_back(keys[i]);
  }
}

}  // namespace

ScratchDir::ScratchDir() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "tamis-peers-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    ADD_FAILURE() << "cannot make " << pattern;
  }
  path_ = pattern;
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Written WriteDatabase(const std::filesystem::path& dir,
                      const Scenario& scenario,
                      const leveldb::FilterPolicy& policy) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.error_if_exists = true;
  options.filter_policy = &policy;
  options.write_buffer_size = std::size_t{64} << 20;  // all in one memtable
  options.compression = scenario.compressed ? leveldb::kSnappyCompression
                                            : leveldb::kNoCompression;
  Written written;
  const auto db = OpenDatabase(dir, options);
  if (db == nullptr) return written;
  WriteAll(scenario, db.get(), &written);
  // Writes the memtable out.  There being no other table, nothing is merged,
  // and so no version is dropped.
  db->CompactRange(nullptr, nullptr);
  return written;
}

void ExpectHolds(const std::filesystem::path& dir, const Written& written,
                 const leveldb::FilterPolicy& policy) {
  leveldb::Options options;
  options.filter_policy = &policy;
  options.paranoid_checks = true;
  const auto db = OpenDatabase(dir, options);
  ASSERT_NE(db, nullptr);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  std::string value;
  for (const auto& [key, expected] : written.values) {
    const leveldb::Status got = db->Get(read, key, &value);
    ASSERT_TRUE(got.ok()) << ToHex(key) << ": " << got.ToString();
    ASSERT_EQ(value, expected) << ToHex(key);
  }
  for (const std::string& key : written.deleted) {
    ASSERT_TRUE(db->Get(read, key, &value).IsNotFound()) << ToHex(key);
  }
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "never written " + std::to_string(i);
    ASSERT_TRUE(db->Get(read, key, &value).IsNotFound()) << key;
  }
}

std::map<std::string, std::string> TableFiles(
    const std::filesystem::path& dir) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    if (entry.path().extension() != ".ldb") continue;
    files[entry.path().filename().string()] = ReadFile(entry.path());
  }
  return files;
}

}  // namespace tamis::testing
