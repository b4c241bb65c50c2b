// SPDX-License-Identifier: Apache-2.0
#include "tamis/store_dump.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tamis/store_tables.h"
#include "tests/support/memory_env.h"

namespace tamis {
namespace {

// A store in memory with two tables and a log.
class StoreFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.env = &env_;
    options_.create_if_missing = true;
    options_.filter = "bloom:10,seed=0";
    auto store = Store::Open("db", options_);
    ASSERT_TRUE(store.ok()) << store.status().message();
    ASSERT_TRUE(store->Put({}, "a", "1").ok());
    ASSERT_TRUE(store->Put({}, "b", "2").ok());
    ASSERT_TRUE(store->Flush().ok());
    ASSERT_TRUE(store->Delete({}, "a").ok());
    ASSERT_TRUE(store->Flush().ok());
    ASSERT_TRUE(store->Put({}, "c", "3").ok());
  }

  // Paths of files whose names end so, in order.
  std::vector<std::string> Files(std::string_view suffix) {
    std::vector<std::string> paths;
    auto names = env_.List("db");
    if (!names.ok()) return paths;
    for (const std::string& name : *names) {
      if (name.ends_with(suffix)) paths.push_back("db/" + name);
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  // The changes in the file as "put a 1;delete b;".
  std::string Changes(const std::string& path, std::size_t at_most = 100) {
    std::string text;
    const Status dumped = DumpStoreFile(
        path,
        [&](const DumpItem& item) {
          if (item.kind == DumpItem::Kind::kPut) {
            text += "put " + std::string(item.key) + " " +
                    std::string(item.value) + ";";
          } else if (item.kind == DumpItem::Kind::kDelete) {
            text += "delete " + std::string(item.key) + ";";
          } else {
            return true;
          }
          return --at_most > 0;
        },
        options_);
    EXPECT_TRUE(dumped.ok()) << dumped.message();
    return text;
  }

  testing::MemoryEnv env_;
  StoreOptions options_;
};

TEST_F(StoreFiles, DumpGivesOlderVersionsAndDeletions) {
  std::string all;
  for (const std::string& path : Files(".ldb")) all += Changes(path);
  EXPECT_EQ(all, "put a 1;put b 2;delete a;");
  const auto logs = Files(".log");
  ASSERT_FALSE(logs.empty());
  EXPECT_EQ(Changes(logs.back()), "put c 3;");
}

TEST_F(StoreFiles, DumpStopsWhenTheVisitorHasHadEnough) {
  EXPECT_EQ(Changes(Files(".ldb").front(), 1), "put a 1;");
}

TEST_F(StoreFiles, DumpRefusesOtherFiles) {
  const auto ignore = [](const DumpItem&) { return true; };
  EXPECT_EQ(DumpStoreFile("db/CURRENT", ignore, options_).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(DumpStoreFile("db/999999.ldb", ignore, options_).code(),
            StatusCode::kNotFound);
  EXPECT_EQ(DumpStoreFile("db/999999.log", ignore, options_).code(),
            StatusCode::kNotFound);
}

TEST_F(StoreFiles, TablesAreListedWithWhatTheySay) {
  const auto tables = ListStoreTables("db", options_);
  ASSERT_TRUE(tables.ok()) << tables.status().message();
  ASSERT_EQ(tables->size(), 2u);
  std::uint64_t keys = 0;
  for (const StoreTable& table : *tables) {
    EXPECT_EQ(table.filter, "bloom");
    EXPECT_LT(table.filter_rate, 0.1);
    EXPECT_EQ(table.problem, "");
    EXPECT_NE(table.compression, "");
    ASSERT_TRUE(table.keys.has_value());
    keys += *table.keys;
    EXPECT_EQ(table.smallest, "a");
  }
  EXPECT_EQ(keys, 3u);
  EXPECT_EQ(ListStoreTables("nowhere", options_).status().code(),
            StatusCode::kNotFound);
}

}  // namespace
}  // namespace tamis
