// SPDX-License-Identifier: Apache-2.0
// A bit of some file is wrong: the store says so and names the file, or gives
// the right answers all the same.  It never gives wrong ones.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "store/log_format.h"
#include "tamis/store.h"
#include "tests/store/batch_history.h"
#include "tests/store/stores.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {
namespace {

constexpr int kBatches = 60;

StoreOptions DamageOptions(Env* env, bool compressed) {
  StoreOptions options = StillOptions();
  options.create_if_missing = true;
  options.env = env;
  options.block_bytes = 1024;
  options.compression = compressed ? Compression::kSnappy : Compression::kNone;
  return options;
}

// Two levels of tables, and a log.
Files StoreWithHistory(bool compressed, BatchHistory* history) {
  MemoryEnv env;
  {
    Result<std::unique_ptr<Store>> store =
        Store::Open(kDir, DamageOptions(&env, compressed));
    EXPECT_TRUE(store.ok()) << store.status().ToString();
    for (int i = 0; i < kBatches; ++i) {
      EXPECT_TRUE(history->Write(store.value().get(), false));
      const Status done = i == kBatches / 3   ? store->Compact()
                          : i == kBatches / 2 ? store->Flush()
                                              : Status::Ok();
      EXPECT_TRUE(done.ok()) << done.ToString();
    }
  }
  return FilesOf(&env);
}

struct DamageOutcome {
  bool opened = false;
  bool right = true;  // all answers were given
  std::uint64_t damaged_filters = 0;
};

// Every answer is that of `contents`, or an error that names a file.
DamageOutcome AskAll(MemoryEnv* env, StoreOptions options,
                     const Contents& contents) {
  DamageOutcome outcome;
  options.env = env;
  Result<std::unique_ptr<Store>> store = Store::Open(kDir, options);
  if (!store.ok()) {
    EXPECT_NE(store.status().message().find(kDir), std::string::npos)
        << store.status().ToString();
    outcome.right = false;
    return outcome;
  }
  outcome.opened = true;
  const auto expect_names_a_file = [&](const Status& status) {
    outcome.right = false;
    EXPECT_NE(status.message().find(kDir), std::string::npos)
        << status.ToString();
  };
  std::string value;
  for (const auto& [key, expected] : contents) {
    const Status got = store->Get({}, key, &value);
    EXPECT_NE(got.code(), StatusCode::kNotFound) << key << " is hidden";
    if (!got.ok()) expect_names_a_file(got);
    EXPECT_TRUE(!got.ok() || value == expected) << key << " is wrong";
    const Status other = store->Get({}, key + "x", &value);
    EXPECT_FALSE(other.ok()) << key + "x was never written";
    if (other.code() != StatusCode::kNotFound) expect_names_a_file(other);
  }
  const auto it = store->NewIterator();
  auto next = contents.begin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++next) {
    EXPECT_TRUE(next != contents.end() && it->key() == next->first &&
                it->value() == next->second)
        << it->key();
    if (next == contents.end()) break;
  }
  if (!it->status().ok()) {
    expect_names_a_file(it->status());
  } else {
    EXPECT_TRUE(next == contents.end()) << "a scan ends early";
  }
  outcome.damaged_filters = store->Stats().damaged_filters;
  return outcome;
}

Contents ContentsOfFiles(const Files& files) {
  MemoryEnv env;
  PutFiles(files, &env);
  StoreOptions options;
  options.env = &env;
  Result<std::unique_ptr<Store>> store = Store::Open(kDir, options);
  EXPECT_TRUE(store.ok()) << store.status().ToString();
  return ContentsOf(store.value().get());
}

struct FlipTally {
  int tried = 0;
  int unharmed = 0;
  int with_damaged_filter = 0;
};

FlipTally FlipBits(bool compressed) {
  BatchHistory history;
  const Files files = StoreWithHistory(compressed, &history);
  const Contents contents = ContentsOfFiles(files);
  const std::uint64_t step = NumberFrom("TAMIS_SOAK_SECONDS", 0) > 0 ? 1 : 37;
  FlipTally tally;
  for (const auto& [path, bytes] : files) {
    // The first and the last bytes have a meaning each.
    for (std::size_t at = 0; at < bytes.size();
         at += at < 20 || at + 64 > bytes.size() ? 1 : step) {
      const auto bit = static_cast<unsigned>((at + at / 8) % 8);
      SCOPED_TRACE(path + ": bit " + std::to_string(bit) + " of byte " +
                   std::to_string(at) + " of " + std::to_string(bytes.size()));
      MemoryEnv env({.can_map = at % 2 == 0});
      PutFiles(files, &env);
      env.FlipBit(path, at, bit);
      StoreOptions options = DamageOptions(&env, compressed);
      options.create_if_missing = false;
      options.read_only = at % 3 == 0;
      const DamageOutcome outcome = AskAll(&env, options, contents);
      ++tally.tried;
      tally.unharmed += outcome.right ? 1 : 0;
      if (outcome.damaged_filters > 0) {
        EXPECT_TRUE(outcome.right) << "a damaged filter changes an answer";
        ++tally.with_damaged_filter;
      }
      if (::testing::Test::HasFailure()) return tally;
    }
  }
  return tally;
}

TEST(StoreDamage, GivesNoWrongAnswer) {
  const FlipTally tally = FlipBits(false);
  EXPECT_GT(tally.tried, 300);
  EXPECT_LT(tally.unharmed, tally.tried);
  EXPECT_GT(tally.with_damaged_filter, 0);
}

TEST(StoreDamage, GivesNoWrongAnswerWhereBlocksAreCompressed) {
  const FlipTally tally = FlipBits(true);
  EXPECT_GT(tally.tried, 300);
  EXPECT_LT(tally.unharmed, tally.tried);
}

// A grown length must not pass for a record that was cut off.
TEST(StoreDamage, IsFoundInEveryLengthOfALogAndOfTheManifest) {
  BatchHistory history;
  const Files files = StoreWithHistory(true, &history);
  const Contents contents = ContentsOfFiles(files);
  int lengths = 0;
  for (const auto& [path, bytes] : files) {
    const bool is_log = path.ends_with(".log");
    if (!is_log && path.find("MANIFEST") == std::string::npos) continue;
    for (std::size_t at = 0; at + kLogHeaderBytes < bytes.size(); ++lengths) {
      for (unsigned bit = 0; bit < 16; ++bit) {
        SCOPED_TRACE(path + ": bit " + std::to_string(bit) +
                     " of the length at " + std::to_string(at + 4));
        MemoryEnv env;
        PutFiles(files, &env);
        env.FlipBit(path, at + 4 + bit / 8, bit % 8);
        StoreOptions options = DamageOptions(&env, true);
        options.create_if_missing = false;
        EXPECT_FALSE(AskAll(&env, options, contents).right);
        if (HasFailure()) return;
      }
      at += kLogHeaderBytes + LoadLittle<std::uint16_t>(bytes.data() + at + 4);
    }
  }
  EXPECT_GT(lengths, 20);
}

// A log as a value, and the machine stops while it is written.
TEST(StoreDamage, IsNotFoundInAValueThatWasCutOffAndLooksLikeALog) {
  BatchHistory history;
  Files files = StoreWithHistory(true, &history);
  std::string log;
  for (const auto& [path, bytes] : files) {
    if (path.ends_with(".log")) log = bytes;
  }
  ASSERT_GT(log.size(), 5000u);
  for (std::size_t cut = 1; cut < 5000; cut += 97) {
    SCOPED_TRACE(cut);
    MemoryEnv env;
    PutFiles(files, &env);
    StoreOptions options = DamageOptions(&env, true);
    Result<std::unique_ptr<Store>> store = Store::Open(kDir, options);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    ASSERT_TRUE(store->Put({}, "key", log.substr(0, 5000)).ok());
    store.value().reset();
    for (const auto& [path, bytes] : files) {
      if (!path.ends_with(".log")) continue;
      const std::string longer = env.Contents(path);
      ASSERT_GT(longer.size(), bytes.size() + 5000);
      env.SetContents(path, longer.substr(0, longer.size() - cut));
    }
    store = Store::Open(kDir, options);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    history.ExpectExactly(store.value().get());
  }
}

TEST(StoreDamage, OfALostCurrentLeavesTheTablesAlone) {
  BatchHistory history;
  Files files = StoreWithHistory(true, &history);
  MemoryEnv env;
  PutFiles(files, &env);
  ASSERT_TRUE(env.Remove(std::string(kDir) + "/CURRENT").ok());
  const StoreOptions options = DamageOptions(&env, true);
  const Status opened = Store::Open(kDir, options).status();
  EXPECT_EQ(opened.code(), StatusCode::kCorruption) << opened.ToString();
  EXPECT_NE(opened.message().find("/db/CURRENT"), std::string::npos);
  ASSERT_TRUE(RepairStore(kDir, options).ok());
  Result<std::unique_ptr<Store>> store = Store::Open(kDir, options);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  history.ExpectExactly(store.value().get());
}

}  // namespace
}  // namespace tamis::testing
