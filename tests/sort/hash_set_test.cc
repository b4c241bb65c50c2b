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

namespace tamis {
namespace {

using Digests = std::vector<std::uint64_t>;
using Span = std::span<const std::uint64_t>;

constexpr std::uint64_t kMax = ~std::uint64_t{0};
constexpr std::size_t kSpreadsAt = std::size_t{1} << 17;
// In every eighth part, more than the least limit of memory leaves for those.
constexpr std::size_t kSpills = 1'200'000;

DigestSetOptions Options(std::uint64_t memory_bytes, unsigned threads) {
  DigestSetOptions options;
  options.memory_bytes = memory_bytes;
  options.threads = threads;
  options.temporary_folder = ::testing::TempDir();
  return options;
}

Digests Random(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Digests digests(count);
  for (std::uint64_t& digest : digests) digest = random();
  return digests;
}

Digests Sorted(Digests digests) {
  std::sort(digests.begin(), digests.end());
  digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
  return digests;
}

// In spans of odd sizes.
void PushAll(const Digests& digests, DigestSet* set) {
  std::size_t size = 1;
  for (std::size_t i = 0; i < digests.size(); size = size % 97 + 1) {
    const std::size_t some = std::min(size, digests.size() - i);
    set->Push(Span(digests).subspan(i, some));
    i += some;
  }
}

// As ForEachRange() gives them for these cuts (the first one counts as 0).
std::vector<Digests> Ranges(DigestSet* set, const Digests& cuts) {
  std::vector<Digests> ranges(cuts.size());
  std::vector<std::atomic<int>> visits(cuts.size());
  const Status status = set->ForEachRange(
      cuts.size(),
      [&](std::size_t i) {
        EXPECT_TRUE(i > 0 && i < cuts.size());
        return cuts.at(i);
      },
      [&](std::size_t i, Span digests) {
        ranges[i].assign(digests.begin(), digests.end());
        ++visits[i];
      });
  EXPECT_TRUE(status.ok()) << status.message();
  for (const std::atomic<int>& visit : visits) EXPECT_EQ(visit, 1);
  return ranges;
}

// Of sorted digests, what Ranges() should give.
std::vector<Digests> ExpectedRanges(const Digests& sorted,
                                    const Digests& cuts) {
  std::vector<Digests> ranges(cuts.size());
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

Digests EvenCuts(std::size_t count) {
  Digests cuts(count);
  for (std::size_t i = 0; i < count; ++i) cuts[i] = kMax / count * i;
  return cuts;
}

// Borders of parts, beside them, the ends, and many that are equal.
Digests OddCuts() {
  Digests cuts = {123, 0, 0, 1, kMax, kMax};
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

// Whether the set gives exactly these digests, however it is cut.
void ExpectHolds(const Digests& digests, const DigestSetOptions& options) {
  const Digests sorted = Sorted(digests);
  DigestSet set(options);
  PushAll(digests, &set);
  const Status status = set.Seal();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(set.size(), sorted.size());
  for (const Digests& cuts :
       {Digests{0}, Digests{0, kMax}, EvenCuts(7), EvenCuts(1000), OddCuts()}) {
    ASSERT_TRUE(Ranges(&set, cuts) == ExpectedRanges(sorted, cuts))
        << digests.size() << " digests, " << cuts.size() << " ranges";
  }
}

TEST(DigestSet, HoldsEveryNumberOfDigests) {
  for (std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{127},
        std::size_t{128}, std::size_t{129}, std::size_t{4096},
        std::size_t{4097}, kSpreadsAt - 1, kSpreadsAt, kSpreadsAt + 1,
        std::size_t{700'000}}) {
    ExpectHolds(Random(count, count), Options(0, 1));
  }
}

TEST(DigestSet, HoldsTheFirstAndTheLastOfAllDigests) {
  ExpectHolds({kMax, 0}, Options(0, 1));
  Digests many = Random(kSpreadsAt, 1);
  many.insert(many.end(), {0, kMax, 1, kMax - 1, 0, kMax});
  ExpectHolds(many, Options(0, 1));
}

TEST(DigestSet, DropsDuplicates) {
  ExpectHolds({7, 7}, Options(0, 1));
  Digests twice = Random(kSpreadsAt, 1);
  twice.insert(twice.end(), twice.begin(), twice.end());
  ExpectHolds(twice, Options(0, 1));
  ExpectHolds(Digests(3 * kSpreadsAt, 5), Options(0, 1));
}

TEST(DigestSet, HoldsWhatNoHashWouldGive) {
  Digests one_part = Random(300'000, 1);
  for (std::uint64_t& digest : one_part) digest |= std::uint64_t{255} << 56;
  ExpectHolds(one_part, Options(0, 1));
  Digests ascending(300'000);
  for (std::size_t i = 0; i < ascending.size(); ++i) ascending[i] = i;
  ExpectHolds(ascending, Options(0, 1));
}

TEST(DigestSet, NoRangesAreNoVisits) {
  DigestSet set(Options(0, 1));
  set.Push(1);
  ASSERT_TRUE(set.Seal().ok());
  EXPECT_TRUE(Ranges(&set, {}).empty());
}

TEST(DigestSet, TellsHowFarItIs) {
  for (std::size_t count : {std::size_t{10}, 2 * kSpreadsAt}) {
    DigestSet set(Options(0, 1));
    PushAll(Random(count, 1), &set);
    std::vector<double> parts = {0.0};
    ASSERT_TRUE(set.Seal([&](double part) { parts.push_back(part); }).ok());
    EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
    EXPECT_EQ(parts.back(), 1.0);
  }
}

TEST(DigestSet, HandsOutARangeWithinAPartWithoutCopying) {
  DigestSet set(Options(0, 1));
  PushAll(Random(2 * kSpreadsAt, 1), &set);
  ASSERT_TRUE(set.Seal().ok());
  Digests cuts = EvenCuts(1024);
  std::vector<const std::uint64_t*> first;
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(set.ForEachRange(
                       cuts.size(),
                       [&](std::size_t i) { return std::uint64_t{i} << 54; },
                       [&](std::size_t, Span digests) {
                         first.push_back(digests.data());
                       })
                    .ok());
  }
  const auto half = first.begin() + 1024;
  EXPECT_TRUE(std::equal(first.begin(), half, half));
}

class SpilledDigestSet : public ::testing::Test {
 protected:
  static const Digests& Pushed() {
    static const Digests digests = [] {
      Digests some = Random(kSpills, 1);
      for (std::uint64_t& digest : some) digest &= ~(std::uint64_t{7} << 56);
      return some;
    }();
    return digests;
  }
  static const Digests& Expected() {
    static const Digests sorted = Sorted(Pushed());
    return sorted;
  }
};

TEST_F(SpilledDigestSet, HoldsTheSameAsOneInMemory) {
  TempDir dir;
  for (unsigned threads : {1u, 3u}) {
    DigestSetOptions options = Options(1, threads);
    options.temporary_folder = dir.path();
    DigestSet set(options);
    set.Push(Pushed());
    set.Push(Span(Pushed()).first(1000));
    EXPECT_GT(set.spilled_bytes(), 0u);
    const Status status = set.Seal();
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(set.spilled_bytes(), (kSpills + 1000) * sizeof(std::uint64_t));
    EXPECT_EQ(dir.Count(), 0u);
    EXPECT_EQ(set.size(), Expected().size());
    for (const Digests& cuts : {EvenCuts(3000), OddCuts(), EvenCuts(100)}) {
      ASSERT_TRUE(Ranges(&set, cuts) == ExpectedRanges(Expected(), cuts));
    }
  }
}

TEST_F(SpilledDigestSet, StaysInMemoryIfThatIsEnough) {
  DigestSet set(Options(std::uint64_t{160} << 20, 1));
  set.Push(Pushed());
  ASSERT_TRUE(set.Seal().ok());
  EXPECT_EQ(set.spilled_bytes(), 0u);
  EXPECT_EQ(set.size(), Expected().size());
}

TEST_F(SpilledDigestSet, HoldsDigestsOfOnePartThatAreTooMany) {
  Digests digests = Random(100'000, 2);
  DigestSet set(Options(1, 2));
  for (std::uint64_t& digest : digests) digest >>= 8;
  for (int i = 0; i < 5; ++i) set.Push(digests);
  set.Push({&Pushed()[0], 1000});
  ASSERT_TRUE(set.Seal().ok());
  EXPECT_GT(set.spilled_bytes(), 0u);
  digests.insert(digests.end(), Pushed().begin(), Pushed().begin() + 1000);
  const Digests sorted = Sorted(digests);
  EXPECT_EQ(set.size(), sorted.size());
  EXPECT_TRUE(Ranges(&set, OddCuts()) == ExpectedRanges(sorted, OddCuts()));
}

TEST_F(SpilledDigestSet, DropsTheSameOverAndOverBeforeTheyFillTheFile) {
  DigestSet set(Options(1, 1));
  Digests few = Random(10, 3);
  for (int i = 0; i < 100'000; ++i) set.Push(few);
  ASSERT_TRUE(set.Seal().ok());
  EXPECT_LT(set.spilled_bytes(), std::uint64_t{4} << 20);
  EXPECT_TRUE(Ranges(&set, {0, kMax}) ==
              ExpectedRanges(Sorted(few), {0, kMax}));
}

TEST_F(SpilledDigestSet, AMissingFolderIsAnErrorThatNamesIt) {
  DigestSetOptions options = Options(1, 1);
  options.temporary_folder = ::testing::TempDir() + "/tamis-missing";
  DigestSet set(options);
  set.Push(Pushed());
  const Status status = set.Seal();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("tamis-missing"), std::string::npos);
}

// With so many bytes as the most that a file may have.
Status SealWithSmallFiles(rlim_t most_bytes, const Digests& digests,
                          unsigned threads) {
  DigestSet set(Options(1, threads));
  rlimit old;
  EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small = old;
  small.rlim_cur = most_bytes;
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  set.Push(digests);
  set.Push(1);
  Status status = set.Seal();
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, old_handler);
  return status;
}

TEST_F(SpilledDigestSet, NoRoomForTheFileIsAnErrorAtWhateverMoment) {
  constexpr rlim_t kBytes = kSpills * sizeof(std::uint64_t);
  for (rlim_t most : {rlim_t{1} << 20, kBytes - 1000, kBytes + kBytes / 2}) {
    for (unsigned threads : {1u, 2u}) {
      const Status status = SealWithSmallFiles(most, Pushed(), threads);
      EXPECT_EQ(status.code(), StatusCode::kIoError) << most;
      EXPECT_NE(status.message().find(::testing::TempDir()), std::string::npos);
    }
  }
}

TEST(DigestSet, NoMemoryIsAnErrorAndNotAnException) {
  const Digests digests = Random(kSpreadsAt + 1000, 1);
  int failures = 0;
  for (int allowed = 0; allowed < 60; ++allowed) {
    testing::AllowAllocations(allowed);
    DigestSetOptions options;
    options.threads = 1 + static_cast<unsigned>(allowed) % 2;
    DigestSet set(options);
    set.Push(digests);
    Status status = set.Seal();
    std::uint64_t seen = 0;
    if (status.ok()) {
      status = set.ForEachRange(
          2, [](std::size_t) { return kMax / 2; },
          [&](std::size_t, Span some) { seen += some.size(); });
    }
    testing::AllowAllocations(-1);
    if (status.ok()) {
      EXPECT_EQ(seen, digests.size());
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

TEST(DigestSetLarge, KeepsToTheLimitOfMemory) {
  constexpr std::uint64_t kCount = 50'000'000;
  constexpr std::uint64_t kLimit = std::uint64_t{64} << 20;
  for (unsigned threads : {1u, 2u}) {
    // From here on the high-water mark is that of this test.
    std::ofstream("/proc/self/clear_refs") << 5;
    const std::uint64_t before = MemoryOfProcess("VmRSS:");
    DigestSet set(Options(kLimit, threads));
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      std::uint64_t digest = i * 0x9E3779B97F4A7C15u;  // all different
      digest = (digest ^ digest >> 32) * 0xD6E8FEB86659FD93u;
      sum += digest;
      set.Push(digest);
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

TEST(DigestSetThreads, HoldsTheSameForEveryNumberOfThreads) {
  const Digests digests = Random(400'000, 1);
  for (unsigned threads : {0u, 2u, 5u}) {
    ExpectHolds(digests, Options(0, threads));
    ExpectHolds(Digests(digests.begin(), digests.begin() + 1000),
                Options(0, threads));
  }
}

TEST(DigestSetThreads, SpilledPartsAreSortedAndReadByAll) {
  // Skewed, so that few are enough to spill; with many duplicates.
  Digests digests = Random(120'000, 1);
  for (std::uint64_t& digest : digests) digest = (digest >> 3) % (7ull << 53);
  DigestSet set(Options(1, 4));
  for (int i = 0; i < 3; ++i) set.Push(digests);
  std::atomic<int> calls = 0;
  ASSERT_TRUE(set.Seal([&](double) { ++calls; }).ok());
  EXPECT_EQ(calls, 256);
  EXPECT_GT(set.spilled_bytes(), 0u);
  const Digests sorted = Sorted(digests);
  Digests cuts(5000);
  for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i] = i << 44;
  EXPECT_TRUE(Ranges(&set, cuts) == ExpectedRanges(sorted, cuts));
}

// More than can be on their way to the other thread at once.
constexpr std::size_t kManyAtOnce = 1'000'000;

TEST(DigestSetThreads, HoldsWhatComesFasterThanItIsSpread) {
  const Digests digests = Random(kManyAtOnce, 2);
  DigestSet set(Options(0, 2));
  set.Push(Span(digests).first(kSpreadsAt));
  set.Push(Span(digests).subspan(kSpreadsAt));
  ASSERT_TRUE(set.Seal().ok());
  EXPECT_TRUE(Ranges(&set, {0}) == ExpectedRanges(Sorted(digests), {0}));
}

TEST(DigestSetThreads, AnErrorOfTheOtherThreadComesBackFromSeal) {
  DigestSetOptions options = Options(1, 2);
  options.temporary_folder = ::testing::TempDir() + "/tamis-missing";
  Digests digests = Random(kManyAtOnce, 3);
  // All in one part, which so spills, and not before the other thread is there.
  for (std::uint64_t& digest : digests) digest >>= 8;
  DigestSet set(options);
  set.Push(Random(kSpreadsAt, 4));
  set.Push(digests);
  const Status status = set.Seal();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("tamis-missing"), std::string::npos);
}

TEST(DigestSetThreads, CanBeGivenUpAtAnyMoment) {
  const Digests digests = Random(kManyAtOnce, 5);
  for (const std::size_t count :
       {kSpreadsAt - 1, kSpreadsAt, kSpreadsAt + 100'000, kManyAtOnce}) {
    DigestSet set(Options(0, 2));
    set.Push(Span(digests).first(kSpreadsAt / 2));
    set.Push(Span(digests).first(count).subspan(kSpreadsAt / 2));
    set.Push(7);
  }
}

TEST(DigestSetThreads, NoMemoryInAVisitIsAnErrorAndNotAnException) {
  DigestSet set(Options(0, 3));
  PushAll(Random(1000, 1), &set);
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
