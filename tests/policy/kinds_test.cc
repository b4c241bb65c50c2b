// SPDX-License-Identifier: Apache-2.0
// What KnownKinds() says about a kind is what its filters do.

#include "policy/kinds.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "policy/table_policy.h"
#include "tamis/fold.h"
#include "tamis/formats.h"
#include "tamis/mutable_filter.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::Build;
using testing::NumberedKeys;
using testing::PolicyOf;

class EveryKind : public ::testing::TestWithParam<KindEntry> {
 protected:
  const KindEntry& kind() const { return GetParam(); }
  std::string name() const { return std::string(kind().name); }
  std::string Filter() const {
    return Build(*PolicyOf(name()), NumberedKeys("key-", 1000));
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind,
                         ::testing::ValuesIn(KnownKinds().begin(),
                                             KnownKinds().end()),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

TEST_P(EveryKind, IsWhatItsFiltersSayTheyAre) {
  const std::string filter = Filter();
  const auto reader = PolicyOf("tamis")->Open(filter);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->Describe().kind, kind().name);
  constexpr std::size_t kKindAt = 10;  // docs/formats/tamis.md
  EXPECT_EQ(LoadLittle<std::uint16_t>(filter.data() + kKindAt), kind().code);
  EXPECT_FALSE(kind().summary.empty());
}

TEST_P(EveryKind, GrowsErasesAndExpiresAsItSays) {
  const std::string filter = Filter();
  EXPECT_EQ(PolicyOf(name())->NewMutable(100).ok(), kind().grows);
  EXPECT_EQ(LoadMutable(filter).ok(), kind().grows);
  EXPECT_EQ(NewErasable(name(), 100).ok(), kind().erases);
  EXPECT_EQ(LoadErasable(filter).ok(), kind().erases);
  EXPECT_EQ(NewRotating(name(), 100).ok(), kind().expires);
  EXPECT_EQ(LoadRotating(filter).ok(), kind().expires);
}

TEST_P(EveryKind, KeepsItsRateIfItSays) {
  const auto policy = PolicyOf(name());
  // A solution has a rate for the keys that it was made for alone.
  if (!kind().grows) return;
  EXPECT_LT(policy->RateAt(1000, 1000), 0.05);
  EXPECT_EQ(policy->RateAt(1000, 50'000) < 0.05, kind().unbounded);
}

TEST_P(EveryKind, MergesAndFoldsAsItSays) {
  const std::string filter = Filter();
  const std::vector<Slice> both = {filter, filter};
  std::string merged;
  EXPECT_EQ(
      PolicyOf("tamis")->Combine(both, SetOperation::kUnion, &merged).ok(),
      kind().merges);
  std::string folded;
  EXPECT_EQ(FoldFilter(filter, 1, &folded).ok(), kind().fold_unit != 0);
  if (kind().fold_unit == 0) return;
  // Of exactly so many units, planned to be folded, the half is left.
  const std::string planned = Build(
      *PolicyOf(name() + ":m=" + std::to_string(8 * kind().fold_unit) + ",k=8"),
      NumberedKeys("key-", 3));
  EXPECT_TRUE(FoldFilter(planned, 8, &folded).ok());
  EXPECT_FALSE(FoldFilter(planned, 16, &folded).ok());
}

TEST_P(EveryKind, HasTheUsualSizeWhereNoneIsGiven) {
  if (kind().usual_bits == 0) {
    EXPECT_FALSE(MakePolicy(name() + ":8").ok()) << "its name is a size";
    return;
  }
  const std::string bits = std::to_string(kind().usual_bits);
  EXPECT_EQ(CanonicalText(name() + ":" + bits), CanonicalText(name()));
}

TEST_P(EveryKind, TakesAFixedSizeAsItSays) {
  const auto policy = PolicyOf(name());
  const Estimate size = policy->Predict(1000);
  const unsigned unit =
      kind().per_m * (kind().storage == KindStorage::kSlots ? size.probes : 1);
  if (unit == 0) {
    EXPECT_FALSE(MakePolicy(name() + ":m=4096,k=8").ok());
    return;
  }
  const auto fixed =
      PolicyOf(name() + ":m=" + std::to_string(size.bits / unit) +
               ",k=" + std::to_string(size.probes));
  EXPECT_EQ(fixed->Predict(7).bits, size.bits);
  EXPECT_EQ(fixed->Predict(7).probes, size.probes);
}

TEST_P(EveryKind, ProbesAndBitsAreWhatItStores) {
  const auto policy = PolicyOf(name());
  const FilterInfo info = (*policy->Open(Filter()))->Describe();
  if (kind().fixed_probes != 0) {
    EXPECT_EQ(info.probes, kind().fixed_probes);
    EXPECT_EQ(policy->Predict(10).probes, kind().fixed_probes);
  }
  const double per_key = static_cast<double>(info.set_bits) / 1000;
  switch (kind().storage) {
    case KindStorage::kSlots:
      EXPECT_EQ(info.set_bits, 1000u) << "one slot for each key";
      break;
    case KindStorage::kCounters:
    case KindStorage::kBits:
      EXPECT_LE(per_key, info.probes);
      EXPECT_GE(per_key, info.probes / 2.0);
      break;
    case KindStorage::kCodes:
      EXPECT_GT(info.set_bits, 1000u) << "one high bit for each key";
      break;
    case KindStorage::kColumns:
    case KindStorage::kCells:  // half of the bits that are used, by chance
      EXPECT_NEAR(
          static_cast<double>(info.set_bits) / static_cast<double>(info.bits),
          0.45, 0.15);
  }
}

TEST(KnownKinds, AreDistinctAndFoundByName) {
  std::set<std::string_view> names;
  for (const KindEntry& kind : KnownKinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(FindKind(kind.name), &kind);
    EXPECT_EQ(static_cast<std::uint16_t>(RowOfEntry(kind).kind), kind.code);
  }
  EXPECT_EQ(names.size(), 12u);
  EXPECT_EQ(FindKind("fuse"), nullptr);  // its sizes are kinds
  EXPECT_EQ(FindKind(""), nullptr);
  EXPECT_EQ(FindKind("unknown"), nullptr);
  EXPECT_EQ(CanonicalText("tamis"), CanonicalText(KnownKinds().front().name))
      << "the default comes first";
}

TEST(NamesOfKinds, AreListedInWords) {
  EXPECT_EQ(NamesOfKinds([](const KindEntry& kind) { return kind.erases; }),
            "counting and cuckoo");
  EXPECT_EQ(
      NamesOfKinds([](const KindEntry& kind) { return kind.fold_unit != 0; }),
      "bloom, splitblock and classic");
  EXPECT_EQ(NamesOfKinds([](const KindEntry& kind) { return kind.expires; }),
            "rotating");
  EXPECT_EQ(NamesOfKinds([](const KindEntry&) { return false; }), "");
}

}  // namespace
}  // namespace tamis
