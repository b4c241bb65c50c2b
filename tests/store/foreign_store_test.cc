// SPDX-License-Identifier: Apache-2.0
// Directories of other engines: recognised by whatever is left of them, and
// not touched.

#include "store/foreign_store.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"
#include "tests/support/memory_env.h"
#include "tests/support/rocksdb_like.h"

namespace tamis::testing {
namespace {

struct Door {
  std::string name;
  std::function<Status(StoreOptions)> enter;
};

// Everything that takes a directory.
std::vector<Door> AllDoors() {
  const auto open = [](const StoreOptions& options) {
    return Store::Open(kDir, options).status();
  };
  return {
      {"open", open},
      {"open, may create",
       [=](StoreOptions options) {
         options.create_if_missing = true;
         return open(options);
       }},
      {"open, must create",
       [=](StoreOptions options) {
         options.create_if_missing = true;
         options.error_if_exists = true;
         return open(options);
       }},
      {"open to read",
       [=](StoreOptions options) {
         options.read_only = true;
         return open(options);
       }},
      {"check",
       [](const StoreOptions& options) {
         return CheckStore(kDir, options).status();
       }},
      {"repair",
       [](const StoreOptions& options) {
         return RepairStore(kDir, options).status();
       }},
      {"destroy",
       [](const StoreOptions& options) { return DestroyStore(kDir, options); }},
  };
}

Files InTheDirectory(const NamedFiles& named) {
  Files files;
  for (const auto& [name, bytes] : named) files[kDir + ("/" + name)] = bytes;
  return files;
}

// Each door says so, in these words, and leaves all as it is.
void ExpectAllRefuse(const NamedFiles& named, const std::string& words) {
  const Files files = InTheDirectory(named);
  for (const Door& door : AllDoors()) {
    SCOPED_TRACE(door.name);
    MemoryEnv env;
    PutFiles(files, &env);
    StoreOptions options;
    options.env = &env;
    const Status refused = door.enter(options);
    EXPECT_EQ(refused.code(), StatusCode::kNotSupported) << refused.ToString();
    EXPECT_TRUE(refused.message().starts_with(kDir + (": " + words)))
        << refused.message();
    EXPECT_EQ(refused.message().find("repair"), std::string::npos);
    EXPECT_TRUE(FilesOf(&env) == files);
  }
}

TEST(ForeignStore, RocksDbIsRecognisedByWhateverIsLeftOfIt) {
  for (const LostFiles& lost : LossesThatDoNotHideIt()) {
    SCOPED_TRACE("lost: " + lost.name);
    NamedFiles files = RocksDbLikeFiles();
    for (const std::string& name : lost.files) files.erase(name);
    ExpectAllRefuse(files, "this is a RocksDB database (");
  }
}

TEST(ForeignStore, RocksDbIsRecognisedByEachOfItsTagsAndTables) {
  for (const std::uint32_t tag : {100u, 102u, 103u, 200u, 203u, 300u, 8193u}) {
    SCOPED_TRACE(tag);
    ExpectAllRefuse({{"CURRENT", "MANIFEST-000005\n"},
                     {"MANIFEST-000005", ManifestWithTag(tag)}},
                    "this is a RocksDB database (MANIFEST-000005 has");
  }
  for (const std::uint64_t magic :
       {kRocksDbBlockBasedMagic, std::uint64_t{0x8242229663bf9564},
        std::uint64_t{0x4f3418eb7a8f13b8}, std::uint64_t{0x926789d0c5f17873}}) {
    SCOPED_TRACE(magic);
    ExpectAllRefuse({{"000009.sst", TableWithMagic(magic)}},
                    "this is a RocksDB database (000009.sst is one");
  }
}

TEST(ForeignStore, ATagThatNobodyKnowsIsOfAnotherEngine) {
  for (const std::uint32_t tag : {8u, 10u, 99u}) {
    SCOPED_TRACE(tag);
    ExpectAllRefuse({{"CURRENT", "MANIFEST-000005\n"},
                     {"MANIFEST-000005", ManifestWithTag(tag)}},
                    "this is the database of another engine (");
  }
}

TEST(ForeignStore, NamesThatOnlyBeginAsRocksDbsAreNobodys) {
  MemoryEnv env;
  EXPECT_TRUE(RefuseForeignNames(env, kDir,
                                 {"OPTIONS", "OPTIONS-", "OPTIONS-x",
                                  "OPTIONS-000007.bak", "IDENTITY.txt", "LOG"})
                  .ok());
  EXPECT_FALSE(RefuseForeignNames(env, kDir, {"OPTIONS-000007.dbtmp"}).ok());
}

// A table of LevelDB ends otherwise, whatever its name, and damage is damage.
TEST(ForeignStore, ADamagedStoreOfOursIsNotTakenForRocksDbs) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Flush();
  store.Close();
  MemoryEnv& env = store.env();
  const std::string table = store.Files(".ldb").front();
  ASSERT_TRUE(
      env.Rename(table, table.substr(0, table.size() - 4) + ".sst").ok());
  store.Open();
  EXPECT_EQ(store.Get("key"), "value");
  store.Close();
  const std::string manifest = store.Manifest();
  const std::string bytes = env.Contents(manifest);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    env.SetContents(manifest, damaged);
    const Status opened = store.TryOpen();
    ASSERT_NE(opened.code(), StatusCode::kNotSupported) << opened.ToString();
    store.Close();
    env.SetContents(manifest, bytes);
  }
}

}  // namespace
}  // namespace tamis::testing
