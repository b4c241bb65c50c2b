// SPDX-License-Identifier: Apache-2.0
// What a store remembers of its settings, in a file that LevelDB passes over.

#include "tamis/store_settings.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "store/settings_file.h"
#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::StillOptions;
using testing::TestStore;

constexpr const char* kFile = "/db/TAMIS";

StoreSettings Remembered(TestStore* store) {
  const auto settings = ReadStoreSettings(TestStore::dir(), &store->env());
  EXPECT_TRUE(settings.ok()) << settings.status().ToString();
  return settings.ok() ? *settings : StoreSettings();
}

TEST(StoreSettings, AreThoseTheStoreWasCreatedWith) {
  StoreOptions options = StillOptions();
  options.filter = "splitblock:12";
  options.leveldb_filter_bits = 0;
  options.compression = Compression::kZstd;
  options.zstd_level = 3;
  options.block_bytes = 8192;
  options.restart_interval = 8;
  options.table_bytes = std::uint64_t{1} << 20;
  TestStore store(options);
  StoreOptions again;
  Remembered(&store).ApplyTo(&again);
  EXPECT_EQ(again.filter, "splitblock:12");
  EXPECT_EQ(again.leveldb_filter_bits, 0u);
  EXPECT_EQ(again.compression, Compression::kZstd);
  EXPECT_EQ(again.zstd_level, 3);
  EXPECT_EQ(again.block_bytes, 8192u);
  EXPECT_EQ(again.restart_interval, 8u);
  EXPECT_EQ(again.table_bytes, std::uint64_t{1} << 20);
}

TEST(StoreSettings, ChangeOnlyWhereTheStoreIsToldToRemember) {
  TestStore store(StillOptions());
  const std::string created = store.env().Contents(kFile);
  store.options().filter = "";
  store.options().compression = Compression::kNone;
  store.Reopen();
  EXPECT_EQ(store.env().Contents(kFile), created);
  store.options().remember_settings = true;
  store.Reopen();
  EXPECT_EQ(Remembered(&store).filter, "");
  EXPECT_EQ(Remembered(&store).compression, Compression::kNone);
  EXPECT_EQ(Remembered(&store).filter_seed,
            SettingsOf(*ParseSettings(created)).filter_seed);
}

std::shared_ptr<const FilterPolicy> AnObject() {
  return *MakePolicy("splitblock:20");
}

TEST(StoreSettings, OfAPolicyThatIsNoTextAreItsNameAndNoOtherFilter) {
  StoreOptions options = StillOptions();
  options.filter_policy = AnObject();
  TestStore store(options);
  EXPECT_EQ(Remembered(&store).filter_policy, "tamis.Filter1");
  EXPECT_FALSE(Remembered(&store).filter.has_value());
  EXPECT_TRUE(Remembered(&store).not_understood.empty());
  EXPECT_EQ(Remembered(&store).compression, Compression::kSnappy);
  // Nothing that is remembered stops an opening, with the object or without.
  store.Put("key", "value");
  store.Reopen();
  store.options().filter_policy = nullptr;
  store.Reopen();
  EXPECT_EQ(store.Get("key"), "value");
  EXPECT_EQ(Remembered(&store).filter_policy, "tamis.Filter1");
}

TEST(StoreSettings, OfATextAndOfAnObjectTakeEachOthersPlace) {
  StoreOptions options = StillOptions();
  options.filter = "splitblock:20";
  options.remember_settings = true;
  TestStore store(options);
  EXPECT_EQ(Remembered(&store).filter, "splitblock:20");
  store.options().filter_policy = AnObject();
  store.Reopen();
  EXPECT_FALSE(Remembered(&store).filter.has_value());
  EXPECT_EQ(Remembered(&store).filter_policy, "tamis.Filter1");
  store.options().filter_policy = nullptr;
  store.Reopen();
  EXPECT_EQ(Remembered(&store).filter, "splitblock:20");
  EXPECT_FALSE(Remembered(&store).filter_policy.has_value());
}

TEST(StoreSettings, OfAnOlderStoreAreItsSeedAlone) {
  TestStore store(StillOptions());
  store.Close();
  ASSERT_TRUE(store.env().Remove(kFile).ok());
  store.Open();
  const StoreSettings settings = Remembered(&store);
  EXPECT_FALSE(settings.filter.has_value());
  EXPECT_FALSE(settings.compression.has_value());
  EXPECT_TRUE(settings.filter_seed.has_value());
}

TEST(StoreSettings, KeepLinesOfOtherVersions) {
  TestStore store(StillOptions());
  store.Close();
  auto lines = ParseSettings(store.env().Contents(kFile));
  ASSERT_TRUE(lines.ok());
  lines->push_back({"colour", "dark red"});
  store.env().SetContents(kFile, SettingsToText(*lines));
  store.options().remember_settings = true;
  store.options().filter = "ribbon:8";
  store.Open();
  lines = ParseSettings(store.env().Contents(kFile));
  ASSERT_TRUE(lines.ok());
  ASSERT_NE(FindLine(*lines, "colour"), nullptr);
  EXPECT_EQ(*FindLine(*lines, "colour"), "dark red");
  EXPECT_EQ(*FindLine(*lines, "filter"), "ribbon:8");
}

TEST(StoreSettings, ThatAreDamagedStopNothingAndArePutAside) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Flush();
  store.Close();
  const std::string whole = store.env().Contents(kFile);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    store.env().SetContents(kFile, damaged);
    store.Open();
    ASSERT_EQ(store.Get("key"), "value") << at;
    ASSERT_NE(store.env().Contents("/db/LOG").find("settings not used"),
              std::string::npos)
        << at;
    // What does not even begin like one of ours is not ours to touch.
    const bool is_ours = damaged.starts_with("tamis settings ");
    ASSERT_EQ(store.env().Contents(is_ours ? "/db/TAMIS.damaged" : kFile),
              damaged)
        << at;
    ASSERT_EQ(ReadStoreSettings("/db", &store.env()).ok(), is_ours) << at;
    store.Close();
  }
}

// The first is whole, by its checksum; the second is nobody's idea of one.
TEST(StoreSettings, OfANewerVersionAreLeftAloneAndNotWrittenOver) {
  std::string newer = "tamis settings 2\nfilter = everything\n";
  std::array<char, 32> sum{};
  std::snprintf(sum.data(), sum.size(), "crc32c = %08x\n", Crc32c(newer));
  newer += sum.data();
  for (const std::string& other : {newer, std::string("someone's notes\n")}) {
    TestStore store(StillOptions());
    store.Put("key", "value");
    store.Close();
    store.env().SetContents(kFile, other);
    store.Open();
    EXPECT_EQ(store.Get("key"), "value");
    EXPECT_EQ(store.env().Contents(kFile), other);
    store.Close();
    store.options().remember_settings = true;
    const Status refused = store.TryOpen();
    EXPECT_EQ(refused.code(), StatusCode::kNotSupported);
    EXPECT_NE(refused.message().find(kFile), std::string::npos);
    EXPECT_EQ(store.env().Contents(kFile), other);
  }
}

TEST(StoreSettings, ThatCannotBeWrittenStopNothing) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Close();
  unsigned opened_without = 0;
  for (std::uint64_t n = 1;; ++n) {
    ASSERT_TRUE(!store.env().Exists(kFile) || store.env().Remove(kFile).ok());
    store.env().FailCall(n, EIO);
    const bool opened = store.TryOpen().ok();
    const bool failed = store.env().failures() > 0;
    store.env().Heal();
    if (opened) {
      EXPECT_EQ(store.Get("key"), "value") << n;
      opened_without += store.env().Exists(kFile) ? 0u : 1u;
      store.Close();
    }
    if (!failed) break;
  }
  EXPECT_GT(opened_without, 2u);
}

TEST(StoreSettings, AreReadByThoseWhoOnlyRead) {
  TestStore store(StillOptions());
  for (int i = 0; i < 100; ++i) store.Put("key" + std::to_string(i), "value");
  store.Flush();
  store.Close();
  const std::string before = store.env().Contents(kFile);
  store.options().read_only = true;
  store.Open();
  EXPECT_EQ(store.Get("key7"), "value");
  EXPECT_EQ(store.Get("key700"), "(none)");
  EXPECT_EQ(store.env().Contents(kFile), before);
}

TEST(StoreSettings, GoWithTheStoreThatIsDestroyed) {
  TestStore store(StillOptions());
  store.Close();
  store.env().SetContents("/db/TAMIS.damaged", "tamis settings 1\ndamaged");
  StoreOptions options;
  options.env = &store.env();
  ASSERT_TRUE(DestroyStore("/db", options).ok());
  EXPECT_FALSE(store.env().Exists(kFile));
  EXPECT_FALSE(store.env().Exists("/db/TAMIS.damaged"));
}

TEST(StoreSettings, AFileThatIsNotOursStaysWhenTheStoreIsDestroyed) {
  TestStore store(StillOptions());
  store.Close();
  store.env().SetContents(kFile, "a diary");
  StoreOptions options;
  options.env = &store.env();
  const auto report = DestroyStore("/db", options, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->stayed, std::vector<std::string>{"TAMIS"});
  EXPECT_EQ(store.env().Contents(kFile), "a diary");
}

TEST(StoreSettings, OutliveARepair) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Close();
  const std::string before = store.env().Contents(kFile);
  ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
  StoreOptions options;
  options.env = &store.env();
  ASSERT_TRUE(RepairStore("/db", options).ok());
  EXPECT_EQ(store.env().Contents(kFile), before);
  store.Open();
  EXPECT_EQ(store.Get("key"), "value");
}

// ---- The text itself ----

TEST(SettingsFile, SaysWhatIsWrong) {
  const auto code = [](const std::string& text) {
    return ParseSettings(text).status().code();
  };
  const std::string whole = SettingsToText({{"filter", "bloom:10"}});
  EXPECT_EQ(code(whole), StatusCode::kOk);
  EXPECT_EQ(code(""), StatusCode::kNotSupported);
  EXPECT_EQ(code("hello\n"), StatusCode::kNotSupported);
  EXPECT_EQ(code(whole + "\n"), StatusCode::kCorruption);
  for (std::size_t size = 15; size < whole.size(); ++size) {
    EXPECT_EQ(code(whole.substr(0, size)), StatusCode::kCorruption) << size;
  }
}

TEST(SettingsFile, TakesNoValueThatWouldNotDo) {
  const StoreSettings settings = SettingsOf({{"filter", "nonsense:10"},
                                             {"leveldb_filter_bits", "-1"},
                                             {"compression", "lz4"},
                                             {"zstd_level", "3x"},
                                             {"block_bytes", "0"},
                                             {"restart_interval", "0"},
                                             {"table_bytes", "1e6"},
                                             {"filter_seed", "x"}});
  EXPECT_EQ(settings.not_understood.size(), 8u);
  EXPECT_EQ(settings.not_understood.front(), "filter = nonsense:10");
  EXPECT_FALSE(settings.filter || settings.leveldb_filter_bits ||
               settings.compression || settings.zstd_level ||
               settings.block_bytes || settings.restart_interval ||
               settings.table_bytes || settings.filter_seed);
}

}  // namespace
}  // namespace tamis
