// SPDX-License-Identifier: Apache-2.0
#include "filters/router/key_router.h"

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace tamis {
namespace {

using testing::RandomHashes;

// All labels, if every label may have it.
std::set<unsigned> LabelsOf(const KeyRouter& router, std::uint64_t hash,
                            bool* are_all = nullptr) {
  std::set<unsigned> labels;
  const bool is_known =
      router.ForEachLabel(hash, [&](unsigned label) { labels.insert(label); });
  if (are_all != nullptr) *are_all = !is_known;
  if (is_known) return labels;
  for (unsigned i = 0; i < router.labels(); ++i) labels.insert(i);
  return labels;
}

bool MayHave(const KeyRouter& router, std::uint64_t hash, unsigned label) {
  bool has = false;
  const bool is_known =
      router.ForEachLabel(hash, [&](unsigned its) { has |= its == label; });
  return has || !is_known;
}

class KeyRouterWith : public ::testing::TestWithParam<unsigned> {};

TEST_P(KeyRouterWith, FindsEveryLabelOfEveryHash) {
  const unsigned labels = GetParam();
  // Far more than it is for, so that many lines are full.
  const std::vector<std::uint64_t> hashes = RandomHashes(6000, labels);
  const auto router = KeyRouter::New(KeyRouter::ShapeFor(3000, labels));
  ASSERT_NE(router, nullptr);
  ASSERT_GT(router->labels(), labels);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const auto label = static_cast<unsigned>(i % labels);
    router->Add({&hashes[i], 1}, label);
    // Some are in several sets.
    if (i % 10 == 0) router->Add({&hashes[i], 1}, labels - 1);
  }
  EXPECT_TRUE(router->is_full());
  EXPECT_GT(router->full_fraction(), 0.0);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const auto label = static_cast<unsigned>(i % labels);
    ASSERT_TRUE(MayHave(*router, hashes[i], label)) << i;
    ASSERT_TRUE(i % 10 != 0 || MayHave(*router, hashes[i], labels - 1)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Labels, KeyRouterWith,
                         ::testing::Values(1u, 100u, 127u, 128u, 500u, 1000u));

TEST(KeyRouter, LeadsAnAbsentKeyToFewLabels) {
  struct Case {
    unsigned labels;
    double most;  // per absent key
  };
  // The entries of a line times the fingerprints' rate, and a tenth more.
  constexpr double kLoad = KeyRouter::kFullLoad;
  for (const Case& c :
       {Case{100, kLoad / 511 * 1.1}, Case{400, kLoad / 127 * 1.1}}) {
    constexpr std::uint64_t kEntries = 60'000;
    const auto shape = KeyRouter::ShapeFor(kEntries * 2 / 3, c.labels);
    const auto router = KeyRouter::New(shape);
    const std::vector<std::uint64_t> hashes = RandomHashes(kEntries, 1);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      router->Add({&hashes[i], 1}, static_cast<unsigned>(i % c.labels));
    }
    std::uint64_t found = 0;
    std::uint64_t all = 0;
    const std::vector<std::uint64_t> absent = RandomHashes(kEntries, 2);
    for (const std::uint64_t hash : absent) {
      bool are_all = false;
      const std::size_t labels = LabelsOf(*router, hash, &are_all).size();
      if (are_all) {
        ++all;
      } else {
        found += labels;
      }
    }
    const auto keys = static_cast<double>(kEntries);
    EXPECT_LE(static_cast<double>(found) / keys, c.most);
    EXPECT_GE(static_cast<double>(found) / keys, c.most * 0.8);
    // 0.3 % of the lines, as docs/design/10-many-tables.md says: nine of them.
    EXPECT_LE(static_cast<double>(all) / keys, 0.007);
    EXPECT_NEAR(static_cast<double>(all) / keys, router->full_fraction(),
                0.002);
    // 22 of 32 slots of 2 bytes are taken.
    EXPECT_LE(8 * static_cast<double>(router->bytes()) / keys, 23.4);
  }
}

TEST(KeyRouter, AHashInEverySetCostsNoOtherLineItsAnswers) {
  constexpr unsigned kLabels = 200;
  const auto router = KeyRouter::New(KeyRouter::ShapeFor(20'000, kLabels));
  const std::vector<std::uint64_t> hashes = RandomHashes(20'000, 3);
  for (unsigned label = 0; label < kLabels; ++label) {
    router->Add({&hashes[0], 1}, label);
  }
  bool are_all = false;
  EXPECT_EQ(LabelsOf(*router, hashes[0], &are_all).size(), router->labels());
  EXPECT_TRUE(are_all);
  for (std::size_t i = 1; i < hashes.size(); ++i) {
    router->Add({&hashes[i], 1}, static_cast<unsigned>(i % kLabels));
  }
  // Both lines of its pair are full, and no others.
  EXPECT_LE(router->full_fraction() * static_cast<double>(router->bytes() / 64),
            2.5);
}

TEST(KeyRouter, WhatIsThereIsNotAddedAgain) {
  const auto router = KeyRouter::New(KeyRouter::ShapeFor(100, 10));
  const std::vector<std::uint64_t> hashes = RandomHashes(50, 4);
  router->Add(hashes, 3);
  const std::uint64_t entries = router->entries();
  EXPECT_GE(entries, 49u);  // two may have one fingerprint
  router->Add(hashes, 3);
  EXPECT_EQ(router->entries(), entries);
}

TEST(KeyRouter, IsEmptyBeforeAnythingIsAdded) {
  const auto router = KeyRouter::New(KeyRouter::ShapeFor(0, 0));
  ASSERT_NE(router, nullptr);
  for (const std::uint64_t hash : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    EXPECT_TRUE(LabelsOf(*router, hash).empty());
    router->Add({&hash, 1}, 5);
    EXPECT_TRUE(LabelsOf(*router, hash).contains(5));
  }
}

}  // namespace
}  // namespace tamis
