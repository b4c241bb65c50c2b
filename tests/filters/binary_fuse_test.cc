// SPDX-License-Identifier: Apache-2.0
#include "filters/fuse/binary_fuse.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "filters/fuse/binary_fuse_build.h"

namespace tamis {
namespace {

std::vector<std::uint64_t> HonestHashes(std::uint64_t count,
                                        std::uint64_t salt = 0) {
  std::vector<std::uint64_t> hashes(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    hashes[i] = SplitMix64((salt << 32) + i);
  }
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

struct Settings {
  unsigned cell_bits;
  unsigned arity;
};
constexpr Settings kAllSettings[] = {{8, 3}, {16, 3}, {32, 3},
                                     {8, 4}, {16, 4}, {32, 4}};

template <unsigned kArity>
bool CheckAs(unsigned cell_bits, const unsigned char* cells,
             const FuseProbe<kArity>& probe) {
  if (cell_bits == 8) return FuseDifference<std::uint8_t>(cells, probe) == 0;
  if (cell_bits == 16) return FuseDifference<std::uint16_t>(cells, probe) == 0;
  return FuseDifference<std::uint32_t>(cells, probe) == 0;
}

// An array on its own, at an odd address.
class Array {
 public:
  Array(const FuseKeys& keys, const Settings& settings)
      : scale_(keys.scale), settings_(settings) {
    FusePeeler peeler;
    solution_ =
        SolveFuse(keys, FuseShapeFor(keys.hashes.size(), settings.arity),
                  settings.arity, kMaxFuseAttempts, &peeler);
    if (solution_.outcome != FuseOutcome::kSolved) return;
    const std::uint64_t cells = FuseCells(solution_.shape, settings.arity);
    bytes_.resize(1 + cells * settings.cell_bits / 8);
    peeler.Assign(settings.cell_bits, bytes_.data() + 1);
  }

  const FuseSolution& solution() const { return solution_; }
  bool solved() const { return solution_.outcome == FuseOutcome::kSolved; }

  bool Has(std::uint64_t hash) const {
    const std::uint64_t position = hash * scale_;
    const auto& [outcome, shape, seed] = solution_;
    return settings_.arity == 3
               ? CheckAs(settings_.cell_bits, bytes_.data() + 1,
                         FuseProbeFor<3>(position, shape, seed))
               : CheckAs(settings_.cell_bits, bytes_.data() + 1,
                         FuseProbeFor<4>(position, shape, seed));
  }
  bool HasAll(const std::vector<std::uint64_t>& hashes) const {
    return std::all_of(hashes.begin(), hashes.end(),
                       [this](std::uint64_t hash) { return Has(hash); });
  }

 private:
  std::uint64_t scale_;
  Settings settings_;
  FuseSolution solution_;
  std::vector<unsigned char> bytes_;
};

template <unsigned kArity>
void ExpectSlotsInTheirSegments(const FuseShape& shape) {
  const std::uint64_t length = std::uint64_t{1} << shape.segment_bits;
  const std::uint64_t end = FuseCells(shape, kArity);
  std::uint64_t last_first = 0;
  for (std::uint64_t i = 0; i <= 4096; ++i) {
    // Ascending, both ends of all positions included.
    const std::uint64_t position = i == 4096 ? ~std::uint64_t{0} : i << 52;
    const auto slots = FuseProbeFor<kArity>(position, shape, i).slots;
    ASSERT_GE(slots[0], last_first);
    last_first = slots[0];
    for (unsigned j = 1; j < kArity; ++j) {
      ASSERT_GT(slots[j], slots[0] + (j - 1) * length);
      ASSERT_LE(slots[j], slots[0] + j * length);
    }
    ASSERT_LT(slots[kArity - 1], end);
  }
  EXPECT_EQ(last_first, shape.starts - 1);
}

TEST(BinaryFuse, AKeysCellsLieInConsecutiveSegmentsBehindTheFirst) {
  for (const FuseShape shape :
       {FuseShape{0, 1}, FuseShape{0, 5000}, FuseShape{3, 7},
        FuseShape{13, 1'100'000}, FuseShape{16, 0xffffffff}}) {
    ExpectSlotsInTheirSegments<3>(shape);
    ExpectSlotsInTheirSegments<4>(shape);
  }
}

// Each of the cells behind the first is any of its segment, whatever the other
// ones and the fingerprint are.
TEST(BinaryFuse, CellsAndFingerprintsAreIndependent) {
  const FuseShape shape = {.segment_bits = 2, .starts = 1};
  std::set<std::array<std::uint64_t, 4>> seen;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const auto probe = FuseProbeFor<4>(i, shape, 7);
    seen.insert(
        {probe.slots[1], probe.slots[2], probe.slots[3], probe.mixed % 4});
  }
  EXPECT_EQ(seen.size(), 256u);
}

TEST(BinaryFuse, NeverForgetsAKeyOfAnySizeCellsAndArity) {
  for (const Settings& settings : kAllSettings) {
    for (std::uint64_t n = 0; n < 60'000; n += n / 3 + 1) {
      const auto hashes = HonestHashes(n);
      const Array array({hashes, 1}, settings);
      ASSERT_TRUE(array.solved()) << n;
      ASSERT_TRUE(array.HasAll(hashes)) << n << " keys, " << settings.arity;
    }
  }
}

TEST(BinaryFuse, KeysOfOnePartOfManyFillItsWholeArray) {
  constexpr std::uint64_t kParts = 1000;
  std::vector<std::uint64_t> hashes = HonestHashes(3000);
  for (std::uint64_t& hash : hashes) {  // all of them of part 7
    hash = hash / kParts + 7 * (~std::uint64_t{0} / kParts) + kParts;
  }
  const Array array({hashes, kParts}, {16, 3});
  ASSERT_TRUE(array.solved());
  EXPECT_EQ(array.solution().shape, FuseShapeFor(3000, 3));
  EXPECT_TRUE(array.HasAll(hashes));
}

// A spread of the sizes, those included at which others are known to hang.
TEST(BinaryFuse, FindsASeedSoonForEverySize) {
  unsigned later = 0;
  unsigned built = 0;
  for (std::uint64_t n = 0; n <= 12'000; n += n < 300 ? 1 : 97) {
    for (const std::uint64_t size : {n, n == 300 ? 11'501 : n + 1}) {
      for (const unsigned arity : {3u, 4u}) {
        FusePeeler peeler;
        const auto hashes = HonestHashes(size, n);
        const FuseSolution solution =
            SolveFuse({hashes, 1}, FuseShapeFor(size, arity), arity,
                      kMaxFuseAttempts, &peeler);
        ASSERT_EQ(solution.outcome, FuseOutcome::kSolved) << size;
        ASSERT_EQ(solution.shape, FuseShapeFor(size, arity)) << size;
        ++built;
        later += solution.seed != FuseSeed(0) ? 1u : 0u;
      }
    }
  }
  EXPECT_LT(later * 20, built);
  EXPECT_GT(later, 0u);
}

TEST(BinaryFuseLarge, EverySizeTo20000Builds) {
  for (std::uint64_t n = 0; n <= 20'000; ++n) {
    const Settings settings = kAllSettings[n % 6];
    const auto hashes = HonestHashes(n, n);
    const Array array({hashes, 1}, settings);
    ASSERT_TRUE(array.solved()) << n;
    ASSERT_TRUE(array.HasAll(hashes)) << n;
  }
}

TEST(BinaryFuse, StrangersPassOnceIn256) {
  for (const unsigned arity : {3u, 4u}) {
    const Array array({HonestHashes(20'000), 1}, {8, arity});
    unsigned hits = 0;
    for (const std::uint64_t hash : HonestHashes(256'000, 99)) {
      hits += array.Has(hash) ? 1u : 0u;
    }
    EXPECT_NEAR(hits, 1000, 5 * 32);
  }
}

// Whatever comes: an array that has all keys, or the honest answer that there
// is none, and that soon.
TEST(BinaryFuse, ForgedHashesAreSolvedOrRefused) {
  constexpr std::uint64_t kSize = 2000;
  std::vector<std::vector<std::uint64_t>> sets(5);
  for (std::uint64_t i = 0; i < kSize; ++i) {
    sets[0].push_back(i);                                         // sequential
    sets[1].push_back(0xabcdef0000000000 | SplitMix64(i) >> 24);  // one prefix
    sets[2].push_back(i << 53);                                   // low entropy
    sets[3].push_back(i % 2 == 0 ? i : ~i);                       // both ends
    sets[4].push_back(SplitMix64(i / 2));                         // twice each
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    std::sort(sets[i].begin(), sets[i].end());
    for (const Settings& settings : kAllSettings) {
      const Array array({sets[i], 1}, settings);
      EXPECT_TRUE(!array.solved() || array.HasAll(sets[i]));
      EXPECT_EQ(array.solved(), i == 2) << i;
    }
  }
}

// A cell that 257 keys have looks like one that a single key has, to a byte.
TEST(BinaryFuse, CountsThatOverflowAreNoticed) {
  for (const std::uint64_t size : {255u, 256u, 257u, 258u, 512u, 513u}) {
    std::vector<std::uint64_t> hashes(size);
    for (std::uint64_t i = 0; i < size; ++i) hashes[i] = i;
    FusePeeler peeler;
    const FuseShape shape = {.segment_bits = 16, .starts = 1};
    ASSERT_TRUE(peeler.Reserve(FuseCells(shape, 3)));
    // All have the one start; their other cells are nearly all their own.
    EXPECT_EQ(peeler.Peel({hashes, 1}, shape, 3, 1), size < 256) << size;
  }
}

TEST(BinaryFuse, KeysThatResistGetMoreCells) {
  const auto hashes = HonestHashes(1000);
  // Too small for them by a little.
  const FuseShape tight = {.segment_bits = 7, .starts = 1050 - 256};
  FusePeeler peeler;
  const FuseSolution solution =
      SolveFuse({hashes, 1}, tight, 3, kMaxFuseAttempts, &peeler);
  ASSERT_EQ(solution.outcome, FuseOutcome::kSolved);
  EXPECT_GT(solution.shape.starts, tight.starts);
  EXPECT_EQ(SolveFuse({hashes, 1}, tight, 3, 4, &peeler).outcome,
            FuseOutcome::kUnsolved);
}

// What an earlier part left in the peeler is nobody's business.
TEST(BinaryFuse, APeelerCanBeUsedAgain) {
  const std::vector<std::uint64_t> many = HonestHashes(50'000, 11);
  for (const unsigned arity : {3u, 4u}) {
    const FuseShape shape = FuseShapeFor(many.size(), arity);
    FusePeeler used;
    ASSERT_TRUE(used.Reserve(FuseCells(shape, arity)));
    for (const std::size_t count : {100u, 20'000u, 50'000u, 0u}) {
      // The lowest ones: the cells behind them have no keys.
      const FuseKeys keys{.hashes = std::span(many).first(count), .scale = 1};
      used.Peel({.hashes = many, .scale = 1}, shape, arity, FuseSeed(0));
      FusePeeler fresh;
      ASSERT_TRUE(fresh.Reserve(FuseCells(shape, arity)));
      const bool peeled = fresh.Peel(keys, shape, arity, FuseSeed(0));
      EXPECT_EQ(used.Peel(keys, shape, arity, FuseSeed(0)), peeled) << count;
      EXPECT_TRUE(peeled) << count;
      std::vector<unsigned char> cells(FuseCells(shape, arity));
      std::vector<unsigned char> expected = cells;
      used.Assign(8, cells.data());
      fresh.Assign(8, expected.data());
      EXPECT_EQ(cells, expected) << count;
    }
  }
}

TEST(BinaryFuse, MoreKeysThanCellsAreGivenUpAtOnce) {
  const auto hashes = HonestHashes(1000);
  FusePeeler peeler;
  EXPECT_EQ(SolveFuse({hashes, 1}, {.segment_bits = 2, .starts = 900}, 3, ~0u,
                      &peeler)
                .outcome,
            FuseOutcome::kUnsolved);
}

}  // namespace
}  // namespace tamis
