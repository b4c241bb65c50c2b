// SPDX-License-Identifier: Apache-2.0
// The command on a disk with sectors that cannot be read: it says which file,
// and no signal ends it.  Needs root and loop devices.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_file.h"
#include "tamis/formats.h"
#include "tamis/store.h"
#include "tests/support/loop_disk.h"
#include "tests/tools/db_store_support.h"
#include "tests/tools/process.h"

namespace tamis::tools {
namespace {

using testing::LoopDisk;

// The file cannot be read from its middle on, nor can what lies behind it,
// unless it is in memory.
void LoseMiddle(LoopDisk* disk, const std::string& path) {
  ASSERT_TRUE(disk->Sync());
  const std::int64_t place =
      LoopDisk::PlaceOf(path, std::filesystem::file_size(path) / 2);
  ASSERT_GT(place, 0);
  ASSERT_TRUE(disk->CutAt(static_cast<std::uint64_t>(place) / 4096 * 4096));
  ASSERT_TRUE(LoopDisk::Forget(path));
}

TEST(BadDisk, EveryCommandNamesTheTable) {
  LoopDisk disk(std::uint64_t{24} << 20);
  SKIP_WITHOUT_DISK(disk);
  const std::string db = disk.path() + "/db";
  {
    StoreOptions options = QuietOptions();
    options.compression = Compression::kNone;
    auto store = *Store::Open(db, options);
    for (int i = 0; i < 9000; ++i) {
      ASSERT_TRUE(store->Put({}, Numbered("k", i), std::string(200, 'v')).ok());
    }
    ASSERT_TRUE(store->Flush().ok());
  }
  const std::string table = db + "/" + TablesOf(db).front();
  LoseMiddle(&disk, table);
  for (const std::string_view command :
       {"check", "scan", "get", "stats", "explain", "repair"}) {
    SCOPED_TRACE(command);
    std::string line = "tamis db " + std::string(command) + " " + db;
    if (command == "get" || command == "explain") line += " k8000";
    const ProcessResult run = Shell("/", line);
    EXPECT_LT(run.code, 128) << "a signal";
    EXPECT_NE(run.code, 0);
    EXPECT_NE((run.out + run.err).find(table), std::string::npos)
        << run.out << run.err;
  }
}

TEST(BadDisk, EveryCommandNamesTheFilterFile) {
  LoopDisk disk(std::uint64_t{8} << 20);
  SKIP_WITHOUT_DISK(disk);
  // One with a checksum, and one without: opening that does not read it all.
  for (const std::string spec : {"tamis:10", "leveldb:10"}) {
    SCOPED_TRACE(spec);
    auto policy = MakePolicy(spec);
    ASSERT_TRUE(policy.ok()) << policy.status().message();
    auto builder = policy->NewBuilder();
    for (int i = 0; i < 300'000; ++i) builder->Add("key" + std::to_string(i));
    std::string bytes;
    ASSERT_TRUE(builder->Finish(&bytes).ok());
    const std::string path = disk.path() + "/filter";
    ASSERT_TRUE(WriteFilterFile(path, bytes, IfExists::kReplace).ok());
    LoseMiddle(&disk, path);
    const std::string format =
        spec.starts_with("tamis") ? "" : " --format leveldb";
    for (const std::string& line :
         {"seq -f key%.0f 0 2000 | tamis query" + format + " " + path,
          "tamis inspect" + format + " " + path}) {
      SCOPED_TRACE(line);
      const ProcessResult run = Shell("/", line);
      EXPECT_EQ(run.code, 2) << run.err;
      EXPECT_NE(run.err.find(path), std::string::npos) << run.err;
      EXPECT_EQ(run.out.find("no\t"), std::string::npos) << "a key is hidden";
    }
    ASSERT_TRUE(disk.RestoreEnd());
  }
}

}  // namespace
}  // namespace tamis::tools
