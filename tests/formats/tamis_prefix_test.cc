// SPDX-License-Identifier: Apache-2.0
// Filters with prefixes in the .tamis container: docs/formats/tamis-prefix.md.

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/fold.h"
#include "tamis/formats.h"
#include "tamis/policy_settings.h"
#include "tamis/prefix_filter.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::Build;
using testing::HexBytes;
using testing::PolicyOf;

std::string User(int user) { return "user:" + std::to_string(user) + ":"; }

// Three items of every second user.
std::vector<std::string> ItemKeys() {
  std::vector<std::string> keys;
  for (int user = 0; user < 1000; user += 2) {
    for (int item = 0; item < 3; ++item) {
      keys.push_back(User(user) + "item:" + std::to_string(item));
    }
  }
  return keys;
}

TEST(TamisPrefix, WritesTheBytesOfTheReferenceWriter) {
  const auto golden = testing::LoadGolden("tamis_prefix.json");
  for (const auto& row : golden["built"]) {
    std::vector<std::string> keys;
    for (const auto& key : row["keys"]) keys.push_back(HexBytes(key));
    const std::string spec = row["spec"];
    const auto policy = PolicyOf(spec);
    EXPECT_TRUE(Build(*policy, keys) == HexBytes(row["bytes"])) << spec;
    const std::string bytes = HexBytes(row["bytes"]);
    for (const char* reading : {spec.c_str(), "tamis", "ribbon:8"}) {
      const auto reading_policy = PolicyOf(reading);
      const auto reader = reading_policy->Open(bytes);
      ASSERT_TRUE(reader.ok()) << reading;
      for (const std::string& key : keys) {
        EXPECT_TRUE(reader->MayContain(key));
        EXPECT_TRUE(reader->MayContainRange(key, key));
      }
      for (const auto& prefix : row["prefixes"]) {
        EXPECT_TRUE(reader->MayContainPrefix(HexBytes(prefix)));
      }
    }
  }
}

TEST(TamisPrefix, AnswersMaybeToWhatItDoesNotKnowAndRefusesDamage) {
  const auto golden = testing::LoadGolden("tamis_prefix.json");
  const auto policy = PolicyOf("tamis");
  for (const auto& row : golden["maybe"]) {
    const std::string bytes = HexBytes(row["bytes"]);
    const auto reader = policy->Open(bytes);
    ASSERT_TRUE(reader.ok()) << row["why"];
    EXPECT_TRUE(reader->MayContain("never")) << row["why"];
    EXPECT_TRUE(reader->MayContainPrefix("never")) << row["why"];
    EXPECT_FALSE(reader->Describe().always_maybe.empty()) << row["why"];
  }
  for (const auto& row : golden["unknown_extractor"]) {
    const std::string bytes = HexBytes(row["bytes"]);
    const auto reader = policy->Open(bytes);
    ASSERT_TRUE(reader.ok()) << row["name"];
    EXPECT_EQ(reader->Describe().prefixes, row["name"]);
    EXPECT_TRUE(reader->MayContain("ab:c"));
    EXPECT_TRUE(reader->MayContainPrefix("ab"));
    EXPECT_TRUE(reader->MayContainPrefix("never:"));
    EXPECT_TRUE(reader->MayContainRange("never", "never!"));
    EXPECT_FALSE(reader->MayContain("never") && reader->MayContain("nowhere"));
  }
  for (const auto& row : golden["refused"]) {
    EXPECT_EQ(policy->Open(HexBytes(row["bytes"])).status().code(),
              StatusCode::kCorruption)
        << row["why"];
  }
}

TEST(TamisPrefix, OfEveryKindRulesOutPrefixesThatNoKeyHas) {
  for (const char* keys : {"bloom:10", "classic:10", "splitblock:12",
                           "ribbon:8", "fuse:8", "fpr:0.01", "cuckoo:12"}) {
    const std::string spec = std::string("prefix:delimiter=:,count=2,") + keys;
    SCOPED_TRACE(spec);
    const auto policy = PolicyOf(spec);
    const std::string bytes = Build(*policy, ItemKeys());
    const auto reader = policy->Open(bytes);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    EXPECT_EQ(reader->Describe().prefixes, "delimiter=:,count=2");
    // Each of them counts once.
    EXPECT_EQ(reader->Describe().keys, 2000u);
    int maybe = 0;
    for (int user = 0; user < 1000; ++user) {
      const std::string prefix = User(user);
      const bool is_maybe = reader->MayContainPrefix(prefix);
      EXPECT_EQ(reader->MayContainPrefix(prefix + "item"), is_maybe);
      EXPECT_EQ(reader->MayContainRange(prefix + "a", prefix + "z"), is_maybe);
      if (user % 2 == 0) {
        EXPECT_TRUE(is_maybe);
      } else {
        maybe += is_maybe;
      }
    }
    EXPECT_LT(maybe, 25);
    EXPECT_TRUE(reader->MayContainPrefix("user:1"));
    EXPECT_TRUE(reader->MayContainPrefix(""));
    EXPECT_TRUE(reader->MayContainRange("user:1:", "user:3:"));
    EXPECT_TRUE(reader->MayContainRange("user:1:b", "user:1:a"));
    for (const std::string& key : ItemKeys()) {
      ASSERT_TRUE(reader->MayContain(key));
    }
  }
}

// A wrong order of keys, and adjacent repeats, change nothing.
TEST(TamisPrefix, HasTheSameBytesInAnyOrderOfKeys) {
  const auto policy = PolicyOf("prefix:delimiter=:,count=2,ribbon:8");
  std::vector<std::string> keys = ItemKeys();
  const std::string bytes = Build(*policy, keys);
  std::vector<std::string> shuffled;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    shuffled.push_back(keys[i * 7 % keys.size()]);
  }
  EXPECT_TRUE(Build(*policy, shuffled) == bytes);
  BuildOptions options;
  options.repeats = RepeatedKeys::kNeighbours;
  options.exact_keys = keys.size();
  const auto builder = policy->NewBuilder(options);
  EXPECT_FALSE(builder->hash_seed());
  EXPECT_FALSE(builder->AddHash({1, 0}));
  for (const std::string& key : shuffled) builder->Add(key);
  std::string built;
  ASSERT_TRUE(builder->Finish(&built).ok());
  EXPECT_TRUE(built == bytes);
  EXPECT_EQ(builder->counted_keys(), 2000u);
}

TEST(TamisPrefix, OfAFunctionIsReadByItAlone) {
  auto half = NewPrefixExtractor("test.four", [](Slice key) {
    return key.size() < 4 ? std::nullopt : std::optional<std::size_t>(4);
  });
  auto made = NewPrefixPolicy(*half, PolicyOf("bloom:20"));
  ASSERT_TRUE(made.ok());
  const std::string bytes = Build(**made, {"abcdef", "abcdxy", "xyz"});
  const auto own = (*made)->Open(bytes);
  EXPECT_FALSE(own->MayContainPrefix("abce"));
  EXPECT_TRUE(own->MayContainPrefix("abcd"));
  const auto policy = PolicyOf("tamis");
  const auto reader = policy->Open(bytes);
  EXPECT_TRUE(reader->MayContainPrefix("abce"));
  EXPECT_FALSE(reader->MayContain("abce"));
}

TEST(TamisPrefix, IsNotBuiltByAnExtractorThatBreaksTheRule) {
  const auto finish = [](auto function) {
    auto made = NewPrefixPolicy(*NewPrefixExtractor("test.bad", function),
                                PolicyOf("bloom:10"));
    const auto builder = (*made)->NewBuilder();
    builder->Add("abcdef");
    std::string bytes = "before";
    const Status status = builder->Finish(&bytes);
    EXPECT_EQ(bytes, "before");
    return status.code();
  };
  EXPECT_EQ(finish([](Slice key) { return std::optional(key.size() / 2); }),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(finish([](Slice) -> std::optional<std::size_t> {
              throw std::runtime_error("on purpose");
            }),
            StatusCode::kInvalidArgument);
}

TEST(TamisPrefix, HasATextThatSaysBothParts) {
  const auto settings = ParsePolicy("prefix:fixed=8,ribbon:9");
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->prefix_extractor, "fixed=8");
  EXPECT_EQ(settings->name, "ribbon");
  EXPECT_TRUE(MakePolicy(*settings).ok());
  for (const char* text :
       {"prefix", "prefix:", "prefix:bloom:10", "prefix:fixed=8,",
        "prefix:fixed=8,nothing:10", "prefix:fixed=0,bloom:10",
        "prefix:delimiter=,,bloom", "prefix:fixed=8,rocksdb:10",
        "prefix:fixed=8,range:8", "prefix:fixed=8,prefix:fixed=7,bloom:10"}) {
    EXPECT_EQ(MakePolicy(text).status().code(), StatusCode::kInvalidArgument)
        << text;
  }
  EXPECT_FALSE(NewPrefixPolicy(nullptr, PolicyOf("bloom")).ok());
  EXPECT_FALSE(
      NewPrefixPolicy(*MakePrefixExtractor("fixed=1"), PolicyOf("leveldb"))
          .ok());
}

TEST(TamisPrefix, DoesNotGrowFoldOrCombine) {
  const auto policy = PolicyOf("prefix:fixed=1,bloom:10,fold=8");
  const std::string bytes = Build(*policy, ItemKeys());
  EXPECT_EQ(policy->NewMutable(100).status().code(), StatusCode::kNotSupported);
  EXPECT_EQ(policy->NewConcurrent(100).status().code(),
            StatusCode::kNotSupported);
  std::string out;
  EXPECT_FALSE(FoldFilter(bytes, 2, &out).ok());
  const std::vector<Slice> both = {bytes, bytes};
  EXPECT_EQ(policy->Combine(both, SetOperation::kUnion, &out).code(),
            StatusCode::kNotSupported);
  EXPECT_TRUE(out.empty());
  const RecognisedFormat found = RecogniseFormat("x", bytes);
  EXPECT_EQ(found.spec, "tamis");
  EXPECT_EQ(found.certainty, Certainty::kCertain);
}

// Any flipped bit is noticed: refused, and never "no".
TEST(TamisPrefix, NoticesEveryFlippedBit) {
  const auto policy = PolicyOf("tamis");
  std::string bytes =
      Build(*PolicyOf("prefix:fixed=2,bloom:10"), {"abc", "def"});
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const char flip = static_cast<char>(1 << bit % 8);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
    EXPECT_FALSE(policy->Open(bytes).ok()) << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(policy->Open(Slice(bytes).substr(0, size)).ok()) << size;
  }
}

}  // namespace
}  // namespace tamis
