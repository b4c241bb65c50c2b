// SPDX-License-Identifier: Apache-2.0
#include "sort/hash_set.h"

#include <signal.h>
#include <sys/resource.h>
#include <algorithm>
#include <atomic>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/temp_dir.h"
#include "tests/support/failing_new.h"
#include "tests/support/random.h"

namespace tamis {
namespace {

using testing::Hashes;
using testing::RandomHashes;
using testing::Sorted;
using Span = std::span<const std::uint64_t>;

constexpr std::uint64_t kMax = ~std::uint64_t{0};
constexpr std::size_t kSpreadsAt = std::size_t{1} << 17;
// In every eighth part, more than the least limit of memory leaves for those.
constexpr std::size_t kSpills = 1'200'000;

KeyHashSetOptions Options(std::uint64_t memory_bytes, unsigned threads) {
  KeyHashSetOptions options;
  options.memory_bytes = memory_bytes;
  options.threads = threads;
  options.temporary_folder = ::testing::TempDir();
  return options;
}

// In spans of odd sizes.
void PushAll(const Hashes& hashes, KeyHashSet* set) {
  std::size_t size = 1;
  for (std::size_t i = 0; i < hashes.size(); size = size % 97 + 1) {
    const std::size_t some = std::min(size, hashes.size() - i);
    set->Push(Span(hashes).subspan(i, some));
    i += some;
  }
}

// As ForEachRange() gives them for these cuts (the first one counts as 0).
std::vector<Hashes> Ranges(KeyHashSet* set, const Hashes& cuts) {
  std::vector<Hashes> ranges(cuts.size());
  std::vector<std::atomic<int>> visits(cuts.size());
  const Status status = set->ForEachRange(
      cuts.size(),
      [&](std::size_t i) {
        EXPECT_TRUE(i > 0 && i < cuts.size());
        return cuts.at(i);
      },
      [&](std::size_t i, Span hashes) {
        ranges[i].assign(hashes.begin(), hashes.end());
        ++visits[i];
      });
  EXPECT_TRUE(status.ok()) << status.message();
  for (const std::atomic<int>& visit : visits) EXPECT_EQ(visit, 1);
  return ranges;
}

// Of sorted hashes, what Ranges() should give.
std::vector<Hashes> ExpectedRanges(const Hashes& sorted, const Hashes& cuts) {
  std::vector<Hashes> ranges(cuts.size());
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const auto from =
        i == 0 ? sorted.begin()
               : std::lower_bound(sorted.begin(), sorted.end(), cuts[i]);
    const auto to =
        i + 1 == cuts.size()
            ? sorted.end()
            : std::lower_bound(sorted.begin(), sorted.end(), cuts[i + 1]);
    ranges[i].assign(from, to);
  }
  return ranges;
}

Hashes EvenCuts(std::size_t count) {
  Hashes cuts(count);
  for (std::size_t i = 0; i < count; ++i) cuts[i] = kMax / count * i;
  return cuts;
}

// Borders of parts, beside them, the ends, and many that are equal.
Hashes OddCuts() {
  Hashes cuts = {123, 0, 0, 1, kMax, kMax};
  for (unsigned part : {1u, 2u, 3u, 100u, 101u, 255u}) {
    const std::uint64_t border = std::uint64_t{part} << 56;
    for (std::uint64_t cut : {border - 1, border, border, border + 1}) {
      cuts.push_back(cut);
    }
    cuts.push_back(border + (std::uint64_t{1} << 55));
  }
  std::sort(cuts.begin() + 1, cuts.end());
  return cuts;  // the first one must not matter
}

// Whether the set gives exactly these hashes, however it is cut.
void ExpectHolds(const Hashes& hashes, const KeyHashSetOptions& options) {
  const Hashes sorted = Sorted(hashes);
  KeyHashSet set(options);
  PushAll(hashes, &set);
  const Status status = set.Seal();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(set.size(), sorted.size());
  for (const Hashes& cuts :
       {Hashes{0}, Hashes{0, kMax}, EvenCuts(7), EvenCuts(1000), OddCuts()}) {
    ASSERT_TRUE(Ranges(&set, cuts) == ExpectedRanges(sorted, cuts))
        << hashes.size() << " hashes, " << cuts.size() << " ranges";
  }
}

TEST(KeyHashSet, HoldsEveryNumberOfHashes) {
  for (std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{127},
        std::size_t{128}, std::size_t{129}, std::size_t{4096},
        std::size_t{4097}, kSpreadsAt - 1, kSpreadsAt, kSpreadsAt + 1,
        std::size_t{700'000}}) {
    ExpectHolds(RandomHashes(count, count), Options(0, 1));
  }
}

TEST(KeyHashSet, HoldsTheFirstAndTheLastOfAllHashes) {
  ExpectHolds({kMax, 0}, Options(0, 1));
  Hashes many = RandomHashes(kSpreadsAt, 1);
  many.insert(many.end(), {0, kMax, 1, kMax - 1, 0, kMax});
  ExpectHolds(many, Options(0, 1));
}

TEST(KeyHashSet, DropsDuplicates) {
  ExpectHolds({7, 7}, Options(0, 1));
  Hashes twice = RandomHashes(kSpreadsAt, 1);
  twice.insert(twice.end(), twice.begin(), twice.end());
  ExpectHolds(twice, Options(0, 1));
  ExpectHolds(Hashes(3 * kSpreadsAt, 5), Options(0, 1));
}

TEST(KeyHashSet, HoldsWhatNoHashWouldGive) {
  Hashes one_part = RandomHashes(300'000, 1);
  for (std::uint64_t& hash : one_part) hash |= std::uint64_t{255} << 56;
  ExpectHolds(one_part, Options(0, 1));
  Hashes ascending(300'000);
  for (std::size_t i = 0; i < ascending.size(); ++i) ascending[i] = i;
  ExpectHolds(ascending, Options(0, 1));
}

TEST(KeyHashSet, NoRangesAreNoVisits) {
  KeyHashSet set(Options(0, 1));
  set.Push(1);
  ASSERT_TRUE(set.Seal().ok());
  EXPECT_TRUE(Ranges(&set, {}).empty());
}

TEST(KeyHashSet, TellsHowFarItIs) {
  for (std::size_t count : {std::size_t{10}, 2 * kSpreadsAt}) {
    KeyHashSet set(Options(0, 1));
    PushAll(RandomHashes(count, 1), &set);
    std::vector<double> parts = {0.0};
    ASSERT_TRUE(set.Seal([&](double part) { parts.push_back(part); }).ok());
    EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
    EXPECT_EQ(parts.back(), 1.0);
  }
}

TEST(KeyHashSet, HandsOutARangeWithinAPartWithoutCopying) {
  KeyHashSet set(Options(0, 1));
  PushAll(RandomHashes(2 * kSpreadsAt, 1), &set);
  ASSERT_TRUE(set.Seal().ok());
  Hashes cuts = EvenCuts(1024);
  std::vector<const std::uint64_t*> first;
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(set.ForEachRange(
                       cuts.size(),
                       [&](std::size_t i) { return std::uint64_t{i} << 54; },
                       [&](std::size_t, Span hashes) {
                         first.push_back(hashes.data());
                       })
                    .ok());
  }
  const auto half = first.begin() + 1024;
  EXPECT_TRUE(std::equal(first.begin(), half, half));
}

class SpilledKeyHashSet : public ::testing::Test {
 protected:
  static const Hashes& Pushed() {
    static const Hashes hashes = [] {
      Hashes some = RandomHashes(kSpills, 1);
      for (std::uint64_t& hash : some) hash &= ~(std::uint64_t{7} << 56);
      return some;
    }();
    return hashes;
  }
  static const Hashes& Expected() {
    static const Hashes sorted = Sorted(Pushed());
    return sorted;
  }
};

TEST_F(SpilledKeyHashSet, HoldsTheSameAsOneInMemory) {
  TempDir dir;
  for (unsigned threads : {1u, 3u}) {
    KeyHashSetOptions options = Options(1, threads);
    options.temporary_folder = dir.path();
    KeyHashSet set(options);
    set.Push(Pushed());
    set.Push(Span(Pushed()).first(1000));
    EXPECT_GT(set.spilled_bytes(), 0u);
    const Status status = set.Seal();
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(set.spilled_bytes(), (kSpills + 1000) * sizeof(std::uint64_t));
    EXPECT_EQ(dir.Count(), 0u);
    EXPECT_EQ(set.size(), Expected().size());
    for (const Hashes& cuts : {EvenCuts(3000), OddCuts(), EvenCuts(100)}) {
      ASSERT_TRUE(Ranges(&set, cuts) == ExpectedRanges(Expected(), cuts));
    }
  }
}

TEST_F(SpilledKeyHashSet, StaysInMemoryIfThatIsEnough) {
  KeyHashSet set(Options(std::uint64_t{160} << 20, 1));
  set.Push(Pushed());
  ASSERT_TRUE(set.Seal().ok());
  EXPECT_EQ(set.spilled_bytes(), 0u);
  EXPECT_EQ(set.size(), Expected().size());
}

TEST_F(SpilledKeyHashSet, HoldsHashesOfOnePartThatAreTooMany) {
  Hashes hashes = RandomHashes(100'000, 2);
  KeyHashSet set(Options(1, 2));
  for (std::uint64_t& hash : hashes) hash >>= 8;
  for (int i = 0; i < 5; ++i) set.Push(hashes);
  set.Push({&Pushed()[0], 1000});
  ASSERT_TRUE(set.Seal().ok());
  EXPECT_GT(set.spilled_bytes(), 0u);
  hashes.insert(hashes.end(), Pushed().begin(), Pushed().begin() + 1000);
  const Hashes sorted = Sorted(hashes);
  EXPECT_EQ(set.size(), sorted.size());
  EXPECT_TRUE(Ranges(&set, OddCuts()) == ExpectedRanges(sorted, OddCuts()));
}

TEST_F(SpilledKeyHashSet, DropsTheSameOverAndOverBeforeTheyFillTheFile) {
  KeyHashSet set(Options(1, 1));
  Hashes few = RandomHashes(10, 3);
  for (int i = 0; i < 100'000; ++i) set.Push(few);
  ASSERT_TRUE(set.Seal().ok());
  EXPECT_LT(set.spilled_bytes(), std::uint64_t{4} << 20);
  EXPECT_TRUE(Ranges(&set, {0, kMax}) ==
              ExpectedRanges(Sorted(few), {0, kMax}));
}

TEST_F(SpilledKeyHashSet, AMissingFolderIsAnErrorThatNamesIt) {
  KeyHashSetOptions options = Options(1, 1);
  options.temporary_folder = ::testing::TempDir() + "/tamis-missing";
  KeyHashSet set(options);
  set.Push(Pushed());
  const Status status = set.Seal();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("tamis-missing"), std::string::npos);
}

// With so many bytes as the most that a file may have.
Status SealWithSmallFiles(rlim_t most_bytes, const Hashes& hashes,
                          unsigned threads) {
  KeyHashSet set(Options(1, threads));
  rlimit old;
  EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small = old;
  small.rlim_cur = most_bytes;
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  set.Push(hashes);
  set.Push(1);
  Status status = set.Seal();
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, old_handler);
  return status;
}

TEST_F(SpilledKeyHashSet, NoRoomForTheFileIsAnErrorAtWhateverMoment) {
  constexpr rlim_t kBytes = kSpills * sizeof(std::uint64_t);
  for (rlim_t most : {rlim_t{1} << 20, kBytes - 1000, kBytes + kBytes / 2}) {
    for (unsigned threads : {1u, 2u}) {
      const Status status = SealWithSmallFiles(most, Pushed(), threads);
      EXPECT_EQ(status.code(), StatusCode::kIoError) << most;
      EXPECT_NE(status.message().find(::testing::TempDir()), std::string::npos);
    }
  }
}

TEST(KeyHashSet, NoMemoryIsAnErrorAndNotAnException) {
  const Hashes hashes = RandomHashes(kSpreadsAt + 1000, 1);
  int failures = 0;
  for (int allowed = 0; allowed < 60; ++allowed) {
    testing::AllowAllocations(allowed);
    KeyHashSetOptions options;
    options.threads = 1 + static_cast<unsigned>(allowed) % 2;
    KeyHashSet set(options);
    set.Push(hashes);
    Status status = set.Seal();
    std::uint64_t seen = 0;
    if (status.ok()) {
      status = set.ForEachRange(
          2, [](std::size_t) { return kMax / 2; },
          [&](std::size_t, Span some) { seen += some.size(); });
    }
    testing::AllowAllocations(-1);
    if (status.ok()) {
      EXPECT_EQ(seen, hashes.size());
    } else {
      EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
      ++failures;
    }
  }
  EXPECT_GT(failures, 3);
  EXPECT_LT(failures, 60);
}

// In bytes.
std::uint64_t MemoryOfProcess(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) {
      return std::stoull(line.substr(field.size())) * 1024;
    }
  }
  return 0;
}

TEST(KeyHashSetLarge, KeepsToTheLimitOfMemory) {
  constexpr std::uint64_t kCount = 50'000'000;
  constexpr std::uint64_t kLimit = std::uint64_t{64} << 20;
  for (unsigned threads : {1u, 2u}) {
    // From here on the high-water mark is that of this test.
    std::ofstream("/proc/self/clear_refs") << 5;
    const std::uint64_t before = MemoryOfProcess("VmRSS:");
    KeyHashSet set(Options(kLimit, threads));
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      std::uint64_t hash = i * 0x9E3779B97F4A7C15u;  // all different
      hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
      sum += hash;
      set.Push(hash);
    }
    ASSERT_TRUE(set.Seal().ok());
    EXPECT_EQ(set.size(), kCount);
    std::atomic<std::uint64_t> seen = 0;
    ASSERT_TRUE(set.ForEachRange(
                       3000, [](std::size_t i) { return kMax / 3000 * i; },
                       [&](std::size_t, Span some) {
                         EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
                         seen += std::accumulate(some.begin(), some.end(),
                                                 std::uint64_t{0});
                       })
                    .ok());
    EXPECT_EQ(seen, sum);
    EXPECT_EQ(set.spilled_bytes(), kCount * sizeof(std::uint64_t));
    const std::uint64_t most = MemoryOfProcess("VmHWM:");
    ASSERT_GT(most, before);
    EXPECT_LT(most - before, kLimit);
  }
}

TEST(KeyHashSetThreads, HoldsTheSameForEveryNumberOfThreads) {
  const Hashes hashes = RandomHashes(400'000, 1);
  for (unsigned threads : {0u, 2u, 5u}) {
    ExpectHolds(hashes, Options(0, threads));
    ExpectHolds(Hashes(hashes.begin(), hashes.begin() + 1000),
                Options(0, threads));
  }
}

TEST(KeyHashSetThreads, SpilledPartsAreSortedAndReadByAll) {
  // Skewed, so that few are enough to spill; with many duplicates.
  Hashes hashes = RandomHashes(120'000, 1);
  for (std::uint64_t& hash : hashes) hash = (hash >> 3) % (7ull << 53);
  KeyHashSet set(Options(1, 4));
  for (int i = 0; i < 3; ++i) set.Push(hashes);
  std::atomic<int> calls = 0;
  ASSERT_TRUE(set.Seal([&](double) { ++calls; }).ok());
  EXPECT_EQ(calls, 256);
  EXPECT_GT(set.spilled_bytes(), 0u);
  const Hashes sorted = Sorted(hashes);
  Hashes cuts(5000);
  for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i] = i << 44;
  EXPECT_TRUE(Ranges(&set, cuts) == ExpectedRanges(sorted, cuts));
}

// More than can be on their way to the other thread at once.
constexpr std::size_t kManyAtOnce = 1'000'000;

TEST(KeyHashSetThreads, HoldsWhatComesFasterThanItIsSpread) {
  const Hashes hashes = RandomHashes(kManyAtOnce, 2);
  KeyHashSet set(Options(0, 2));
  set.Push(Span(hashes).first(kSpreadsAt));
  set.Push(Span(hashes).subspan(kSpreadsAt));
  ASSERT_TRUE(set.Seal().ok());
  EXPECT_TRUE(Ranges(&set, {0}) == ExpectedRanges(Sorted(hashes), {0}));
}

TEST(KeyHashSetThreads, AnErrorOfTheOtherThreadComesBackFromSeal) {
  KeyHashSetOptions options = Options(1, 2);
  options.temporary_folder = ::testing::TempDir() + "/tamis-missing";
  Hashes hashes = RandomHashes(kManyAtOnce, 3);
  // All in one part, which so spills, and not before the other thread is there.
  for (std::uint64_t& hash : hashes) hash >>= 8;
  KeyHashSet set(options);
  set.Push(RandomHashes(kSpreadsAt, 4));
  set.Push(hashes);
  const Status status = set.Seal();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("tamis-missing"), std::string::npos);
}

TEST(KeyHashSetThreads, CanBeGivenUpAtAnyMoment) {
  const Hashes hashes = RandomHashes(kManyAtOnce, 5);
  for (const std::size_t count :
       {kSpreadsAt - 1, kSpreadsAt, kSpreadsAt + 100'000, kManyAtOnce}) {
    KeyHashSet set(Options(0, 2));
    set.Push(Span(hashes).first(kSpreadsAt / 2));
    set.Push(Span(hashes).first(count).subspan(kSpreadsAt / 2));
    set.Push(7);
  }
}

TEST(KeyHashSetThreads, NoMemoryInAVisitIsAnErrorAndNotAnException) {
  KeyHashSet set(Options(0, 3));
  PushAll(RandomHashes(1000, 1), &set);
  ASSERT_TRUE(set.Seal().ok());
  const Status status = set.ForEachRange(
      100, [](std::size_t i) { return kMax / 100 * i; },
      [](std::size_t i, Span) {
        if (i == 50) throw std::bad_alloc();
      });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace tamis
