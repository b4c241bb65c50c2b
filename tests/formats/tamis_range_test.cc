// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "formats/tamis/container.h"
#include "formats/tamis/range.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::PolicyOf;
using Random = std::mt19937_64;

// Every string of up to three symbols, in order; two of them are the bytes
// that codes of strings most often get wrong.
std::vector<std::string> AllShortStrings() {
  const std::string symbols("\0a\xff", 3);
  std::vector<std::string> all = {""};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == 3) continue;
    for (const char symbol : symbols) all.push_back(all[i] + symbol);
  }
  std::sort(all.begin(), all.end());
  return all;
}

bool AnyBetween(const std::vector<std::string>& sorted, const std::string& lo,
                const std::string& hi) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), lo);
  return at != sorted.end() && *at <= hi;
}

// Asks for every range of short strings.
void CheckAllRanges(const FilterPolicy& policy,
                    const std::vector<std::string>& keys) {
  static const std::vector<std::string> all = AllShortStrings();
  const std::string bytes = testing::Build(policy, keys);
  const auto reader = policy.Open(bytes);
  ASSERT_TRUE(reader.ok());
  for (std::size_t lo = 0; lo < all.size(); ++lo) {
    for (std::size_t hi = lo; hi < all.size(); ++hi) {
      if (!AnyBetween(keys, all[lo], all[hi])) continue;
      ASSERT_TRUE(reader->MayContainRange(all[lo], all[hi]));
    }
  }
}

// Visits one in `stride` of all sets of up to five short strings.
void CheckKeySets(std::size_t stride) {
  const auto policy = PolicyOf("range:8");
  const std::vector<std::string> all = AllShortStrings();
  std::size_t number = 0;
  std::vector<std::string> keys;
  const auto visit = [&](const auto& self, std::size_t from) -> void {
    if (number++ % stride == 0) CheckAllRanges(*policy, keys);
    if (keys.size() == 5 || ::testing::Test::HasFatalFailure()) return;
    for (std::size_t i = from; i < all.size(); ++i) {
      keys.push_back(all[i]);
      self(self, i + 1);
      keys.pop_back();
    }
  };
  visit(visit, 0);
  EXPECT_EQ(number, 760'099u);
}

TEST(TamisRange, SomeSmallKeySetsHideNoKeyFromAnyRange) { CheckKeySets(997); }
TEST(TamisRangeLarge, NoSmallKeySetHidesAKeyFromAnyRange) { CheckKeySets(1); }

[[gnu::format(printf, 1, 2)]] std::string Text(const char* format, ...) {
  std::array<char, 96> text;
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  return text.data();
}

std::string BigEndian(std::uint64_t number) {
  std::string bytes(8, '\0');
  StoreBig(bytes.data(), number);
  return bytes;
}

std::string RandomString(Random* random) {
  std::string key((*random)() % 12, '\0');
  for (char& c : key) {
    const std::uint64_t choice = (*random)() % 4;
    c = static_cast<char>(choice == 0 ? 0 : choice == 1 ? 255 : (*random)());
  }
  return key;
}

// A family of keys, and a range that begins where a new key would be.
struct Family {
  const char* name;
  double rate;  // at 8 bits per key
  std::string (*key)(Random* random);
};

std::uint64_t Below(Random* random, std::uint64_t limit) {
  return (*random)() % limit;
}

std::string Padded(Random* random) {
  return Text("user:%06u:item:%04u", unsigned(Below(random, 4000)),
              unsigned(Below(random, 10000)));
}
std::string Uuid(Random* random) {
  return Text("%08x-%04x-4%03x-%04x-%012llx", unsigned((*random)()),
              unsigned(Below(random, 65536)), unsigned(Below(random, 4096)),
              unsigned(0x8000 + Below(random, 16384)),
              static_cast<unsigned long long>((*random)() >> 16));
}

const Family kFamilies[] = {
    {"integers", 0.025, [](Random* r) { return BigEndian((*r)()); }},
    {"clusters", 0.025,
     [](Random* r) {
       const std::uint64_t base = Below(r, 20) * 0x0b0d9f3a61c5e7d3;
       return BigEndian(base + ((*r)() >> 30));
     }},
    {"decimal", 0.025,
     [](Random* r) {
       return Text("%016llu",
                   static_cast<unsigned long long>(Below(r, 4'000'000)));
     }},
    {"hexadecimal", 0.025,
     [](Random* r) {
       return Text("%016llx", static_cast<unsigned long long>((*r)()));
     }},
    {"padded", 0.025, Padded},
    {"uuid", 0.025, Uuid},
    {"timestamps", 0.025,
     [](Random* r) {
       const unsigned us = unsigned(Below(r, 4'000'000));
       return Text("2024-05-01T12:00:%02u.%06u:%08x", us / 1'000'000,
                   us % 1'000'000, unsigned((*r)()));
     }},
    {"families", 0.06,
     [](Random* r) {
       const std::uint64_t family = Below(r, 3);
       if (family == 0) return Padded(r);
       if (family == 1) return "session:" + Uuid(r);
       return Text("order:%016u", unsigned(Below(r, 4'000'000)));
     }},
    {"unpadded", 0.15,
     [](Random* r) {
       return Text("user:%u:item:%u", unsigned(Below(r, 4000)),
                   unsigned(Below(r, 10000)));
     }},
    {"strings", 1, RandomString},
};

struct Filled {
  Filled(const Family& family, std::size_t count, const std::string& spec)
      : policy(PolicyOf(spec)) {
    for (std::size_t i = 0; i < count; ++i) keys.push_back(family.key(&random));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    bytes = testing::Build(*policy, keys);
    reader = *policy->Open(bytes);
  }

  Random random{42};
  std::unique_ptr<const FilterPolicy> policy;
  std::vector<std::string> keys;
  std::string bytes;
  std::unique_ptr<const FilterReader> reader;
};

// The share of ranges from a new key to a little beyond that are empty and
// "maybe".
double RateOf(const Family& family, Filled* filled) {
  int empty = 0;
  int maybe = 0;
  for (int i = 0; i < 12'000; ++i) {
    const std::string lo = family.key(&filled->random);
    const std::string hi = lo + static_cast<char>((filled->random)());
    if (AnyBetween(filled->keys, lo, hi)) continue;
    ++empty;
    maybe += filled->reader->MayContainRange(lo, hi) ? 1 : 0;
  }
  return empty == 0 ? 0 : double(maybe) / empty;
}

TEST(TamisRange, RatesOfKeyFamiliesAreWithinTheirBoundsAndEstimated) {
  for (const Family& family : kFamilies) {
    Filled filled(family, 40'000, "range:8");
    const double rate = RateOf(family, &filled);
    EXPECT_LE(rate, family.rate * 1.12) << family.name;
    const FilterInfo info = filled.reader->Describe();
    EXPECT_NEAR(rate, info.rate, 0.006 + 0.3 * info.rate) << family.name;
    const double bits = 8.0 * static_cast<double>(filled.bytes.size()) /
                        static_cast<double>(filled.keys.size());
    EXPECT_LE(bits, 8.05) << family.name;
  }
}

TEST(TamisRange, NoRangeAroundAKeyIsRuledOut) {
  for (const Family& family : kFamilies) {
    Filled filled(family, 5000, "range:9.5");
    for (const std::string& key : filled.keys) {
      ASSERT_TRUE(filled.reader->MayContain(key)) << family.name;
      std::string lo = family.key(&filled.random);
      std::string hi = family.key(&filled.random);
      if (key < lo) lo = key.substr(0, filled.random() % (key.size() + 1));
      if (hi < key) hi = key + lo;
      ASSERT_TRUE(filled.reader->MayContainRange(lo, hi)) << family.name;
    }
  }
}

TEST(TamisRange, UnsortedAndRepeatedKeysGiveTheSameBytes) {
  Filled filled(kFamilies[4], 3000, "range:8");
  std::vector<std::string> mixed = filled.keys;
  mixed.insert(mixed.end(), filled.keys.begin(), filled.keys.begin() + 500);
  std::shuffle(mixed.begin(), mixed.end(), filled.random);
  EXPECT_EQ(testing::Build(*filled.policy, mixed), filled.bytes);
}

TEST(TamisRange, EndsInTheWrongOrderAreMaybe) {
  Filled filled(kFamilies[0], 100, "range:8");
  EXPECT_TRUE(filled.reader->MayContainRange("b", "a"));
}

TEST(TamisRange, WithoutKeysEveryRangeIsRuledOut) {
  const auto policy = PolicyOf("range:8");
  const std::string bytes = testing::Build(*policy, {});
  const auto reader = policy->Open(bytes);
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader->MayContainRange("", std::string(20, '\xff')));
  EXPECT_FALSE(reader->MayContain(""));
}

TEST(TamisRange, KeysThatDoNotSuitItAreRefusedAndNothingIsWritten) {
  // Each key differs from its neighbour only after what a code can tell.
  Random random(7);
  std::vector<std::string> keys;
  for (int i = 0; i < 2000; ++i) {
    std::string key(60, '\0');
    for (char& c : key) c = static_cast<char>(random());
    keys.push_back(key + "a");
    keys.push_back(key + "b");
  }
  const auto builder = PolicyOf("range:8")->NewBuilder();
  for (const std::string& key : keys) builder->Add(key);
  std::string bytes = "before";
  const Status status = builder->Finish(&bytes);
  EXPECT_EQ(status.code(), StatusCode::kNotSupported);
  EXPECT_NE(status.message().find("% of the ranges"), std::string::npos);
  EXPECT_EQ(bytes, "before");
}

TEST(TamisRange, KeysBeyondTheMemoryLimitAreAStatus) {
  BuildOptions options;
  options.memory_bytes = 10'000;
  const auto builder = PolicyOf("range:8")->NewBuilder(options);
  for (int i = 0; i < 1000; ++i) builder->Add(std::to_string(i));
  std::string bytes;
  EXPECT_EQ(builder->Finish(&bytes).code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(bytes.empty());
}

TEST(TamisRange, OtherSizesAreRefused) {
  for (const char* spec : {"range:2.9", "range:33", "range:fpr=0.01",
                           "range:m=100,k=1", "range:8,k=2"}) {
    EXPECT_FALSE(MakePolicy(spec).ok()) << spec;
  }
}

// Changes any byte of the payload and makes the checksums right again.
TEST(TamisRange, SealedDamageOpensOrNotAndIsNeverReadOutside) {
  Filled filled(kFamilies[7], 600, "range:8");
  for (std::size_t at = 32; at < filled.bytes.size(); ++at) {
    if (at >= 48 && at < kTamisHeaderBytes) continue;  // length and checksums
    std::string changed = filled.bytes;
    changed[at] = static_cast<char>(
        changed[at] ^ static_cast<int>(1 + filled.random() % 255));
    const auto contents = ParseTamis(filled.bytes);
    TamisHeader header = contents->header;
    header.size_parameter = LoadLittle64(changed.data() + 32);
    header.parameter_a = LoadLittle32(changed.data() + 40);
    header.parameter_b = LoadLittle32(changed.data() + 44);
    SealTamis(changed, header);
    const testing::ExactBytes exact(changed);
    const auto reader = filled.policy->Open(exact);
    if (!reader.ok()) continue;
    for (int i = 0; i < 20; ++i) {
      const std::string key = kFamilies[7].key(&filled.random);
      (void)reader->MayContainRange(key, key + "z");
      (void)reader->MayContainRange("", key);
    }
  }
}

TEST(TamisRange, ReadsWhatTheReferenceWriterWrites) {
  const auto golden = testing::LoadGolden("tamis_range.json");
  ASSERT_FALSE(golden.is_null());
  for (const auto& filter : golden["filters"]) {
    const std::string bytes = testing::HexBytes(filter["bytes"]);
    const auto reader = PolicyOf("range:8")->Open(bytes);
    ASSERT_TRUE(reader.ok()) << filter["name"];
    for (const auto& query : filter["queries"]) {
      EXPECT_EQ(reader->MayContainRange(testing::HexBytes(query["lo"]),
                                        testing::HexBytes(query["hi"])),
                query["maybe"].get<bool>())
          << filter["name"] << query;
    }
  }
}

}  // namespace
}  // namespace tamis
