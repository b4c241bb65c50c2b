// SPDX-License-Identifier: Apache-2.0
// The machine stops at any moment, and loses what was not synced: the store
// opens, and has lost nothing that was to survive.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/batch_history.h"
#include "tests/store/stores.h"
#include "tests/support/filter_choices.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {
namespace {

// One machine, whose power fails again and again.
class Machine {
 public:
  // Its filters are what follows from the seed.
  explicit Machine(std::uint64_t filters,
                   const MemoryEnv::Options& options = {})
      : env_(options), options_(BusyOptions(&env_)) {
    ChooseFilters(filters, &options_);
  }

  // From its n-th call on nothing reaches the disk, and then what is not
  // synced is lost.  If `and_then` is not 0, only the n-th call fails at first,
  // and so many calls later the power does.  False: there were fewer calls.
  bool LiveUntil(std::uint64_t n, CrashMode mode, std::uint64_t seed,
                 std::uint64_t and_then = 0) {
    ++life_;
    and_then_ = and_then;
    env_.Heal();
    env_.FailCall(n, EIO, and_then == 0);
    Live();
    const bool died = IsDead();
    env_.Crash(mode, seed);
    store_.reset();
    env_.Restart();
    env_.Heal();
    return died;
  }

  // A process opens the store, and does nothing; then the power fails.
  void OpenAndLosePower(std::uint64_t seed) {
    EXPECT_TRUE(Open());
    env_.Crash(CrashMode::kKeepRandomPrefix, seed);
    store_.reset();
    env_.Restart();
  }

  void ExpectAllIsWell() {
    if (!env_.Exists(std::string(kDir) + "/CURRENT")) {
      for (const auto& attempt : history_.attempts()) {
        EXPECT_FALSE(attempt.acknowledged);
      }
    } else {
      ExpectSound(&env_);
    }
    ASSERT_TRUE(Open()) << "it does not open any more";
    const std::vector<bool> present = history_.Survivors(store_.get());
    ExpectSyncedOnesIn(present);
    ExpectPrefix(present);
    history_.Settle(present);
    store_.reset();
  }

 private:
  bool Open() {
    Result<std::unique_ptr<Store>> opened = Store::Open(kDir, options_);
    if (!opened.ok()) {
      EXPECT_GT(env_.failures(), 0u) << opened.status().ToString();
      return false;
    }
    store_ = *std::move(opened);
    return true;
  }
  bool IsDead() {
    if (env_.failures() == 0) return false;
    if (and_then_ == 0) return true;
    env_.Heal();
    env_.FailCall(std::exchange(and_then_, 0), EIO, true);
    return false;
  }

  void Live() {
    if (!Open()) return;
    for (int part = 0; part < 3 && !IsDead(); ++part) {
      for (int i = 0; i < 15 && !IsDead(); ++i) {
        history_.Write(store_.get(), i % 7 == 6);
        history_.SetLifeOfLast(life_);
      }
      if (IsDead()) return;
      const Status done = part == 1 ? store_->Compact() : store_->Flush();
      EXPECT_TRUE(done.ok() || env_.failures() > 0 || and_then_ == 0)
          << done.ToString();
    }
  }
  // And whatever the machine had written before one that is synced.
  void ExpectSyncedOnesIn(const std::vector<bool>& present) const {
    int safe_life = 0;  // of the last that is synced
    for (std::size_t i = present.size(); i-- > 0;) {
      const auto& attempt = history_.attempts()[i];
      if (!attempt.acknowledged) continue;
      if (attempt.sync) safe_life = attempt.life;
      EXPECT_TRUE(present[i] || !(attempt.sync || safe_life == attempt.life))
          << "batch " << i << " was safe and is lost";
    }
  }
  // What is lost is lost with all that came after it, whichever logs they were
  // in.
  void ExpectPrefix(const std::vector<bool>& present) const {
    const BatchHistory::Attempt* lost = nullptr;
    for (std::size_t i = 0; i < present.size(); ++i) {
      const auto& attempt = history_.attempts()[i];
      if (!attempt.acknowledged) continue;
      if (!present[i]) lost = &attempt;
      const bool is_after = lost != nullptr && lost->life == attempt.life;
      EXPECT_FALSE(present[i] && is_after)
          << "batch " << i << " is there, one before it is not";
    }
  }

  MemoryEnv env_;
  StoreOptions options_;
  BatchHistory history_;
  std::unique_ptr<Store> store_;
  int life_ = 0;
  std::uint64_t and_then_ = 0;
};

void SweepCrashes(CrashMode mode) {
  const std::uint64_t step = NumberFrom("TAMIS_SOAK_SECONDS", 0) > 0 ? 1 : 5;
  std::uint64_t n = 1;
  // How many calls there are depends on the filters.
  for (int survived = 0; survived < 5; n += step) {
    SCOPED_TRACE("power fails at call " + std::to_string(n));
    Machine machine(n);
    survived = machine.LiveUntil(n, mode, n) ? 0 : survived + 1;
    machine.ExpectAllIsWell();
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(n, 100u);
}

TEST(StorePowerLoss, KeepsWhatIsSyncedWhereUnsyncedBytesAreGone) {
  SweepCrashes(CrashMode::kDropUnsynced);
}

TEST(StorePowerLoss, KeepsWhatIsSyncedWhereUnsyncedBytesAreTorn) {
  SweepCrashes(CrashMode::kKeepRandomPrefix);
}

TEST(StorePowerLoss, KeepsWhatIsSyncedWhereSectorsWereNeverWritten) {
  SweepCrashes(CrashMode::kKeepRandomSectors);
}

TEST(StorePowerLoss, KeepsAllWhereOnlyTheProcessDies) {
  SweepCrashes(CrashMode::kKillProcess);
}

TEST(StorePowerLoss, KeepsWhatIsSyncedAlsoSoonAfterAFault) {
  for (std::uint64_t n = 1; n < 250; n += 3) {
    for (const std::uint64_t later : {1u, 3u, 9u, 30u}) {
      SCOPED_TRACE("call " + std::to_string(n) + " fails, and the power " +
                   std::to_string(later) + " calls later");
      Machine machine(n + later);
      machine.LiveUntil(n, CrashMode::kKillProcess, n, later);
      machine.ExpectAllIsWell();
      if (HasFailure()) return;
    }
  }
}

// A sync that failed has lost what it was to write, though the next one says
// ok.
TEST(StorePowerLoss, KeepsWhatIsSyncedAlsoAfterASyncThatFailed) {
  MemoryEnv::Options lossy;
  lossy.failed_syncs_lose = true;
  for (std::uint64_t n = 1; n < 250; n += 3) {
    for (const std::uint64_t later : {1u, 4u, 15u, 60u}) {
      SCOPED_TRACE("call " + std::to_string(n) + " fails, and the power " +
                   std::to_string(later) + " calls later");
      Machine machine(n + later, lossy);
      machine.LiveUntil(n, CrashMode::kDropUnsynced, n, later);
      machine.ExpectAllIsWell();
      if (HasFailure()) return;
    }
  }
}

// What the first process had not synced, the second must not go by when it
// removes files.
TEST(StorePowerLoss, KeepsWhatIsSyncedBeforeAProcessWasKilledAndAnotherCame) {
  for (std::uint64_t n = 1; n < 250; ++n) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE("killed at call " + std::to_string(n) + ", seed " +
                   std::to_string(seed));
      Machine machine(n + seed);
      machine.LiveUntil(n, CrashMode::kKillProcess, n);
      machine.OpenAndLosePower(seed);
      machine.ExpectAllIsWell();
      if (HasFailure()) return;
    }
  }
}

// Crashes while it recovers from crashes.
// TAMIS_SOAK_SECONDS=600 tries fresh seeds for so long.
TEST(StorePowerLoss, KeepsWhatIsSyncedThroughManyCrashes) {
  const std::uint64_t seconds = NumberFrom("TAMIS_SOAK_SECONDS", 0);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  const std::uint64_t first =
      seconds == 0 ? 1 : NumberFrom("TAMIS_SOAK_SEED", std::random_device()());
  for (std::uint64_t seed = first;
       seed < first + 6 || std::chrono::steady_clock::now() < end; ++seed) {
    Machine machine(seed);
    std::mt19937_64 random(seed);
    for (int crash = 0; crash < 25; ++crash) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", crash " +
                   std::to_string(crash));
      constexpr CrashMode kModes[] = {CrashMode::kDropUnsynced,
                                      CrashMode::kKeepRandomPrefix,
                                      CrashMode::kKeepRandomSectors};
      const CrashMode mode = kModes[random() % 3];
      machine.LiveUntil(1 + random() % 120, mode, random());
      if (crash % 3 == 2) machine.ExpectAllIsWell();
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tamis::testing
