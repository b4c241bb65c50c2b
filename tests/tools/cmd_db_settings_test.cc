// SPDX-License-Identifier: Apache-2.0
// What the commands of `tamis db` do with the settings that a store remembers.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/crc32c.h"
#include "tamis/store_settings.h"
#include "tests/tools/as_nobody.h"
#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

RunResult Load(const std::string& db, const std::vector<std::string>& more) {
  std::string pairs;
  for (int i = 0; i < 2000; ++i) {
    pairs += Numbered("k", i) + "\tvalue of " + Numbered("k", i) + "\n";
  }
  std::vector<std::string> args = {"db", "load", db, "-q"};
  args.insert(args.end(), more.begin(), more.end());
  return Tamis(args, {.input = pairs});
}

nlohmann::json CompactJson(const std::string& db,
                           const std::vector<std::string>& more = {}) {
  std::vector<std::string> args = {"db", "compact", db, "--json"};
  args.insert(args.end(), more.begin(), more.end());
  const RunResult run = Tamis(args);
  EXPECT_EQ(run.code, kExitOk) << run.err;
  return nlohmann::json::parse(run.out);
}

std::string FilterOf(const std::string& db) {
  const RunResult run = Tamis({"db", "explain", db, "k0007", "--json"});
  return nlohmann::json::parse(run.out)["steps"].back()["filter"];
}

TEST(DbSettings, OfTheStoreThatIsMadeAreKeptByPlainCommands) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create", "--filter", "splitblock:12", "--compression",
                      "none"})
                .code,
            kExitOk);
  EXPECT_FALSE(CompactJson(db)["nothing_to_do"].get<bool>());
  EXPECT_EQ(FilterOf(db), "splitblock");
  ASSERT_EQ(Load(db, {}).code, kExitOk);
  CompactJson(db);
  EXPECT_EQ(FilterOf(db), "splitblock");
  const auto again = CompactJson(db);
  EXPECT_TRUE(again["nothing_to_do"].get<bool>()) << again.dump();
  EXPECT_EQ(again["rewritten"], 0);
  const RunResult text = Tamis({"db", "compact", db});
  EXPECT_EQ(text.code, kExitOk);
  EXPECT_TRUE(text.err.starts_with("tamis db compact: nothing to do: 1 table"))
      << text.err;
}

// A limit of the memory for filters, and lists of them, are followed, too.
TEST(DbSettings, OfTheFiltersOfLevelsAreKeptByPlainCommands) {
  TempDir dir;
  const std::string db = dir.File("db");
  {
    StoreOptions options;
    options.create_if_missing = true;
    options.filter_per_level = {"bloom:14", "ribbon:6"};
    options.filter_memory_bytes = 100'000;
    ASSERT_TRUE(Store::Open(db, options).ok());
  }
  ASSERT_EQ(Load(db, {}).code, kExitOk);
  CompactJson(db);
  EXPECT_EQ(FilterOf(db), "ribbon");
  const RunResult stats = Tamis({"db", "stats", db});
  EXPECT_TRUE(Contains(stats.out, "filter_per_level bloom:14 ribbon:6"))
      << stats.out;
  EXPECT_TRUE(Contains(stats.out, "filter_memory_bytes 100000")) << stats.out;
  CompactJson(db, {"--filter", "splitblock:10"});
  EXPECT_EQ(FilterOf(db), "splitblock");
}

TEST(DbSettings, ThatAreGivenOverrideAndAreForgottenUnlessToBeRemembered) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create"}).code, kExitOk);
  CompactJson(db);
  const auto other = CompactJson(db, {"--filter", "ribbon:8"});
  EXPECT_EQ(other["rewritten"], 1) << other.dump();
  EXPECT_EQ(FilterOf(db), "ribbon");
  EXPECT_EQ(CompactJson(db)["rewritten"], 1);
  EXPECT_EQ(FilterOf(db), "bloom");
  EXPECT_EQ(CompactJson(db, {"--filter", "ribbon:8", "--compression", "zstd",
                             "--remember"})["rewritten"],
            1);
  EXPECT_TRUE(CompactJson(db)["nothing_to_do"].get<bool>());
  EXPECT_EQ(FilterOf(db), "ribbon");
  EXPECT_EQ(ReadStoreSettings(db).value().compression, Compression::kZstd);
}

TEST(DbSettings, OfOneKindAreComparedByThemselves) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create"}).code, kExitOk);
  CompactJson(db);
  for (const std::vector<std::string>& change :
       std::vector<std::vector<std::string>>{{"--compression", "none"},
                                             {"--filter", "bloom:14"},
                                             {"--filter", "none"},
                                             {"--filter", "bloom:10"}}) {
    std::vector<std::string> remembered = change;
    remembered.push_back("--remember");
    EXPECT_EQ(CompactJson(db, remembered)["rewritten"], 1) << change[1];
    EXPECT_TRUE(CompactJson(db, change)["nothing_to_do"].get<bool>());
  }
  EXPECT_EQ(ReadStoreSettings(db).value().leveldb_filter_bits, 10u);
}

TEST(DbSettings, AreShownByStatsWithoutTheSeed) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create", "--filter", "bloom:12"}).code, kExitOk);
  const RunResult text = Tamis({"db", "stats", db});
  EXPECT_TRUE(Contains(
      text.out,
      "\nremembers: filter bloom:12, leveldb_filter_bits 10, compression "
      "snappy, zstd_level 1, block_bytes 4096, restart_interval 16, "
      "table_bytes 67108864\n"))
      << text.out;
  EXPECT_FALSE(Contains(text.out, "seed"));
  const auto json =
      nlohmann::json::parse(Tamis({"db", "stats", db, "--json"}).out);
  EXPECT_EQ(json["remembered"]["filter"], "bloom:12");
  EXPECT_FALSE(json["remembered"].contains("filter_seed"));
}

// The lines of a TAMIS, with the first and the last.
std::string SettingsText(const std::string& lines, const char* version = "1") {
  std::string text = std::string("tamis settings ") + version + "\n" + lines;
  return text + fmt::format("crc32c = {:08x}\n", Crc32c(text));
}

struct BadSettings {
  const char* what;
  std::string text;
};

std::vector<BadSettings> AllBadSettings() {
  std::string damaged = SettingsText("filter = ribbon:8\n");
  damaged[20] ^= 1;
  return {
      {"its checksum does not match", damaged},
      {"settings of another version", SettingsText("filter = all\n", "2")},
      {"not a file of settings", "someone's notes\n"},
      {"'filter = nonsense:10' is not understood",
       SettingsText("filter = nonsense:10\n")},
      {"'compression = lz4' is not understood",
       SettingsText("filter = ribbon:8\ncompression = lz4\n")},
      {"'table_bytes = 0' is not understood",
       SettingsText("filter = ribbon:8\ntable_bytes = 0\n")},
  };
}

void Overwrite(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

// Those that write tables.
std::vector<std::vector<std::string>> Writers(const std::string& db) {
  return {{"db", "put", db, "k0001", "new"},
          {"db", "delete", db, "k0002"},
          {"db", "load", db, "-q"},
          {"db", "load", db, "--create"},
          {"db", "compact", db},
          {"db", "repair", db}};
}

TEST(DbSettings, ThatCannotBeUsedAreNotTakenForDefaults) {
  for (const BadSettings& bad : AllBadSettings()) {
    SCOPED_TRACE(bad.what);
    TempDir dir;
    const std::string db = dir.File("db");
    ASSERT_EQ(Load(db, {"--create", "--filter", "ribbon:8"}).code, kExitOk);
    Overwrite(db + "/TAMIS", bad.text);
    const auto before = FilesOf(db);
    for (const std::vector<std::string>& writer : Writers(db)) {
      for (const std::vector<std::string>& given :
           std::vector<std::vector<std::string>>{
               {}, {"--filter", "bloom:10"}, {"--compression", "none"}}) {
        std::vector<std::string> args = writer;
        args.insert(args.end(), given.begin(), given.end());
        const RunResult run = Tamis(args, {.input = "k\tv\n"});
        EXPECT_EQ(run.code, kExitError) << args[1];
        EXPECT_TRUE(IsOneLineFrom("db " + args[1], run.err)) << run.err;
        EXPECT_TRUE(Contains(run.err, "/TAMIS: " + std::string(bad.what)))
            << run.err;
        EXPECT_TRUE(Contains(run.err, "--filter and --compression"));
      }
    }
    EXPECT_EQ(FilesOf(db), before);
    EXPECT_EQ(Tamis({"db", "get", db, "k0001"}).out, "value of k0001\n");
    EXPECT_EQ(CompactJson(db, {"--filter", "ribbon:8", "--compression",
                               "none"})["nothing_to_do"],
              false);
    EXPECT_EQ(FilterOf(db), "ribbon");
  }
}

TEST(DbSettings, ThatAreADirectoryAreNotTakenForDefaultsEither) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create"}).code, kExitOk);
  std::filesystem::remove(db + "/TAMIS");
  std::filesystem::create_directory(db + "/TAMIS");
  const RunResult run = Tamis({"db", "compact", db});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "/TAMIS: ")) << run.err;
  CompactJson(db, {"--filter", "bloom:10", "--compression", "none"});
}

TEST(DbSettings, ThatAreMissingAreTheDefaults) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create", "--filter", "ribbon:8"}).code, kExitOk);
  std::filesystem::remove(db + "/TAMIS");
  CompactJson(db);
  EXPECT_EQ(FilterOf(db), "bloom");
}

// A program may have opened the store since.
TEST(DbSettings, ThatWerePutAsideAreNotForgottenUntilOthersAreRemembered) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create", "--filter", "ribbon:8"}).code, kExitOk);
  FlipBit(db + "/TAMIS", 20);
  ASSERT_TRUE(Store::Open(db, QuietOptions()).ok());
  ASSERT_TRUE(std::filesystem::exists(db + "/TAMIS.damaged"));
  const RunResult run = Tamis({"db", "compact", db});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "/TAMIS.damaged: ")) << run.err;
  EXPECT_TRUE(Contains(run.err, "--remember")) << run.err;
  CompactJson(db,
              {"--filter", "ribbon:8", "--compression", "none", "--remember"});
  EXPECT_TRUE(CompactJson(db)["nothing_to_do"].get<bool>());
  EXPECT_EQ(FilterOf(db), "ribbon");
}

TEST(DbSettings, ThatCannotBeUsedAreANoteOfCheckAndOfStats) {
  for (const BadSettings& bad : AllBadSettings()) {
    TempDir dir;
    const std::string db = dir.File("db");
    ASSERT_EQ(Load(db, {"--create"}).code, kExitOk);
    Overwrite(db + "/TAMIS", bad.text);
    const RunResult run = Tamis({"db", "check", db, "--json"});
    EXPECT_EQ(run.code, kExitOk);
    const auto json = nlohmann::json::parse(run.out);
    ASSERT_EQ(json["notes"].size(), 1u) << run.out;
    EXPECT_TRUE(Contains(json["notes"][0].get<std::string>(), "/TAMIS: "));
    EXPECT_EQ(json["verdict"], "ok");
    const auto stats =
        nlohmann::json::parse(Tamis({"db", "stats", db, "--json"}).out);
    EXPECT_TRUE(stats.contains("remembered_error") ||
                stats["remembered"].contains("not_understood"))
        << stats.dump();
  }
}

TEST(DbSettings, ThatNobodyMayReadAreSaidToBeThat) {
  if (!CanBeNobody()) GTEST_SKIP() << kCannotBeNobody;
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create"}).code, kExitOk);
  namespace fs = std::filesystem;
  fs::permissions(dir.path(), fs::perms::all);
  fs::permissions(db, fs::perms::all);
  for (const auto& [name, bytes] : FilesOf(db)) {
    fs::permissions(db + "/" + name,
                    name == "TAMIS" ? fs::perms::none : fs::perms::all);
  }
  const RunResult plain = TamisAsNobody({"db", "put", db, "k", "v"});
  EXPECT_EQ(plain.code, kExitError);
  EXPECT_TRUE(Contains(plain.err, "/TAMIS: Permission denied; ")) << plain.err;
  const RunResult remember =
      TamisAsNobody({"db", "put", db, "k", "v", "--filter", "bloom:10",
                     "--compression", "none", "--remember"});
  EXPECT_EQ(remember.code, kExitError);
  EXPECT_TRUE(Contains(remember.err,
                       "/TAMIS: Permission denied; so nothing can be "
                       "remembered there"))
      << remember.err;
}

TEST(DbSettings, OfAProgramsOwnPolicyAreNotTakenForDefaults) {
  TempDir dir;
  const std::string db = dir.File("db");
  {
    StoreOptions options = QuietOptions();
    options.filter_policy = *MakePolicy("splitblock:20");
    auto store = Store::Open(db, options);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    PutNumbered(store.value().get(), "k", 500);
    ASSERT_TRUE(store->Compact().ok());
  }
  const auto before = FilesOf(db);
  for (const std::vector<std::string>& writer : Writers(db)) {
    std::vector<std::string> args = writer;
    args.insert(args.end(), {"--compression", "none"});
    const RunResult run = Tamis(args, {.input = "k\tv\n"});
    EXPECT_EQ(run.code, kExitError) << args[1];
    EXPECT_TRUE(Contains(run.err, "a program's own policy, tamis.Filter1, "))
        << run.err;
    EXPECT_TRUE(Contains(run.err, "--filter")) << run.err;
  }
  EXPECT_EQ(FilesOf(db), before);
  EXPECT_TRUE(Contains(Tamis({"db", "stats", db}).out,
                       "\nremembers: filter_policy tamis.Filter1, "));
  EXPECT_EQ(CompactJson(db, {"--filter", "ribbon:8"})["rewritten"], 1);
  EXPECT_EQ(FilterOf(db), "ribbon");
}

TEST(DbSettings, OfOneFilterInOtherWordsChangeNothing) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create", "--filter", "bloom"}).code, kExitOk);
  CompactJson(db);
  for (const char* same : {"bloom", "bloom:10", "bloom:10.0"}) {
    EXPECT_TRUE(
        CompactJson(db, {"--filter", same})["nothing_to_do"].get<bool>());
  }
}

TEST(DbCompact, SaysNothingOfTablesOutsideTheRange) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create"}).code, kExitOk);
  const std::vector<std::string> args = {"db",    "compact", db,     "--from",
                                         "k0010", "--to",    "k0011"};
  ASSERT_EQ(Tamis(args).code, kExitOk);
  const RunResult again = Tamis(args);
  EXPECT_EQ(again.code, kExitOk);
  EXPECT_TRUE(again.err.starts_with(
      "tamis db compact: nothing to do in that range, whose tables are merged "
      "and written as wanted; 1 table, "))
      << again.err;
}

TEST(DbCompact, RefusesARangeThatNoKeyLiesIn) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create"}).code, kExitOk);
  const auto before = FilesOf(db);
  for (const std::vector<std::string>& range :
       std::vector<std::vector<std::string>>{{"--from", "z", "--to", "a"},
                                             {"--from", "a", "--to", "a"},
                                             {"--to", ""}}) {
    std::vector<std::string> args = {"db", "compact", db};
    args.insert(args.end(), range.begin(), range.end());
    const RunResult run = Tamis(args);
    EXPECT_EQ(run.code, kExitError);
    EXPECT_EQ(run.err,
              "tamis db compact: no key lies in that range: --to must come "
              "after --from\n");
  }
  EXPECT_EQ(FilesOf(db), before);
}

TEST(DbSettings, ThatNoTableCouldHaveAreRefusedWithAWordOnWhatToWrite) {
  TempDir dir;
  const std::string db = dir.File("db");
  const RunResult run = Load(db, {"--create", "--filter", "cuckoo:m=8,k=8"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "\"cuckoo:10\"")) << run.err;
  EXPECT_FALSE(Contains(run.err, "comparator")) << run.err;
  EXPECT_FALSE(std::filesystem::exists(db));
}

}  // namespace
}  // namespace tamis::tools
