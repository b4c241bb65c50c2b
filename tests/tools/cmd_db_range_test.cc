// SPDX-License-Identifier: Apache-2.0
// tamis db scan --prefix and --keys-only, count, get of several keys, and put
// from a file.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

class DbRange : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = Store::Open(db_, QuietOptions());
    ASSERT_TRUE(store.ok());
    for (const std::string key :
         {"a", "user", "user:", "user:1", "user:2", "userx", "z"}) {
      ASSERT_TRUE(store->Put({}, key, "of " + key).ok());
    }
    ASSERT_TRUE(store->Put({}, "\xff", "last").ok());
    ASSERT_TRUE(store->Put({}, "\xff\xff", "very last").ok());
  }

  RunResult Db(const std::string& command,
               const std::vector<std::string>& rest) const {
    std::vector<std::string> args = {"db", command, db_};
    args.insert(args.end(), rest.begin(), rest.end());
    return Tamis(args);
  }

  TempDir dir_;
  const std::string db_ = dir_.File("db");
};

TEST_F(DbRange, APrefixIsTheKeysThatBeginSo) {
  EXPECT_EQ(Db("scan", {"--prefix", "user:", "--keys-only"}).out,
            "user:\nuser:1\nuser:2\n");
  EXPECT_EQ(Db("scan", {"--prefix", "user:", "--reverse", "--limit", "1"}).out,
            "user:2\tof user:2\n");
  EXPECT_EQ(Db("scan", {"--prefix", "nobody"}).out, "");
  // No key is behind those that begin with the last byte.
  EXPECT_EQ(Db("scan", {"--prefix", "ff", "--hex", "--keys-only"}).out,
            "ff\nffff\n");
  EXPECT_EQ(Db("scan", {"--prefix", "", "--keys-only"}).out,
            Db("scan", {"--keys-only"}).out);
  EXPECT_EQ(Db("scan", {"--prefix", "u", "--from", "a"}).code, kExitError);
}

TEST_F(DbRange, KeysOnlyLeavesTheValuesOut) {
  EXPECT_EQ(Db("scan", {"--keys-only", "--limit", "1"}).out, "a\n");
  EXPECT_EQ(Db("scan", {"--keys-only", "--limit", "1", "--json"}).out,
            "{\"key\":\"a\"}\n");
  EXPECT_EQ(Db("scan", {"--keys-only", "--binary"}).code, kExitError);
}

TEST_F(DbRange, CountCountsWhatScanWouldPrint) {
  EXPECT_EQ(Db("count", {}).out, "9\n");
  EXPECT_EQ(Db("count", {"--prefix", "user:"}).out, "3\n");
  EXPECT_EQ(Db("count", {"--from", "user", "--to", "userx"}).out, "4\n");
  EXPECT_EQ(Db("count", {"--from", "zz", "--to", "zzz"}).out, "0\n");
  EXPECT_EQ(Db("count", {"--prefix", "ff", "--hex"}).out, "2\n");
  EXPECT_EQ(Db("count", {"--json"}).out, "{\"keys\":9}\n");
}

TEST_F(DbRange, GetOfSeveralKeysPrintsEachWithItsValue) {
  const RunResult both = Db("get", {"z", "a"});
  EXPECT_EQ(both.code, kExitOk);
  EXPECT_EQ(both.out, "z\tof z\na\tof a\n");
  const RunResult some = Db("get", {"a", "b", "z"});
  EXPECT_EQ(some.code, kExitNegative);
  EXPECT_EQ(some.out, "a\tof a\nz\tof z\n");
  EXPECT_EQ(some.err, "tamis db get: no such key: b\n");
  EXPECT_EQ(Db("get", {"a", "b", "--json"}).out,
            "{\"key\":\"a\",\"found\":true,\"value\":\"of a\"}\n"
            "{\"key\":\"b\",\"found\":false}\n");
  EXPECT_EQ(Db("get", {"61", "7a", "--hex"}).out,
            "61\t6f662061\n7a\t6f66207a\n");
  EXPECT_EQ(Db("get", {"a", "z", "--raw"}).code, kExitError);
  EXPECT_EQ(Db("get", {"b", "--quiet"}).err, "");
}

TEST_F(DbRange, PutTakesTheValueFromAFileAsItIs) {
  const std::string value("line\n\0\xff\n", 8);
  const std::string file = dir_.Write("value", value);
  EXPECT_EQ(Db("put", {"file", "--value-file", file}).code, kExitOk);
  EXPECT_EQ(Db("get", {"file", "--raw"}).out, value);
  EXPECT_EQ(
      Tamis({"db", "put", db_, "input", "--value-file", "-"}, {.input = value})
          .code,
      kExitOk);
  EXPECT_EQ(Db("get", {"input", "--raw"}).out, value);
  EXPECT_EQ(Db("put", {"hyphen", "-"}).code, kExitOk);
  EXPECT_EQ(Db("get", {"hyphen"}).out, "-\n");
  EXPECT_EQ(Db("put", {"none"}).code, kExitError);
  EXPECT_EQ(Db("put", {"both", "value", "--value-file", file}).code,
            kExitError);
  EXPECT_EQ(Db("put", {"x", "--value-file", dir_.File("none")}).code,
            kExitError);
}

}  // namespace
}  // namespace tamis::tools
