// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "formats/rocksdb/bloom.h"
#include "hash/rocksdb_hash32.h"
#include "hash/xxph3.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::ExactBytes;
using testing::PolicyOf;
using testing::ToHex;

constexpr std::size_t kTrailer = 5;

// bits_per_key as MakePolicy() takes it: JSON's own text.
std::string SpecOf(const char* name, const nlohmann::json& row) {
  return std::string(name) + ":" + row["bits_per_key"].dump();
}

TEST(RocksDbBloom, WritesTheBytesRocksDbWrites) {
  const nlohmann::json golden = testing::LoadGolden("rocksdb.json");
  ASSERT_GE(golden["fast_local_bloom"].size(), 11u);
  for (const auto& row : golden["fast_local_bloom"]) {
    const std::string spec = SpecOf("rocksdb", row);
    const auto policy = PolicyOf(spec);
    const auto keys = testing::KeysFromHex(row["keys"]);
    const std::string filter = testing::Build(*policy, keys);
    EXPECT_EQ(ToHex(filter), row["filter"].get<std::string>()) << spec;
    const FilterInfo info = (*policy->Open(filter))->Describe();
    EXPECT_EQ(info.kind, "bloom");
    EXPECT_EQ(info.format, "rocksdb");
    EXPECT_EQ(info.probes, row["probes"].get<unsigned>()) << spec;
  }
}

TEST(RocksDbLegacyBloom, WritesTheBytesRocksDbWrites) {
  const nlohmann::json golden = testing::LoadGolden("rocksdb.json");
  ASSERT_GE(golden["legacy_bloom"].size(), 7u);
  for (const auto& row : golden["legacy_bloom"]) {
    const std::string spec = SpecOf("rocksdb-legacy", row);
    const auto policy = PolicyOf(spec);
    const auto keys = testing::KeysFromHex(row["keys"]);
    const std::string filter = testing::Build(*policy, keys);
    EXPECT_EQ(ToHex(filter), row["filter"].get<std::string>()) << spec;
    const FilterInfo info = (*policy->Open(filter))->Describe();
    EXPECT_EQ(info.kind, "bloom");
    EXPECT_EQ(info.format, "rocksdb-legacy");
  }
}

// RocksDB answers "absent" to whatever has at most 5 bytes.  We do so only to
// no bytes at all: one to five may be all that is left of a filter.  A trailer
// alone, which is what RocksDB writes for no keys, says "maybe".
TEST(RocksDbFilter, AnswersAsRocksDbButForOneToFiveBytes) {
  const nlohmann::json golden = testing::LoadGolden("rocksdb.json");
  ASSERT_GE(golden["reader"].size(), 217u);
  unsigned refused = 0;
  unsigned doubted = 0;
  for (const char* spec : {"rocksdb", "rocksdb-legacy", "rocksdb-ribbon"}) {
    const auto policy = PolicyOf(spec);
    for (const auto& row : golden["reader"]) {
      const std::string filter = testing::HexBytes(row["filter"]);
      const std::string key = testing::HexBytes(row["key"]);
      SCOPED_TRACE(ToHex(filter) + " asked for " + ToHex(key));
      const auto reader = policy->Open(filter);
      if (!filter.empty() && filter.size() <= kTrailer) {
        EXPECT_FALSE(row["match"].get<bool>());
        if (reader.ok()) {
          EXPECT_EQ(filter.size(), kTrailer);
          EXPECT_TRUE(reader->MayContain(key));
          ++doubted;
        } else {
          EXPECT_EQ(reader.status().code(), StatusCode::kCorruption);
          ++refused;
        }
        continue;
      }
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();
      EXPECT_EQ(reader->MayContain(key), row["match"].get<bool>());
    }
  }
  EXPECT_EQ(refused + doubted, 3 * 21u);
  EXPECT_GT(refused, 0u);
  EXPECT_GT(doubted, 0u);
}

// RocksDB reads beyond the end of these.
TEST(RocksDbBloom, LessThanALineIsRefused) {
  const auto policy = PolicyOf("rocksdb");
  for (std::size_t size = 1; size < 64; ++size) {
    const ExactBytes bytes(std::string(size, '\xff') +
                           std::string("\xff\0\6\0\0", kTrailer));
    const auto reader = policy->Open(bytes);
    ASSERT_FALSE(reader.ok()) << size;
    EXPECT_EQ(reader.status().code(), StatusCode::kCorruption);
  }
}

// Deterministic bytes with about three bits of four set, so that filters of
// many probes answer both ways.
std::string DenseBytes(std::size_t size, std::uint64_t seed) {
  std::string bytes;
  std::uint64_t x = seed * 2 + 1;
  while (bytes.size() < size) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t y = x >> 32;
    bytes.push_back(static_cast<char>((y >> 16) | (y & 0xff)));
  }
  return bytes;
}

bool HasBit(Slice bytes, std::uint64_t position) {
  return (static_cast<unsigned char>(bytes[position / 8]) >> (position % 8) &
          1) != 0;
}

// What the page of the format says, in its own words.
bool FastLocalBloomSays(Slice data, unsigned probes, Slice key) {
  const std::uint64_t hash = Xxph3(key);
  const std::uint64_t lines = data.size() / 64;
  const std::uint64_t line = ((hash & 0xffffffff) * lines) >> 32;
  auto g = static_cast<std::uint32_t>(hash >> 32);
  for (unsigned i = 0; i < probes; ++i) {
    if (!HasBit(data, line * 512 + (g >> 23))) return false;
    g *= 0x9e3779b9;
  }
  return true;
}

bool LegacyBloomSays(Slice data, unsigned probes, std::uint32_t lines,
                     Slice key) {
  const std::uint64_t line_bits = data.size() / lines * 8;
  std::uint32_t h = RocksDbHash32(key, 0xbc9f1d34);
  const std::uint64_t line = h % lines;
  const std::uint32_t delta = std::rotr(h, 17);
  for (unsigned i = 0; i < probes; ++i) {
    if (!HasBit(data, line * line_bits + h % line_bits)) return false;
    h += delta;
  }
  return true;
}

// How many of some keys `reader` answers "maybe" to, each as `says` does, one
// by one and in a batch.
template <typename Says>
unsigned CountAsTold(const FilterReader& reader, const Says& says) {
  const auto keys = testing::NumberedKeys("key-", 400);
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const std::unique_ptr<bool[]> many(new bool[keys.size()]);
  reader.MayContainMany(slices, {many.get(), keys.size()});
  unsigned maybe = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool told = says(keys[i]);
    EXPECT_EQ(reader.MayContain(keys[i]), told) << keys[i];
    EXPECT_EQ(many[i], told) << keys[i];
    if (told) ++maybe;
  }
  return maybe;
}

TEST(RocksDbBloom, ReadsEveryNumberOfProbesAndIgnoresARemainder) {
  const auto policy = PolicyOf("rocksdb");
  for (unsigned probes = 1; probes <= 30; ++probes) {
    for (std::size_t remainder : {0u, 1u, 63u}) {
      const std::string data =
          DenseBytes(64 * (1 + probes % 5) + remainder, probes);
      std::string filter = data + std::string("\xff\0\0\0\0", kTrailer);
      filter[data.size() + 2] = static_cast<char>(probes);
      const ExactBytes bytes(filter);
      const auto reader = policy->Open(bytes);
      ASSERT_TRUE(reader.ok());
      SCOPED_TRACE(probes);
      const unsigned maybe = CountAsTold(**reader, [&](Slice key) {
        return FastLocalBloomSays(data, probes, key);
      });
      EXPECT_LT(maybe, 400u);
      EXPECT_TRUE(probes >= 10 || maybe > 0);
    }
  }
}

TEST(RocksDbLegacyBloom, ReadsEveryNumberOfProbesAndEveryLineSize) {
  const auto policy = PolicyOf("rocksdb");
  for (unsigned probes = 1; probes <= 127; ++probes) {
    const std::uint32_t lines = 1 + probes % 6;
    const std::size_t line_bytes = std::size_t{1} << (probes % 9);
    const std::string data = DenseBytes(lines * line_bytes, probes);
    std::string filter = data + std::string(kTrailer, '\0');
    filter[data.size()] = static_cast<char>(probes);
    StoreLittle(filter.data() + data.size() + 1, lines);
    const ExactBytes bytes(filter);
    const auto reader = policy->Open(bytes);
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ(reader->Describe().always_maybe, "");
    SCOPED_TRACE(probes);
    CountAsTold(**reader, [&](Slice key) {
      return LegacyBloomSays(data, probes, lines, key);
    });
  }
}

// A legacy filter written where cache lines have 128 bytes, as some CPUs'.
std::string LegacyOf(const std::vector<std::string>& keys, std::uint32_t lines,
                     std::size_t line_bytes) {
  std::string filter(lines * line_bytes + kTrailer, '\0');
  for (const std::string& key : keys) {
    std::uint32_t h = RocksDbHash32(key, 0xbc9f1d34);
    const std::size_t line = h % lines * line_bytes;
    const std::uint32_t delta = std::rotr(h, 17);
    for (unsigned i = 0; i < 6; ++i, h += delta) {
      const std::size_t bit = h % (8 * line_bytes);
      char& byte = filter[line + bit / 8];
      byte = static_cast<char>(byte | 1 << bit % 8);
    }
  }
  filter[filter.size() - kTrailer] = 6;
  StoreLittle(filter.data() + filter.size() - 4, lines);
  return filter;
}

TEST(RocksDbLegacyBloom, AMergedFilterKeepsItsLineSize) {
  const auto policy = PolicyOf("rocksdb-legacy");
  const auto a = testing::NumberedKeys("a-", 40);
  const auto b = testing::NumberedKeys("b-", 40);
  for (std::size_t line_bytes : {32u, 64u, 128u, 256u}) {
    const std::string one = LegacyOf(a, 3, line_bytes);
    const std::string two = LegacyOf(b, 3, line_bytes);
    const std::vector<Slice> both = {one, two};
    std::string merged;
    ASSERT_TRUE(policy->Combine(both, SetOperation::kUnion, &merged).ok());
    const auto reader = policy->Open(merged);
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ(reader->Describe().always_maybe, "") << line_bytes;
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_TRUE(reader->MayContain(a[i])) << line_bytes;
      ASSERT_TRUE(reader->MayContain(b[i])) << line_bytes;
    }
  }
}

TEST(RocksDbLegacyBloom, DifferentLineSizesAreNotMerged) {
  // Equal in length and probes.
  const std::string one = LegacyOf({"a"}, 2, 64);
  const std::string two = LegacyOf({"b"}, 1, 128);
  const std::vector<Slice> both = {one, two};
  std::string merged;
  EXPECT_EQ(PolicyOf("rocksdb-legacy")
                ->Combine(both, SetOperation::kUnion, &merged)
                .code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(merged, "");
}

// The trailer tells the kind, not the policy's text.
TEST(RocksDbFilter, EveryPolicyReadsEveryKind) {
  const auto keys = testing::NumberedKeys("key-", 2000);
  struct Case {
    const char* builder;
    const char* kind;
  };
  for (const Case& c :
       {Case{"rocksdb:10", "bloom"}, Case{"rocksdb-legacy:10", "bloom"},
        Case{"rocksdb-ribbon:10", "ribbon"}}) {
    const std::string filter = testing::Build(*PolicyOf(c.builder), keys);
    for (const char* spec : {"rocksdb", "rocksdb-legacy", "rocksdb-ribbon"}) {
      const auto policy = PolicyOf(spec);
      EXPECT_EQ(policy->name(), "rocksdb.BuiltinBloomFilter");
      const auto reader = policy->Open(filter);
      ASSERT_TRUE(reader.ok());
      EXPECT_EQ(reader->Describe().kind, c.kind);
      unsigned absent = 0;
      for (const std::string& key : keys) {
        ASSERT_TRUE(reader->MayContain(key)) << c.builder;
        if (!reader->MayContain("no " + key)) ++absent;
      }
      EXPECT_GT(absent, 1900u) << c.builder;
    }
  }
}

TEST(RocksDbFilter, ReservedTrailersRuleNothingOut) {
  const auto policy = PolicyOf("rocksdb");
  std::string filter(64, '\0');
  filter.append("\xff\0\6\0\0", kTrailer);
  char* trailer = filter.data() + 64;
  for (unsigned first = 0; first < 256; ++first) {
    if (first == 0xfe) continue;  // a Ribbon, see rocksdb_ribbon_test.cc
    trailer[0] = static_cast<char>(first);
    const auto reader = policy->Open(filter);
    ASSERT_TRUE(reader.ok()) << first;
    // As legacy Bloom it has 0x600 lines in 64 bytes, so those rule nothing
    // out, either.
    EXPECT_EQ(reader->MayContain("key"), first != 0xff) << first;
    EXPECT_EQ(reader->Describe().always_maybe.empty(), first == 0xff) << first;
  }
  trailer[0] = '\xff';
  for (std::size_t at = 1; at < kTrailer; ++at) {
    const char before = trailer[at];
    for (unsigned value = 0; value < 256; ++value) {
      trailer[at] = static_cast<char>(value);
      const auto reader = policy->Open(filter);
      ASSERT_TRUE(reader.ok());
      const bool answers = at == 2 ? value >= 1 && value <= 30 : value == 0;
      EXPECT_EQ(reader->MayContain("key"), !answers) << at << " " << value;
    }
    trailer[at] = before;
  }
}

TEST(RocksDbFilter, NoKeysAreNoLines) {
  for (const char* spec : {"rocksdb:10", "rocksdb-legacy:10"}) {
    const auto policy = PolicyOf(spec);
    const std::string filter = testing::Build(*policy, {});
    EXPECT_EQ(filter.size(), kTrailer) << spec;
    // Five bytes cannot be believed, see above: RocksDB rules all keys out.
    const auto reader = policy->Open(filter);
    ASSERT_TRUE(reader.ok()) << spec;
    EXPECT_TRUE(reader->MayContain("key")) << spec;
    EXPECT_FALSE(reader->Describe().always_maybe.empty()) << spec;
  }
  EXPECT_EQ(testing::Build(*PolicyOf("rocksdb-ribbon:10"), {}), "");
  for (const char* spec : {"rocksdb", "rocksdb-legacy", "rocksdb-ribbon"}) {
    const auto reader = PolicyOf(spec)->Open("");
    ASSERT_TRUE(reader.ok()) << spec;
    EXPECT_FALSE(reader->MayContain("key")) << spec;
    EXPECT_EQ(reader->Describe().kind, "empty") << spec;
  }
}

TEST(RocksDbFilter, RefusesWhatRocksDbHasNot) {
  for (const char* spec :
       {"rocksdb:0.4", "rocksdb-legacy:0.4", "rocksdb-ribbon:0.4",
        "rocksdb:10,k=31", "rocksdb-legacy:10,k=128", "rocksdb:10,seed=1",
        "rocksdb-ribbon:10,k=5", "rocksdb-ribbon:m=1000,k=5",
        "rocksdb:fpr=1e-30", "rocksdb-ribbon:fpr=1e-30"}) {
    const auto policy = MakePolicy(spec);
    ASSERT_FALSE(policy.ok()) << spec;
    EXPECT_EQ(policy.status().code(), StatusCode::kInvalidArgument) << spec;
  }
  // 4 GiB less 64 bytes are the most; by keys, RocksDB stops there.
  const std::uint64_t most_bits = 0xffffffc0ull * 8;
  const auto largest =
      PolicyOf("rocksdb:m=" + std::to_string(most_bits) + ",k=6");
  EXPECT_TRUE(largest->Predict(1).status.ok());
  const auto beyond =
      PolicyOf("rocksdb:m=" + std::to_string(most_bits + 1) + ",k=6");
  EXPECT_FALSE(beyond->Predict(1).status.ok());
  EXPECT_EQ(PolicyOf("rocksdb:10")->Predict(std::uint64_t{1} << 40).bits,
            most_bits);
}

}  // namespace
}  // namespace tamis
