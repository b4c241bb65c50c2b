// SPDX-License-Identifier: Apache-2.0
// What cannot be read for a reason that is no damage -- no right to read it, no
// memory, no open file left, limits -- is not thrown away: RepairStore() and
// CheckStore() say why and change nothing.

#include <cerrno>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"

namespace tamis::testing {
namespace {

// With what a repair has put aside.
Files AllFilesOf(MemoryEnv* env) {
  Files files = FilesOf(env);
  files.merge(FilesOf(env, "/db/lost"));
  return files;
}

// Two tables and a log.
Files SomeStore() {
  TestStore store(StillOptions());
  for (std::uint64_t i = 0; i < 400; ++i) {
    store.Put(NumberKey(i), "value " + NumberKey(i * i));
    if (i % 150 == 149) store.Flush();
  }
  store.Close();
  return AllFilesOf(&store.env());
}

std::string Named(const Files& files, const std::string& part) {
  for (const auto& [path, bytes] : files) {
    if (path.find(part) != std::string::npos) return path;
  }
  return "";
}

struct RepairOutcome {
  Status status;
  RepairReport report;
  bool is_unchanged = false;
  bool has_failed = false;  // a call
};

class RepairWhereACallFails : public ::testing::TestWithParam<int> {
 protected:
  // `damage` is done to the store first.
  template <typename Damage>
  RepairOutcome RepairWithFault(const Files& files, std::uint64_t n,
                                const Damage& damage) {
    MemoryEnv env;
    PutFiles(files, &env);
    damage(&env);
    const Files before = AllFilesOf(&env);
    StoreOptions options = StillOptions();
    options.env = &env;
    if (n > 0) env.FailCall(n, GetParam(), false, kOpenCalls | kReadCalls);
    const auto repaired = RepairStore("/db", options);
    RepairOutcome outcome;
    outcome.has_failed = env.failures() > 0;
    env.Heal();
    outcome.status = repaired.status();
    if (repaired.ok()) outcome.report = *repaired;
    outcome.is_unchanged = AllFilesOf(&env) == before;
    return outcome;
  }

  // Whichever call it is: as without it, or nothing is done.
  template <typename Damage>
  void ExpectNoHarm(const Damage& damage) {
    const Files files = SomeStore();
    const RepairOutcome well = RepairWithFault(files, 0, damage);
    ASSERT_TRUE(well.status.ok()) << well.status.ToString();
    std::uint64_t refused = 0;
    for (std::uint64_t n = 1;; ++n) {
      const RepairOutcome outcome = RepairWithFault(files, n, damage);
      if (outcome.status.ok()) {
        EXPECT_EQ(outcome.report.lost, well.report.lost) << n;
        EXPECT_EQ(outcome.report.may_come_back, well.report.may_come_back) << n;
      } else {
        ++refused;
        EXPECT_EQ(outcome.status.code(), GetParam() == EACCES
                                             ? StatusCode::kPermissionDenied
                                             : StatusCode::kResourceExhausted)
            << outcome.status.ToString();
        EXPECT_TRUE(outcome.status.message().starts_with("/db"))
            << outcome.status.ToString();
        EXPECT_TRUE(outcome.is_unchanged) << n << outcome.status.ToString();
      }
      if (HasFailure() || !outcome.has_failed) break;
      ASSERT_LT(n, 5000u);
    }
    EXPECT_GT(refused, 5u);
  }
};

TEST_P(RepairWhereACallFails, LeavesAWholeStoreAlone) {
  ExpectNoHarm([](MemoryEnv*) {});
}

TEST_P(RepairWhereACallFails, LosesNothingOfATableThatHasItsIndex) {
  ExpectNoHarm([](MemoryEnv* env) {
    env->FlipBit(Named(AllFilesOf(env), ".ldb"), 100, 1);
  });
}

TEST_P(RepairWhereACallFails, LosesNothingOfATableThatIsCutOff) {
  ExpectNoHarm([](MemoryEnv* env) {
    const std::string table = Named(AllFilesOf(env), ".ldb");
    std::string bytes = env->Contents(table);
    bytes.resize(bytes.size() - 60);
    bytes[10] ^= 1;
    env->SetContents(table, bytes);
  });
}

TEST_P(RepairWhereACallFails, LosesNothingOfFilesWithLostSectors) {
  ExpectNoHarm([](MemoryEnv* env) {
    const Files files = AllFilesOf(env);
    env->MakeUnreadable(Named(files, ".log"), 4096, 100);
    env->MakeUnreadable(Named(files, "MANIFEST"), 0, 10);
    env->MakeUnreadable(Named(files, ".ldb"), 4096, 100);
  });
}

INSTANTIATE_TEST_SUITE_P(Reasons, RepairWhereACallFails,
                         ::testing::Values(EACCES, ENOMEM, EMFILE),
                         [](const auto& tested) {
                           return tested.param == EACCES   ? "NoRight"
                                  : tested.param == ENOMEM ? "NoMemory"
                                                           : "NoOpenFile";
                         });

// A problem of the files is said only where there is one.
TEST(CheckWhereACallFails, SaysWhyAndNotThatTheStoreIsDamaged) {
  const Files files = SomeStore();
  for (const int error : {EACCES, ENOMEM}) {
    std::uint64_t refused = 0;
    for (std::uint64_t n = 1;; ++n) {
      MemoryEnv env;
      PutFiles(files, &env);
      env.FailCall(n, error, false, kOpenCalls | kReadCalls);
      StoreOptions options;
      options.env = &env;
      const auto checked = CheckStore("/db", options);
      if (checked.ok()) {
        EXPECT_TRUE(checked->problems.empty()) << n << checked->problems[0];
      } else {
        ++refused;
        EXPECT_EQ(checked.status().code(), error == EACCES
                                               ? StatusCode::kPermissionDenied
                                               : StatusCode::kResourceExhausted)
            << checked.status().ToString();
        EXPECT_TRUE(checked.status().message().starts_with("/db"));
      }
      if (env.failures() == 0 || HasFailure()) break;
    }
    EXPECT_GT(refused, 5u);
  }
}

// ---- Limits ----

TEST(StoreWithALargeBlock, IsNotRepairedByWhoMayNotUnpackIt) {
  TestStore store(StillOptions());
  store.Put("large", std::string(std::size_t{40} << 20, '\0'));
  store.Put("small", "value");
  store.Flush();
  store.Close();
  const std::string table = store.Files(".ldb").front();
  StoreOptions options = store.options();
  options.max_block_growth = 2;
  // With the index, and without.
  for (const bool is_cut : {false, true}) {
    if (is_cut) {
      std::string bytes = store.env().Contents(table);
      bytes.pop_back();
      store.env().SetContents(table, bytes);
    }
    const Files now = AllFilesOf(&store.env());
    std::vector<Status> all = {RepairStore("/db", options).status()};
    // Before it comes to the block, a check finds the table cut.
    if (!is_cut) all.push_back(CheckStore("/db", options).status());
    for (const Status& refused : all) {
      EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted)
          << refused.ToString();
      EXPECT_TRUE(refused.message().starts_with(table)) << refused.ToString();
      EXPECT_NE(refused.message().find("max_block_growth"), std::string::npos);
      EXPECT_EQ(refused.remedy(), Remedy::kRaiseMaxBlockGrowth);
      EXPECT_EQ(refused.message().find("repair"), std::string::npos);
    }
    EXPECT_TRUE(AllFilesOf(&store.env()) == now);
  }
  const auto repaired = RepairStore("/db", store.options());
  ASSERT_TRUE(repaired.ok()) << repaired.status().ToString();
  EXPECT_EQ(repaired->entries, 2u);
}

// ---- What nobody recognises ----

TEST(RepairOfWhatIsNoStore, ChangesNothing) {
  const std::vector<Files> directories = {
      {{"/db/000001.log", "10:01 started\n10:02 stopped\n"},
       {"/db/000002.log", std::string(100'000, 'x')}},
      {{"/db/000001.sst", std::string(5000, 's')}, {"/db/000002.sst", ""}},
      {{"/db/MANIFEST-000001", "a list of what is on board"}},
  };
  for (const Files& files : directories) {
    MemoryEnv env;
    PutFiles(files, &env);
    StoreOptions options;
    options.env = &env;
    for (const RepairMode mode : {RepairMode::kDryRun, RepairMode::kWrite}) {
      const Status refused = RepairStore("/db", options, mode).status();
      EXPECT_EQ(refused.code(), StatusCode::kNotSupported)
          << refused.ToString();
      EXPECT_NE(refused.message().find("nothing was changed"),
                std::string::npos);
    }
    EXPECT_TRUE(AllFilesOf(&env) == files);
  }
}

// The least that is enough: a table with its footer, a log of ours that begins
// as such, a manifest with an edit.
TEST(RepairOfWhatIsNoStore, IsNoneOfAStoreOfWhichLittleIsLeft) {
  const Files files = SomeStore();
  for (const std::string& kept :
       {std::string(".ldb"), std::string(".log"), std::string("MANIFEST")}) {
    MemoryEnv env;
    ASSERT_TRUE(env.CreateDirectory("/db").ok());
    const std::string path = Named(files, kept);
    env.SetContents(path, files.at(path));
    env.SetContents("/db/999999.log", "and a text");
    StoreOptions options;
    options.env = &env;
    const auto repaired = RepairStore("/db", options);
    EXPECT_TRUE(repaired.ok()) << kept << repaired.status().ToString();
  }
}

}  // namespace
}  // namespace tamis::testing
