// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "formats/tamis/container.h"
#include "formats/tamis/fuse.h"
#include "formats/tamis/fuse_payload.h"
#include "hash/xxhash.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"
#include "tests/support/rates.h"

namespace tamis {
namespace {

using testing::Build;
using testing::NumberedKeys;
using testing::ToHex;

constexpr FuseSettings kAllSettings[] = {{8, 3}, {16, 3}, {32, 3},
                                         {8, 4}, {16, 4}, {32, 4}};

std::unique_ptr<const FilterPolicy> Fuse(const FuseSettings& settings,
                                         std::uint64_t seed = 0) {
  return *NewTamisFusePolicy(settings, seed);
}

// The container around `payload`, right in every checksum.
std::string Sealed(const std::string& payload, const FuseSettings& settings,
                   std::uint64_t parts, std::uint64_t keys) {
  std::string whole(kTamisHeaderBytes, '\0');
  whole += payload;
  TamisHeader header;
  header.kind = static_cast<std::uint16_t>(TamisKind::kFuse);
  header.hash = static_cast<std::uint16_t>(TamisHash::kXxh3);
  header.keys = keys;
  header.size_parameter = parts;
  header.parameter_a = settings.cell_bits;
  header.parameter_b = settings.arity;
  SealTamis(whole, header);
  return whole;
}

// A filter with parts of another size than a builder makes.
std::string BuildParts(const std::vector<std::string>& keys,
                       const FuseBuild& build, unsigned threads = 1) {
  KeyHashSetOptions options;
  options.threads = threads;
  KeyHashSet hashes(options);
  for (const std::string& key : keys) hashes.Push(Xxh3(key, 0));
  EXPECT_TRUE(hashes.Seal().ok());
  std::string payload;
  EXPECT_TRUE(AppendFusePayload(&hashes, build, &payload).ok());
  return Sealed(payload, build.settings,
                FuseParts(hashes.size(), build.part_keys), hashes.size());
}

std::uint64_t CountMaybe(const FilterReader& reader,
                         const std::vector<std::string>& keys) {
  return static_cast<std::uint64_t>(std::count_if(
      keys.begin(), keys.end(),
      [&](const std::string& key) { return reader.MayContain(key); }));
}

std::vector<std::string> KeysOf(const nlohmann::json& row) {
  if (row.contains("numbered")) return NumberedKeys("k", row["numbered"]);
  return testing::KeysFromHex(row["keys"]);
}

// Computed from docs/formats/tamis-fuse.md by tamis_fuse_reference.py,
// without this library.
TEST(TamisFuse, WritesTheFrozenBytes) {
  const nlohmann::json golden = testing::LoadGolden("tamis_fuse.json");
  ASSERT_GE(golden["vectors"].size(), 42u);
  for (const auto& row : golden["vectors"]) {
    SCOPED_TRACE(row["why"].get<std::string>());
    const auto policy =
        Fuse({row["cell_bits"], row["arity"]},
             testing::HexNumber(row["seed"].get<std::string>()));
    const auto keys = KeysOf(row);
    const std::string filter = Build(*policy, keys);
    EXPECT_EQ(ToHex(filter), row["filter"].get<std::string>());
    const auto reader = policy->Open(filter);
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ(CountMaybe(**reader, keys), keys.size());
  }
}

TEST(TamisFuse, OpensAnswersOrRefusesAsItsPageSays) {
  const nlohmann::json golden = testing::LoadGolden("tamis_fuse.json");
  ASSERT_GE(golden["reader"].size(), 77u);
  const auto policy = Fuse({});
  for (const auto& row : golden["reader"]) {
    SCOPED_TRACE(row["why"].get<std::string>());
    const std::string filter = testing::HexBytes(row["filter"]);
    const auto reader = policy->Open(filter);
    if (row["opens"] == "corruption") {
      ASSERT_FALSE(reader.ok());
      EXPECT_EQ(reader.status().code(), StatusCode::kCorruption);
      continue;
    }
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    const auto keys = testing::KeysFromHex(row["keys"]);
    EXPECT_EQ(CountMaybe(**reader, keys), keys.size());
    EXPECT_EQ(CountMaybe(**reader, testing::KeysFromHex(row["absent"])), 0u);
    const bool maybe = row["opens"] == "maybe";
    EXPECT_EQ(reader->Describe().always_maybe.empty(), !maybe);
    EXPECT_TRUE(!maybe || reader->MayContain("a stranger"));
  }
}

// As docs/formats/tamis-fuse.md shows it.
TEST(TamisFuse, WritesTheExampleOfItsPage) {
  const std::string page = testing::ReadFile(
      std::filesystem::path(TAMIS_SOURCE_DIR) / "docs/formats/tamis-fuse.md");
  std::string dump;
  const std::string whole = Build(*Fuse({}), {"apple", "banana", "cherry"});
  for (std::size_t at = 0; at < whole.size(); at += 16) {
    std::string line;
    for (std::size_t i = at; i < std::min(at + 16, whole.size()); ++i) {
      line += (i == at ? "" : i % 8 == 0 ? "  " : " ") + ToHex({&whole[i], 1});
    }
    EXPECT_NE(
        page.find(ToHex(std::string(1, static_cast<char>(at))) + "  " + line),
        std::string::npos)
        << at << ": " << line;
  }
}

// Every size class, cells and arity; one by one and in batches; at an odd
// address.
TEST(TamisFuse, NeverForgetsAKey) {
  for (const FuseSettings& settings : kAllSettings) {
    const auto policy = Fuse(settings, 5);
    for (std::uint64_t n = 1; n < 40'000; n = n * 5 / 2 + 1) {
      const auto keys = NumberedKeys("key-", n);
      const std::string filter = "x" + Build(*policy, keys);
      const auto reader = policy->Open(Slice(filter).substr(1));
      ASSERT_TRUE(reader.ok());
      ASSERT_EQ(CountMaybe(**reader, keys), n);
      const std::vector<Slice> slices(keys.begin(), keys.end());
      const std::unique_ptr<bool[]> out(new bool[n]());
      reader->MayContainMany(slices, {out.get(), n});
      ASSERT_EQ(std::count(out.get(), out.get() + n, true),
                static_cast<std::ptrdiff_t>(n));
    }
  }
}

TEST(TamisFuse, BatchesAnswerLikeSingleQuestions) {
  const auto keys = NumberedKeys("key-", 3000);
  const auto asked = NumberedKeys("key-", 6000);
  const std::vector<Slice> slices(asked.begin(), asked.end());
  FuseBuild build;
  build.part_keys = 200;
  build.most_attempts = 1;  // cells and lists
  const std::string filter = BuildParts(keys, build);
  const auto reader = Fuse({})->Open(filter);
  ASSERT_TRUE(reader.ok());
  const std::unique_ptr<bool[]> out(new bool[slices.size()]());
  for (const std::size_t size :
       {0u, 1u, 31u, 32u, 33u, 64u, 65u, 500u, 6000u}) {
    reader->MayContainMany(std::span(slices).first(size), {out.get(), size});
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(out[i], reader->MayContain(slices[i])) << i;
    }
  }
}

TEST(TamisFuse, BytesDependOnTheSetOfKeysOnly) {
  const auto policy = Fuse({16, 4}, 3);
  auto keys = NumberedKeys("key-", 2000);
  const std::string filter = Build(*policy, keys);
  std::reverse(keys.begin(), keys.end());
  for (std::size_t i = 500; i < 900; ++i) keys.push_back(std::string(keys[i]));
  EXPECT_EQ(ToHex(Build(*policy, keys)), ToHex(filter));

  BuildOptions options;
  options.threads = 3;
  options.memory_bytes = 1;
  const auto builder = policy->NewBuilder(options);
  const std::vector<Slice> slices(keys.begin(), keys.end());
  builder->AddMany(slices);
  std::string out = "before";
  ASSERT_TRUE(builder->Finish(&out).ok());
  EXPECT_EQ(ToHex(out), ToHex("before" + filter));
}

TEST(TamisFuseThreads, AnyNumberOfThreadsWritesTheSameParts) {
  const auto keys = NumberedKeys("key-", 30'000);
  for (const unsigned most_attempts : {kMaxFuseAttempts, 1u}) {
    FuseBuild build;
    build.part_keys = 500;
    build.most_attempts = most_attempts;
    std::vector<double> done;
    build.progress = [&done](double part) { done.push_back(part); };
    const std::string filter = BuildParts(keys, build);
    EXPECT_EQ(done.size(), 60u);
    EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
    EXPECT_DOUBLE_EQ(done.back(), 1.0);
    EXPECT_TRUE(BuildParts(keys, build, 2) == filter);
    EXPECT_TRUE(BuildParts(keys, build, 5) == filter);
    const auto reader = Fuse({})->Open(filter);
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ(CountMaybe(**reader, keys), keys.size());
  }
}

// Where no seed does, hashes are listed: nothing is lost, and nobody is
// mistaken for a key.
TEST(TamisFuse, PartsWithoutASolutionBecomeLists) {
  const auto keys = NumberedKeys("key-", 1000);
  const auto strangers = NumberedKeys("absent-", 20'000);
  for (const FuseSettings& settings : kAllSettings) {
    for (const std::uint64_t part_keys : {3u, 100u, 5000u}) {
      FuseBuild build;
      build.settings = settings;
      build.part_keys = part_keys;
      build.most_attempts = 0;
      const std::string filter = BuildParts(keys, build);
      const auto reader = Fuse({})->Open(filter);
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();
      EXPECT_EQ(CountMaybe(**reader, keys), keys.size());
      EXPECT_EQ(CountMaybe(**reader, strangers), 0u);
      EXPECT_EQ(reader->Describe().rate, 0.0);
      EXPECT_EQ(reader->Describe().bits, 64'000u);
    }
  }
}

// `count` keys, `in_lower_half` of them with a hash below 2^63.
std::vector<std::string> SkewedKeys(std::uint64_t count,
                                    std::uint64_t in_lower_half) {
  std::uint64_t room[] = {in_lower_half, count - in_lower_half};
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; keys.size() < count; ++i) {
    const std::string key = "key-" + std::to_string(i);
    std::uint64_t& left = room[Xxh3(key, 0) >> 63];
    if (left == 0) continue;
    --left;
    keys.push_back(key);
  }
  return keys;
}

// Two parts that were planned alike, but one has more keys than its array can
// be solved for, or more than it has cells.
TEST(TamisFuse, PartsThatOutgrowTheirPlaceAreMoved) {
  for (const FuseSettings& settings : kAllSettings) {
    for (const std::uint64_t crowd : {1300u, 1900u}) {
      for (const std::uint64_t in_lower_half : {crowd, 2000 - crowd}) {
        const auto keys = SkewedKeys(2000, in_lower_half);
        FuseBuild build;
        build.settings = settings;
        build.part_keys = 1000;
        const std::string filter = BuildParts(keys, build);
        const FuseShape planned = FusePartShape(2000, 2, settings.arity);
        EXPECT_GT(
            filter.size() - kTamisHeaderBytes - 2 * kFuseEntryBytes,
            2 * FuseCells(planned, settings.arity) * (settings.cell_bits / 8));
        const auto reader = Fuse({})->Open(filter);
        ASSERT_TRUE(reader.ok()) << reader.status().ToString();
        EXPECT_EQ(CountMaybe(**reader, keys), keys.size());
        EXPECT_LT(CountMaybe(**reader, NumberedKeys("absent-", 20'000)), 140u);
        const double lists = crowd == 1900 ? 0.5 : 0;
        EXPECT_DOUBLE_EQ(reader->Describe().rate,
                         FuseRate(settings.cell_bits) * (1 - lists));
      }
    }
  }
}

TEST(TamisFuse, NoKeysAreSaidSo) {
  for (const FuseSettings& settings : kAllSettings) {
    const auto policy = Fuse(settings);
    const std::string filter = Build(*policy, {});
    EXPECT_EQ(filter.size(), kTamisHeaderBytes);
    const auto reader = policy->Open(filter);
    ASSERT_TRUE(reader.ok());
    EXPECT_FALSE(reader->MayContain("key"));
    EXPECT_EQ(reader->Describe().keys, 0u);
    EXPECT_EQ(policy->Predict(0).bytes, filter.size());
    EXPECT_EQ(policy->Predict(0).false_positive_rate, 0.0);
  }
}

TEST(TamisFuse, EveryFlippedBitAndEveryCutIsNoticed) {
  const auto policy = Fuse({});
  for (const std::uint64_t n : {0u, 1u, 3u, 100u}) {
    const std::string whole = Build(*policy, NumberedKeys("key-", n));
    std::string damaged = whole;
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      char& byte = damaged[bit / 8];
      byte = static_cast<char>(byte ^ (1 << (bit % 8)));
      const auto reader = policy->Open(damaged);
      ASSERT_FALSE(reader.ok()) << bit;
      ASSERT_EQ(reader.status().code(), StatusCode::kCorruption);
      byte = whole[bit / 8];
    }
    for (std::size_t size = 0; size < whole.size(); ++size) {
      // A copy of the exact size, so that sanitizers see a read beyond it.
      ASSERT_FALSE(policy->Open(std::string(whole.data(), size)).ok()) << size;
    }
    ASSERT_FALSE(policy->Open(whole + '\0').ok());
  }
}

// With checksums that are right, so that the checks of the directory decide.
// A part's seed can be any; it is left alone here.
TEST(TamisFuse, ADirectoryThatLiesNeverHidesAKey) {
  const auto keys = NumberedKeys("key-", 60);
  for (const FuseSettings& settings : kAllSettings) {
    FuseBuild build;
    build.settings = settings;
    build.part_keys = 20;
    for (build.most_attempts = 0; build.most_attempts < 2;
         ++build.most_attempts) {
      std::string payload = BuildParts(keys, build).substr(kTamisHeaderBytes);
      for (std::size_t bit = 0; bit < 3 * kFuseEntryBytes * 8; ++bit) {
        const bool is_seed = bit / 8 % kFuseEntryBytes < 8;
        if (is_seed && build.most_attempts != 0) continue;
        payload[bit / 8] = static_cast<char>(payload[bit / 8] ^ 1 << bit % 8);
        const std::string filter = Sealed(payload, settings, 3, keys.size());
        const auto reader = Fuse({})->Open(filter);
        EXPECT_TRUE(!reader.ok() || !reader->Describe().always_maybe.empty())
            << bit;
        payload[bit / 8] = static_cast<char>(payload[bit / 8] ^ 1 << bit % 8);
      }
      for (const std::uint64_t parts : {0u, 1u, 2u, 4u}) {
        EXPECT_FALSE(Fuse({})->Open(Sealed(payload, settings, parts, 60)).ok());
      }
    }
  }
}

TEST(TamisFuse, PredictsItsSize) {
  for (const FuseSettings& settings : kAllSettings) {
    const auto policy = Fuse(settings);
    for (std::uint64_t n = 1; n < 30'000; n = n * 3 + 1) {
      const std::string filter = Build(*policy, NumberedKeys("key-", n));
      EXPECT_EQ(policy->Predict(n).bytes, filter.size()) << n;
      EXPECT_EQ(policy->Predict(n).bits,
                8 * (filter.size() - kTamisHeaderBytes - kFuseEntryBytes));
    }
    EXPECT_EQ(policy->RateAt(10, 1000),
              policy->Predict(10).false_positive_rate);
    EXPECT_TRUE(policy->Predict(std::uint64_t{1} << 56).status.ok());
    EXPECT_EQ(policy->Predict(~std::uint64_t{0}).status.code(),
              StatusCode::kInvalidArgument);
  }
}

TEST(TamisFuseRates, ErrsAsOftenAsPredicted) {
  for (const unsigned arity : {3u, 4u}) {
    for (const std::uint64_t n : {10u, 1000u, 50'000u}) {
      const auto measured = testing::Measure(*Fuse({8, arity}), n,
                                             testing::ScrambledKey, 1'000'000);
      EXPECT_TRUE(measured.Within(1, 1)) << measured.ToString();
    }
    const auto measured = testing::Measure(*Fuse({16, arity}), 1000,
                                           testing::SequentialKey, 4'000'000);
    EXPECT_TRUE(measured.Within(1, 1)) << measured.ToString();
  }
}

TEST(TamisFuse, TellsWhatItsBytesSay) {
  const auto keys = NumberedKeys("key-", 5000);
  const auto policy = Fuse({16, 4}, 77);
  const std::string filter = Build(*policy, keys);
  const FilterInfo info = (*policy->Open(filter))->Describe();
  EXPECT_EQ(info.format, "tamis");
  EXPECT_EQ(info.kind, "fuse16");
  EXPECT_EQ(info.hash, "xxh3");
  EXPECT_EQ(info.bits, policy->Predict(5000).bits);
  EXPECT_NEAR(static_cast<double>(info.set_bits),
              static_cast<double>(info.bits) * 0.5 / 1.26,
              static_cast<double>(info.bits) / 30);
  EXPECT_EQ(info.probes, 4u);
  EXPECT_DOUBLE_EQ(info.rate, 1.0 / 65536);
  EXPECT_EQ(info.keys, 5000u);
  EXPECT_EQ(info.seed, 77u);
  EXPECT_EQ(info.keys_by_fill, 0);
  EXPECT_TRUE(info.always_maybe.empty());
}

TEST(TamisFuse, TakesCellsThatReachARateAndRefusesOthers) {
  EXPECT_EQ(FuseCellBits(0.5), 8u);
  EXPECT_EQ(FuseCellBits(1.0 / 256), 8u);
  EXPECT_EQ(FuseCellBits(0.0039), 16u);
  EXPECT_EQ(FuseCellBits(1.0 / 65536), 16u);
  EXPECT_EQ(FuseCellBits(1e-9), 32u);
  EXPECT_EQ(FuseCellBits(1e-10), 0u);
  EXPECT_EQ(FuseCellBits(0), 0u);
  for (const FuseSettings settings : {FuseSettings{7, 3}, FuseSettings{0, 3},
                                      FuseSettings{8, 2}, FuseSettings{8, 5}}) {
    EXPECT_EQ(NewTamisFusePolicy(settings, 0).status().code(),
              StatusCode::kInvalidArgument);
  }
}

TEST(TamisFuseLarge, ManyPartsWithinLittleMemoryAreTheSame) {
  constexpr std::uint64_t kKeys = 15'000'000;
  const auto policy = Fuse({8, 3});
  const auto build = [&](const BuildOptions& options) {
    const auto builder = policy->NewBuilder(options);
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      char key[8];
      StoreLittle(key, i);
      builder->Add(Slice(key, sizeof(key)));
    }
    std::string out;
    EXPECT_TRUE(builder->Finish(&out).ok());
    return out;
  };
  const std::string filter = build({});
  EXPECT_LE(static_cast<double>(filter.size()), 1.13 * kKeys);
  BuildOptions little;
  little.memory_bytes = 64 << 20;
  little.threads = 2;
  EXPECT_TRUE(build(little) == filter);
  EXPECT_NEAR(testing::RateOfLarge(*policy, kKeys, 2'560'000), 1.0 / 256,
              5 * 100.0 / 2'560'000);
}

}  // namespace
}  // namespace tamis
