// SPDX-License-Identifier: Apache-2.0
// Opening, writing, reading and closing: what every user of a store does.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"
#include "tests/support/memory_env.h"

namespace tamis {
namespace {

using testing::Files;
using testing::FilesOf;
using testing::NumberKey;
using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;

std::string SomeBytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint64_t state = size;
  for (char& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<char>(state >> 56);
  }
  return bytes;
}

void ExpectHolds(TestStore* store,
                 const std::map<std::string, std::string>& model) {
  const auto it = (*store)->NewIterator();
  auto expected = model.begin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
    ASSERT_NE(expected, model.end());
    ASSERT_EQ(it->key(), expected->first);
    ASSERT_EQ(it->value(), expected->second);
  }
  EXPECT_EQ(expected, model.end());
}

TEST(StoreGet, GivesTheValueOrSaysThatThereIsNone) {
  TestStore store(StillOptions());
  store.Put("key", std::string("a\0b", 3));
  store.Put("empty", "");
  store.Put("gone", "x");
  const auto before = store->GetSnapshot();
  store.Delete("gone");
  for (const bool flushed : {false, true}) {
    if (flushed) store.Flush();
    const Result<std::string> value = store->Get("key");
    ASSERT_TRUE(value.ok()) << value.status().ToString();
    EXPECT_EQ(*value, std::string("a\0b", 3));
    EXPECT_EQ(store->Get("empty").value(), "");
    EXPECT_EQ(store->Get("gone").status().code(), StatusCode::kNotFound);
    EXPECT_EQ(store->Get("never").status().code(), StatusCode::kNotFound);
    ReadOptions then;
    then.snapshot = before.get();
    EXPECT_EQ(store->Get(then, "gone").value(), "x");
  }
}

TEST(StoreOpen, SaysWhereThereIsNoStore) {
  testing::MemoryEnv env;
  StoreOptions options;
  options.env = &env;
  const auto opened = Store::Open("/db", options);
  EXPECT_EQ(opened.status().code(), StatusCode::kNotFound);
  EXPECT_NE(opened.status().message().find("/db"), std::string::npos);
  EXPECT_FALSE(env.Exists("/db"));
  options.create_if_missing = true;
  options.read_only = true;
  const auto read_only = Store::Open("/db", options);
  EXPECT_EQ(read_only.status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(env.Exists("/db"));
}

TEST(StoreOpen, RefusesAStoreThatExistsIfAskedTo) {
  TestStore store;
  store.Close();
  store.options().error_if_exists = true;
  EXPECT_EQ(store.TryOpen().code(), StatusCode::kAlreadyExists);
}

TEST(StoreOpen, IsRefusedWhileTheStoreIsOpen) {
  TestStore store;
  const auto second = Store::Open(TestStore::dir(), store.options());
  EXPECT_EQ(second.status().code(), StatusCode::kIoError);
  EXPECT_EQ(DestroyStore(TestStore::dir(), store.options()).code(),
            StatusCode::kIoError);
  EXPECT_EQ(RepairStore(TestStore::dir(), store.options()).status().code(),
            StatusCode::kIoError);
  store.Put("still", "works");
  EXPECT_EQ(store.Get("still"), "works");
}

TEST(StoreOpen, RefusesOptionsThatMakeNoSense) {
  const std::vector<void (*)(StoreOptions*)> mistakes = {
      [](StoreOptions* o) { o->block_bytes = 0; },
      [](StoreOptions* o) { o->restart_interval = 0; },
      [](StoreOptions* o) { o->table_bytes = 0; },
      [](StoreOptions* o) { o->write_buffer_bytes = 0; },
      [](StoreOptions* o) { o->level0_compact_at = 0; },
      [](StoreOptions* o) { o->level1_bytes = 0; },
      [](StoreOptions* o) { o->level_growth = 1; },
      [](StoreOptions* o) { o->compaction_threads = 0; },
      [](StoreOptions* o) { o->filter = "no such filter"; },
      [](StoreOptions* o) { o->comparator = nullptr; },
      // Writers would wait for a compaction that never begins.
      [](StoreOptions* o) { o->level0_stop_at = 0; },
      [](StoreOptions* o) { o->level0_compact_at = o->level0_stop_at + 1; },
  };
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    testing::MemoryEnv env;
    StoreOptions options;
    options.create_if_missing = true;
    options.env = &env;
    mistakes[i](&options);
    const auto opened = Store::Open("/db", options);
    EXPECT_EQ(opened.status().code(), StatusCode::kInvalidArgument) << i;
    EXPECT_FALSE(env.Exists("/db")) << i;
  }
}

TEST(StoreOpen, MovesTheLogOfTheLastTimeAside) {
  TestStore store;
  store.Reopen();
  EXPECT_TRUE(store.env().Exists("/db/LOG"));
  EXPECT_TRUE(store.env().Exists("/db/LOG.old"));
}

TEST(Store, GivesBackWhatWasPut) {
  TestStore store;
  EXPECT_EQ(store.Get("a"), "(none)");
  store.Put("a", "1");
  store.Put("b", "2");
  store.Put("a", "3");
  EXPECT_EQ(store.Get("a"), "3");
  EXPECT_EQ(store.Get("b"), "2");
  store.Delete("a");
  store.Delete("never there");
  EXPECT_EQ(store.Get("a"), "(none)");
  EXPECT_EQ(store.All(), "b=2");
}

TEST(Store, LeavesTheValueAloneWhereThereIsNone) {
  TestStore store;
  std::string value = "as it was";
  EXPECT_EQ(store->Get({}, "a", &value).code(), StatusCode::kNotFound);
  EXPECT_EQ(value, "as it was");
  store.Put("a", "1");
  store.Delete("a");
  store.Flush();
  EXPECT_EQ(store->Get({}, "a", &value).code(), StatusCode::kNotFound);
  EXPECT_EQ(value, "as it was");
}

// Empty ones, zeros, all bytes, prefixes of each other.
TEST(Store, TakesAnyBytesAsKeysAndValues) {
  std::map<std::string, std::string> model;
  model[""] = "the empty key";
  model["empty value"] = "";
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string key(1, static_cast<char>(byte));
    model[key] = "one " + std::to_string(byte);
    model[key + '\0'] = key;
    model["prefix" + key + "rest"] = std::string(byte, '\0');
  }
  TestStore store;
  for (const auto& [key, value] : model) store.Put(key, value);
  for (int round = 0; round < 4; ++round) {
    for (const auto& [key, value] : model) ASSERT_EQ(store.Get(key), value);
    EXPECT_EQ(store.Get(std::string(2, '\0') + "x"), "(none)");
    ExpectHolds(&store, model);
    if (round == 0) store.Flush();
    if (round == 1) store.Compact();
    if (round == 2) store.Reopen();
  }
}

TEST(Store, AppliesABatchInOrder) {
  TestStore store;
  WriteBatch batch;
  batch.Put("a", "1");
  batch.Put("b", "2");
  batch.Delete("a");
  batch.Put("c", "3");
  batch.Put("c", "4");
  batch.Delete("d");
  ASSERT_TRUE(store->Write({}, batch).ok());
  EXPECT_EQ(store.All(), "b=2 c=4");
  ASSERT_TRUE(store->Write({.sync = true}, WriteBatch()).ok());
  ASSERT_TRUE(store->Write({}, WriteBatch()).ok());
  store.Reopen();
  EXPECT_EQ(store.All(), "b=2 c=4");
  store.Flush();
  EXPECT_EQ(store.All(), "b=2 c=4");
}

TEST(Store, ComesBackAfterEachKindOfClosing) {
  TestStore store;
  store.Reopen();  // empty
  store.Put("memtable", "1");
  store.Reopen();  // a log alone
  EXPECT_EQ(store.All(), "memtable=1");
  store.Put("more", "2");
  store.Reopen();  // a log that was written on
  EXPECT_EQ(store.All(), "memtable=1 more=2");
  store.Flush();
  store.Reopen();  // tables alone
  EXPECT_EQ(store.All(), "memtable=1 more=2");
  store.Delete("more");
  store.Put("third", "3");
  store.Reopen();  // both
  EXPECT_EQ(store.All(), "memtable=1 third=3");
  store.Compact();
  store.Reopen();
  EXPECT_EQ(store.All(), "memtable=1 third=3");
  store.Put("fourth", "4");
  store.env().Crash(testing::CrashMode::kKillProcess);
  store.Close();
  store.env().Restart();
  store.Open();
  EXPECT_EQ(store.All(), "fourth=4 memtable=1 third=3");
}

TEST(Store, KeepsLargeValues) {
  StoreOptions options = SmallOptions();
  for (const Compression compression :
       {Compression::kNone, Compression::kSnappy, Compression::kZstd}) {
    options.compression = compression;
    TestStore store(options);
    for (std::size_t mib = 1; mib <= 8; mib *= 2) {
      store.Put(NumberKey(mib), SomeBytes(mib << 20));
    }
    for (int round = 0; round < 3; ++round) {
      for (std::size_t mib = 1; mib <= 8; mib *= 2) {
        ASSERT_TRUE(store.Get(NumberKey(mib)) == SomeBytes(mib << 20)) << mib;
      }
      if (round == 0) store.Reopen();
      if (round == 1) store.Compact();
    }
  }
}

TEST(Store, TakesKeysLongerThanABlock) {
  TestStore store(SmallOptions());
  const std::string common(100'000, 'k');
  for (int i = 0; i < 5; ++i) {
    store.Put(common + std::to_string(i), std::to_string(i));
  }
  store.Flush();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(store.Get(common + std::to_string(i)), std::to_string(i));
  }
  EXPECT_EQ(store.Get(common), "(none)");
  EXPECT_EQ(store.Get(common + "5"), "(none)");
}

TEST(StoreReadOnly, ChangesNothingOnDisk) {
  TestStore store(StillOptions());
  store.Put("table", "1");
  store.Flush();
  store.Put("log", "2");
  store.Close();
  const Files before = FilesOf(&store.env());
  store.options().read_only = true;
  store.Open();
  EXPECT_EQ(store.All(), "log=2 table=1");
  EXPECT_EQ(store->Put({}, "a", "b").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(store->Delete({}, "log").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(store->Compact().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(store.Get("log"), "2");
  EXPECT_EQ(store.Get("a"), "(none)");
  EXPECT_TRUE(FilesOf(&store.env()) == before);
  store.Close();
  EXPECT_TRUE(FilesOf(&store.env()) == before);
}

TEST(StoreReadOnly, OpensAndAnswersBesideAWriter) {
  TestStore store(SmallOptions());
  for (std::uint64_t i = 0; i < 500; ++i) {
    store.Put(NumberKey(i), std::string(100, 'a'));
  }
  ASSERT_TRUE(store->WaitForQuiet().ok());
  StoreOptions options = store.options();
  options.read_only = true;
  auto reader = Store::Open(TestStore::dir(), options);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  // The writer removes all tables that the reader knows of.
  for (std::uint64_t i = 0; i < 500; ++i) {
    store.Put(NumberKey(i), std::string(100, 'b'));
  }
  store.Compact();
  for (std::uint64_t i = 0; i < 500; ++i) {
    std::string value;
    const Status got = reader->Get({}, NumberKey(i), &value);
    ASSERT_TRUE(got.ok()) << got.ToString();
    ASSERT_EQ(value, std::string(100, 'a'));
  }
  EXPECT_EQ(store.Get(NumberKey(7)), std::string(100, 'b'));
}

TEST(StoreDestroy, RemovesItsOwnFilesOnly) {
  TestStore store(SmallOptions());
  for (std::uint64_t i = 0; i < 1000; ++i) store.Put(NumberKey(i), "value");
  store.Close();
  store.env().SetContents("/db/README", "not the store's");
  ASSERT_TRUE(DestroyStore("/db", store.options()).ok());
  EXPECT_EQ(store.Files(""), std::vector<std::string>{"/db/README"});
  EXPECT_EQ(DestroyStore("/db", store.options()).code(), StatusCode::kNotFound);
  store.Open();
  EXPECT_EQ(store.All(), "");
  store.Close();
  ASSERT_TRUE(store.env().Remove("/db/README").ok());
  ASSERT_TRUE(DestroyStore("/db", store.options()).ok());
  EXPECT_FALSE(store.env().Exists("/db"));
  EXPECT_EQ(DestroyStore("/db", store.options()).code(), StatusCode::kNotFound);
}

TEST(StoreSnapshot, ShowsTheMomentItWasTaken) {
  TestStore store(StillOptions());
  const auto nothing = store->GetSnapshot();
  store.Put("a", "1");
  store.Put("b", "1");
  const auto first = store->GetSnapshot();
  store.Put("a", "2");
  store.Delete("b");
  store.Put("c", "2");
  const auto second = store->GetSnapshot();
  store.Delete("a");
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(store.All(nothing.get()), "");
    EXPECT_EQ(store.All(first.get()), "a=1 b=1");
    EXPECT_EQ(store.All(second.get()), "a=2 c=2");
    EXPECT_EQ(store.All(), "c=2");
    EXPECT_EQ(store.Get("b", first.get()), "1");
    EXPECT_EQ(store.Get("b", second.get()), "(none)");
    EXPECT_EQ(store.Get("a"), "(none)");
    if (round == 0) store.Flush();
    if (round == 1) store.Compact();
  }
}

}  // namespace
}  // namespace tamis
