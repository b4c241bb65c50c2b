// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

// A table with three entries of two keys, a log with a batch of two changes,
// and the manifest that knows them.
class DbDump : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = Store::Open(db_, QuietOptions());
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(store->Put({}, "apple", "red").ok());
    ASSERT_TRUE(store->Put({}, "pear", "a\tb\n").ok());
    ASSERT_TRUE(store->Flush().ok());
    WriteBatch batch;
    batch.Put("plum", "blue");
    batch.Delete("apple");
    ASSERT_TRUE(store->Write({}, batch).ok());
  }

  // The path of the last file whose name has that in it.
  std::string File(std::string_view part) const {
    std::string last;
    for (const auto& [name, bytes] : FilesOf(db_)) {
      if (name.find(part) != std::string::npos) last = name;
    }
    return db_ + "/" + last;
  }

  TempDir dir_;
  const std::string db_ = dir_.File("db");
};

TEST_F(DbDump, PrintsTheEntriesOfATable) {
  const RunResult run = Tamis({"db", "dump", File(".ldb")});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(run.out.starts_with("table: ")) << run.out;
  EXPECT_TRUE(Contains(run.out, "\nfilter block: bloom, ")) << run.out;
  EXPECT_TRUE(run.out.ends_with("1\tput\tapple\tred\n2\tput\tpear\ta\\tb\\n\n"))
      << run.out;
  const RunResult one =
      Tamis({"db", "dump", File(".ldb"), "--limit", "1", "--keys-only"});
  EXPECT_TRUE(one.out.ends_with("\n1\tput\tapple\n")) << one.out;
  const RunResult hex = Tamis({"db", "dump", File(".ldb"), "--hex"});
  EXPECT_TRUE(Contains(hex.out, "\n1\tput\t6170706c65\t726564\n")) << hex.out;
}

TEST_F(DbDump, PrintsTheChangesOfALog) {
  const RunResult run = Tamis({"db", "dump", File(".log")});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(run.out.starts_with("log: ")) << run.out;
  EXPECT_TRUE(run.out.ends_with("\n3\tput\tplum\tblue\n4\tdelete\tapple\n"))
      << run.out;
  const RunResult json = Tamis({"db", "dump", File(".log"), "--json"});
  EXPECT_TRUE(Contains(
      json.out,
      "{\"type\":\"put\",\"sequence\":3,\"key\":\"plum\",\"value\":\"blue\"}\n"
      "{\"type\":\"delete\",\"sequence\":4,\"key\":\"apple\"}\n"))
      << json.out;
}

TEST_F(DbDump, PrintsTheEditsOfAManifest) {
  const RunResult run = Tamis({"db", "dump", File("MANIFEST")});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(run.out.starts_with("manifest: ")) << run.out;
  EXPECT_TRUE(
      Contains(run.out, "\nedit: comparator leveldb.BytewiseComparator\n"))
      << run.out;
  EXPECT_TRUE(Contains(run.out, "\nedit: added, level ")) << run.out;
}

TEST_F(DbDump, StatsTellOfEachTable) {
  const auto json =
      nlohmann::json::parse(Tamis({"db", "stats", db_, "--json"}).out);
  ASSERT_EQ(json["tables"].size(), 1u);
  const auto& table = json["tables"][0];
  EXPECT_EQ(table["smallest"], "apple");
  EXPECT_EQ(table["largest"], "pear");
  EXPECT_EQ(table["keys"], 2);
  EXPECT_EQ(table["filter"], "bloom");
  EXPECT_LT(table["filter_rate"], 0.1);
  EXPECT_FALSE(table["compression"].get<std::string>().empty());
  const std::string text = Tamis({"db", "stats", db_}).out;
  EXPECT_TRUE(Contains(text, "apple … pear\n")) << text;
  EXPECT_TRUE(Contains(text, " bloom ")) << text;
}

TEST_F(DbDump, PrintsWhatAFilterBesideATableIs) {
  ASSERT_EQ(Tamis({"db", "filters", db_, "--policy", "ribbon:9"}).code,
            kExitOk);
  const std::string path = File(".filter");
  const std::string table =
      std::filesystem::path(File(".ldb")).filename().string();
  const RunResult run = Tamis({"db", "dump", path});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  const std::string bytes = std::to_string(
      FilesOf(db_)[std::filesystem::path(path).filename()].size());
  EXPECT_TRUE(run.out.starts_with("filter file: " + bytes +
                                  " bytes\nof table: " + table + ", "))
      << run.out;
  EXPECT_TRUE(Contains(run.out, "\npolicy: tamis.Filter1\nfilter: ribbon, "))
      << run.out;
  EXPECT_TRUE(run.out.ends_with("\nfits: " + table + "\n")) << run.out;
  // Alone, it is verified by itself.
  const std::string name = std::filesystem::path(path).filename().string();
  const RunResult alone =
      Tamis({"db", "dump", dir_.Write(name, FilesOf(db_)[name])});
  EXPECT_EQ(alone.code, kExitOk) << alone.err;
  EXPECT_TRUE(
      alone.out.ends_with("\nfits: not known: its table is not there\n"))
      << alone.out;
}

TEST_F(DbDump, OfADamagedFilterSaysSo) {
  ASSERT_EQ(Tamis({"db", "filters", db_, "--policy", "ribbon:9"}).code,
            kExitOk);
  const std::string path = File(".filter");
  for (const std::size_t at : {9u, 13u, 61u, 66u, 100u}) {
    FlipBit(path, static_cast<std::streamoff>(at));
    const RunResult run = Tamis({"db", "dump", path});
    EXPECT_EQ(run.code, kExitNegative) << at << run.out << run.err;
    EXPECT_TRUE(Contains(run.out, "problem: " + path + ": ")) << run.out;
    FlipBit(path, static_cast<std::streamoff>(at));
  }
  // It is of another table.
  std::filesystem::copy(path, db_ + "/000003.filter");
  const RunResult run = Tamis({"db", "dump", db_ + "/000003.filter"});
  EXPECT_EQ(run.code, kExitNegative) << run.out << run.err;
  EXPECT_TRUE(Contains(run.out, "it is the filter of another table\n"))
      << run.out;
}

TEST_F(DbDump, OfADirectoryNamesEveryFile) {
  ASSERT_EQ(Tamis({"db", "filters", db_, "--policy", "ribbon:9"}).code,
            kExitOk);
  const std::string name =
      std::filesystem::path(File(".filter")).filename().string();
  std::filesystem::copy(dir_.Write("notes.txt", "x"), db_ + "/notes.txt");
  std::filesystem::copy(db_ + "/notes.txt", db_ + "/000099.filter");
  RunResult run = Tamis({"db", "dump", db_});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  for (const auto& [file, bytes] : FilesOf(db_)) {
    EXPECT_TRUE(Contains("\n" + run.out, "\n" + file + ": ")) << run.out;
  }
  EXPECT_TRUE(Contains(run.out, ".ldb: table, ")) << run.out;
  EXPECT_TRUE(Contains(run.out, "\nnotes.txt: not the store's\n")) << run.out;
  EXPECT_TRUE(Contains(run.out, "000099.filter: not the store's\n")) << run.out;
  EXPECT_TRUE(Contains(run.out, name + ": filter of ")) << run.out;
  EXPECT_TRUE(Contains(run.out, ": ribbon, ")) << run.out;
  FlipBit(db_ + "/" + name, 66);
  run = Tamis({"db", "dump", db_});
  EXPECT_EQ(run.code, kExitNegative) << run.err;
  EXPECT_TRUE(Contains(run.out, "problem: " + db_ + "/" + name + ": "))
      << run.out;
}

TEST_F(DbDump, RefusesWhatIsNoFileOfAStore) {
  for (const std::string& path :
       {db_ + "/CURRENT", dir_.path(), dir_.Write("notes.txt", "x"),
        db_ + "/000099.ldb", db_ + "/000099.log", db_ + "/000099.filter",
        dir_.Write("000098.filter", "another program's")}) {
    const RunResult run = Tamis({"db", "dump", path});
    EXPECT_EQ(run.code, kExitError) << path;
    EXPECT_EQ(run.out, "") << path;
    EXPECT_TRUE(IsOneLineFrom("db dump", run.err)) << run.err;
  }
}

TEST_F(DbDump, OfADamagedFileSaysSoAndStands) {
  for (const std::string part : {".ldb", ".log", "MANIFEST"}) {
    const std::string path = File(part);
    const std::string name = std::filesystem::path(path).filename().string();
    const std::string bytes = FilesOf(db_)[name];
    ASSERT_GT(bytes.size(), 48u);
    const std::size_t good = Tamis({"db", "dump", path}).out.size();
    std::size_t noticed = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x11);
      const RunResult run =
          Tamis({"db", "dump", dir_.Write(name, flipped), "--json"});
      EXPECT_NE(run.code, kExitError) << name << " at " << at << run.err;
      EXPECT_EQ(run.code == kExitNegative,
                Contains(run.out, "{\"type\":\"problem\""))
          << run.out;
      noticed += run.code == kExitNegative ? 1 : 0;
      const RunResult cut =
          Tamis({"db", "dump", dir_.Write(name, bytes.substr(0, at))});
      EXPECT_NE(cut.code, kExitError) << name << " cut at " << at << cut.err;
      EXPECT_LE(cut.out.size(), good + 200);
    }
    // A filter that is damaged costs no entry, and a few bytes mean nothing.
    EXPECT_GT(noticed, bytes.size() / 3 / 4) << name;
  }
}

}  // namespace
}  // namespace tamis::tools
