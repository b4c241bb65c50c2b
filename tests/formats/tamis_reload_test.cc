// SPDX-License-Identifier: Apache-2.0
// The Bloom filters of the .tamis container from their bytes: to grow on, or
// for work on the bits themselves.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tamis/any_kind.h"
#include "tamis/mutable_filter.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::NumberedKeys;
using testing::PolicyOf;
using testing::Saved;

TEST(TamisReload, ALoadedFilterGrowsOnAsIfNothingHadBeen) {
  const auto keys = NumberedKeys("key-", 2000);
  for (const char* spec :
       {"bloom:10,seed=4", "splitblock:fpr=0.01", "classic:m=19997,k=5"}) {
    auto straight = PolicyOf(spec)->NewMutable(keys.size());
    auto broken = PolicyOf(spec)->NewMutable(keys.size());
    ASSERT_TRUE(straight.ok() && broken.ok());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_TRUE(straight->Insert(keys[i]).ok());
      ASSERT_TRUE(broken->Insert(keys[i]).ok());
      if (i % 500 != 3) continue;
      broken = LoadMutable(Saved(**broken));
      ASSERT_TRUE(broken.ok()) << broken.status().ToString();
    }
    EXPECT_EQ(Saved(**broken), Saved(**straight)) << spec;
    EXPECT_EQ(broken->Describe().keys, keys.size());
    for (const std::string& key : keys) {
      ASSERT_TRUE(broken->MayContain(key));
    }
  }
}

TEST(TamisReload, PiecesAreTogetherWhatSavingReturns) {
  const auto keys = NumberedKeys("key-", 300);
  for (const char* spec :
       {"bloom:10,seed=4", "splitblock:10", "classic:10", "scalable:10",
        "leveldb:10", "parquet:10", "rotating:10,generations=9"}) {
    auto filter = PolicyOf(spec)->NewMutable(100);
    ASSERT_TRUE(filter.ok());
    for (const std::string& key : keys) ASSERT_TRUE(filter->Insert(key).ok());
    const std::string saved = Saved(**filter);
    for (const unsigned step : {1u, 63u, 64u, 65u, 100'000u}) {
      std::string pieces;
      std::string piece(step, '?');
      for (;;) {
        std::size_t length = 0;
        std::uint64_t total = 0;
        ASSERT_TRUE(
            filter->SavePiece(pieces.size(), piece, &length, &total).ok());
        ASSERT_EQ(total, saved.size()) << spec;
        if (length == 0) break;
        pieces.append(piece, 0, length);
      }
      EXPECT_EQ(pieces, saved) << spec << " in pieces of " << step;
    }
  }
}

// As that of a combined filter is.
TEST(TamisReload, AnUnknownNumberOfKeysStaysUnknown) {
  const auto policy = PolicyOf("bloom:m=5120,k=6");
  const std::string a = testing::Build(*policy, {"a"});
  const std::string b = testing::Build(*policy, {"b"});
  const std::vector<Slice> both = {a, b};
  std::string united;
  ASSERT_TRUE(policy->Combine(both, SetOperation::kUnion, &united).ok());
  auto filter = LoadMutable(united);
  ASSERT_TRUE(filter.ok());
  ASSERT_TRUE(filter->Insert("c").ok());
  EXPECT_FALSE(filter->Describe().keys.has_value());
  for (const char* key : {"a", "b", "c"}) {
    EXPECT_TRUE(filter->MayContain(key));
  }
  EXPECT_EQ(Saved(**filter).substr(64),
            testing::Build(*policy, {"a", "b", "c"}).substr(64));
}

// Nothing is loaded, and nothing worked on, that is not understood.
TEST(TamisReload, RefusesWhatOpensAsMaybeOrNotAtAll) {
  const nlohmann::json golden = testing::LoadGolden("tamis.json");
  for (const auto& row : golden["reader"]) {
    SCOPED_TRACE(row["why"].get<std::string>());
    const std::string bytes = testing::HexBytes(row["filter"]);
    const StatusCode expected =
        row["opens"] == "corruption" ? StatusCode::kCorruption
        : row["opens"] == "maybe"    ? StatusCode::kNotSupported
                                     : StatusCode::kOk;
    EXPECT_EQ(LoadMutable(bytes).status().code(), expected);
    EXPECT_EQ(ParseTamisBloom(bytes).status().code(), expected);
  }
}

}  // namespace
}  // namespace tamis
