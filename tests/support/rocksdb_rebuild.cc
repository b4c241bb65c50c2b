// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rocksdb_rebuild.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "sstable/manifest.h"
#include "tamis/env.h"
#include "tests/support/golden.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::uint64_t NumberIn(const std::string& name) {
  const std::size_t at = name.find_first_of("0123456789");
  return at == std::string::npos ? 0 : std::stoull(name.substr(at));
}

// At least six digits.
std::string Digits(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits;
}

// The lowest number that no file has.
std::uint64_t NextNumber(const std::string& dir) {
  std::uint64_t next = 0;
  for (const auto& entry : fs::directory_iterator(dir)) {
    next = std::max(next, NumberIn(entry.path().filename().string()) + 1);
  }
  return next;
}

}  // namespace

std::string TablePath(const std::string& dir, std::uint64_t number) {
  return dir + "/" + Digits(number) + ".sst";
}

std::string ManifestPath(const std::string& dir) {
  std::string name = ReadFile(dir + "/CURRENT");
  while (!name.empty() && name.back() == '\n') name.pop_back();
  return dir + "/" + name;
}

RebuiltFile RebuildFile(const std::string& path,
                        const RocksDbNewFilter& filter) {
  RebuiltFile rebuilt;
  const auto old = DefaultEnv().OpenReadable(path, false);
  EXPECT_TRUE(old.ok()) << old.status().ToString();
  if (!old.ok()) return rebuilt;
  const auto plan = RocksDbTableRebuild::Plan(**old, filter);
  rebuilt.status = plan.status();
  if (!plan.ok()) return rebuilt;
  MemoryEnv env;
  {
    auto file = env.Create("new", WriteKind::kTable);
    EXPECT_TRUE(plan->Write((*file).get(), &rebuilt.record.crc32c).ok());
    EXPECT_TRUE((*file)->Close().ok());
  }
  rebuilt.bytes = env.Contents("new");
  rebuilt.kept_bytes = plan->kept_bytes();
  rebuilt.record.bytes = plan->bytes();
  rebuilt.record.tail_bytes = plan->tail_bytes();
  EXPECT_EQ(rebuilt.record.bytes, rebuilt.bytes.size());
  EXPECT_EQ(rebuilt.bytes.substr(0, rebuilt.kept_bytes),
            ReadFile(path).substr(0, rebuilt.kept_bytes));
  return rebuilt;
}

void RebuildDatabase(const std::string& dir, const RocksDbNewFilter& filter,
                     TableNumbers numbers) {
  const auto manifest = ReadLevelManifest(dir);
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  std::uint64_t next = NextNumber(dir);
  RocksDbManifestChange change;
  for (const auto& [number, table] : manifest->tables) {
    SCOPED_TRACE(number);
    RebuiltFile rebuilt = RebuildFile(TablePath(dir, number), filter);
    ASSERT_TRUE(rebuilt.status.ok()) << rebuilt.status.ToString();
    rebuilt.record.number = numbers == TableNumbers::kNew ? next++ : number;
    change.tables[number] = rebuilt.record;
    fs::remove(TablePath(dir, number));
    WriteBytes(TablePath(dir, rebuilt.record.number), rebuilt.bytes);
  }
  const std::string path = ManifestPath(dir);
  const std::string name = "MANIFEST-" + Digits(next++);
  change.next_file = next;
  const auto mended = RebuildRocksDbManifest(ReadFile(path), change);
  ASSERT_TRUE(mended.ok()) << mended.status().ToString();
  WriteBytes(dir + "/" + name, *mended);
  WriteBytes(dir + "/CURRENT", name + "\n");
  fs::remove(path);
}

}  // namespace tamis::testing
