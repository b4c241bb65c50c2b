// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/line_view.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tamis/container.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::Build;
using testing::NumberedKeys;
using testing::PolicyOf;

bool MayContain(const LineView& view, Slice key) {
  return view.Check(LineHash(key, view.seed));
}

// A filter of one line whose header is as `change` leaves it, sealed anew.
template <typename Change>
std::string FilterWith(Change&& change) {
  std::string filter = Build(*PolicyOf("bloom:10"), {"key"});
  TamisHeader header = ParseTamis(filter).value().header;
  change(&header);
  SealTamis(filter, header);
  return filter;
}

TEST(LineView, AnswersAsTheReaderOfThePolicyDoes) {
  for (const char* spec :
       {"bloom:10", "bloom:4", "bloom:10,k=1", "bloom:60,k=32",
        "bloom:10,seed=77", "bloom:m=512,k=3"}) {
    const auto policy = PolicyOf(spec);
    const std::vector<std::string> keys = NumberedKeys("key-", 2000);
    const std::string filter = Build(*policy, keys);
    const auto reader = policy->Open(filter);
    ASSERT_TRUE(reader.ok()) << spec;
    const auto view = ViewLines(filter);
    ASSERT_TRUE(view.has_value()) << spec;
    EXPECT_EQ(view->keys, keys.size()) << spec;
    for (const std::string& key : keys) ASSERT_TRUE(MayContain(*view, key));
    for (const std::string& key : NumberedKeys("other-", 20'000)) {
      ASSERT_EQ(MayContain(*view, key), reader->MayContain(key))
          << spec << " " << key;
    }
  }
}

TEST(LineView, SeesNothingInFiltersOfOtherKinds) {
  for (const char* spec : {"classic:10", "splitblock:10", "leveldb:10",
                           "rocksdb:10", "rocksdb-ribbon:10"}) {
    const std::string filter = Build(*PolicyOf(spec), {"a", "b"});
    EXPECT_FALSE(ViewLines(filter).has_value()) << spec;
  }
  EXPECT_FALSE(ViewLines({}).has_value());
}

TEST(LineView, SeesNothingInDamagedBytes) {
  const std::string whole =
      Build(*PolicyOf("bloom:10"), NumberedKeys("key-", 60));
  ASSERT_TRUE(ViewLines(whole).has_value());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    EXPECT_FALSE(ViewLines(flipped).has_value()) << at;
    EXPECT_FALSE(ViewLines(Slice(whole).substr(0, at)).has_value()) << at;
  }
  EXPECT_FALSE(ViewLines(whole + '\0').has_value());
}

TEST(LineView, SeesNothingInWhatItDoesNotKnow) {
  EXPECT_TRUE(ViewLines(FilterWith([](TamisHeader*) {})).has_value());
  const auto sees = [](auto&& change) {
    return ViewLines(FilterWith(change)).has_value();
  };
  EXPECT_FALSE(sees([](TamisHeader* h) { h->version = 2; }));
  EXPECT_FALSE(sees([](TamisHeader* h) { h->hash = 2; }));
  EXPECT_FALSE(sees([](TamisHeader* h) { h->flags = 1; }));
  EXPECT_FALSE(sees([](TamisHeader* h) { h->kind = 9; }));
  EXPECT_FALSE(sees([](TamisHeader* h) { h->parameter_a = 0; }));
  EXPECT_FALSE(sees([](TamisHeader* h) { h->parameter_a = 33; }));
  EXPECT_FALSE(sees([](TamisHeader* h) { h->parameter_b = 1; }));
  EXPECT_FALSE(sees([](TamisHeader* h) { h->size_parameter = 0; }));
  EXPECT_FALSE(sees([](TamisHeader* h) { h->size_parameter = 2; }));
}

TEST(LineView, CountsNoKeysWhereTheirNumberIsUnknown) {
  const auto view = ViewLines(
      FilterWith([](TamisHeader* h) { h->keys = kTamisKeysUnknown; }));
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->keys, 0u);
}

}  // namespace
}  // namespace tamis
