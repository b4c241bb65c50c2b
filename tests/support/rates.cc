// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rates.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"

namespace tamis::testing {
namespace {

std::string EightBytes(std::uint64_t value) {
  std::string key(8, '\0');
  StoreLittle(key.data(), value);
  return key;
}

// One round of a 64-bit permutation: distinct in, distinct out.
std::uint64_t Scramble(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
  return x ^ (x >> 32);
}

}  // namespace

std::string ScrambledKey(std::uint64_t i) { return EightBytes(Scramble(i)); }

std::string SequentialKey(std::uint64_t i) { return EightBytes(i); }

std::string DecimalKey(std::uint64_t i) { return std::to_string(i); }

std::string ShortKey(std::uint64_t i) {
  std::string key = EightBytes(i);
  const std::size_t last = key.find_last_not_of('\0');
  return key.substr(0, last == std::string::npos ? 1 : last + 1);
}

std::string MeasuredRate::ToString() const {
  char text[160];
  std::snprintf(text, sizeof(text),
                "measured %.6f, expected %.6f (ratio %.3f), %.1f deviations",
                rate, expected, rate / expected, (rate - expected) / deviation);
  return text;
}

double RateOfLarge(const FilterPolicy& policy, std::uint64_t n,
                   std::uint64_t strangers) {
  constexpr std::uint64_t kChunk = 1 << 16;
  std::vector<std::uint64_t> numbers(kChunk);
  std::vector<Slice> keys(kChunk);
  for (std::size_t i = 0; i < kChunk; ++i) {
    keys[i] = Slice(reinterpret_cast<const char*>(&numbers[i]), 8);
  }
  // Calls visit() with the keys [first, first + count), a chunk at a time.
  const auto in_chunks = [&](std::uint64_t first, std::uint64_t count,
                             const auto& visit) {
    for (std::uint64_t done = 0; done < count; done += kChunk) {
      const std::uint64_t size = std::min(kChunk, count - done);
      for (std::uint64_t i = 0; i < size; ++i) {
        StoreLittle(reinterpret_cast<char*>(&numbers[i]),
                    Scramble(first + done + i));
      }
      visit(std::span<const Slice>(keys.data(), size));
    }
  };
  std::string bytes;
  {
    const std::unique_ptr<FilterBuilder> builder = policy.NewBuilder();
    in_chunks(0, n, [&](auto some) { builder->AddMany(some); });
    EXPECT_TRUE(builder->Finish(&bytes).ok());
  }
  const auto reader = policy.Open(bytes);
  if (!reader.ok()) {
    ADD_FAILURE() << reader.status().ToString();
    return 1;
  }
  const std::unique_ptr<bool[]> out(new bool[kChunk]);
  const auto count_true = [&](std::span<const Slice> some) {
    reader->MayContainMany(some, {out.get(), some.size()});
    return static_cast<std::uint64_t>(
        std::count(out.get(), out.get() + some.size(), true));
  };
  std::uint64_t found = 0;
  in_chunks(0, n, [&](auto some) { found += count_true(some); });
  EXPECT_EQ(found, n) << "keys were forgotten";
  std::uint64_t hits = 0;
  in_chunks(n, strangers, [&](auto some) { hits += count_true(some); });
  return static_cast<double>(hits) / static_cast<double>(strangers);
}

MeasuredRate Measure(const FilterPolicy& policy, std::uint64_t n,
                     KeyMaker make_key, std::uint64_t strangers) {
  // Small filters differ much from one to the next: take many of them.
  const std::uint64_t filters =
      std::clamp<std::uint64_t>(100'000 / (n + 1), 1, 4000);
  const std::uint64_t asked = std::max<std::uint64_t>(strangers / filters, 100);
  std::uint64_t next_key = 0;
  std::uint64_t hits = 0;
  for (std::uint64_t f = 0; f < filters; ++f) {
    const std::unique_ptr<FilterBuilder> builder = policy.NewBuilder();
    for (std::uint64_t i = 0; i < n; ++i) builder->Add(make_key(next_key++));
    std::string bytes;
    EXPECT_TRUE(builder->Finish(&bytes).ok());
    const auto reader = policy.Open(bytes);
    if (!reader.ok()) {
      ADD_FAILURE() << reader.status().ToString();
      return {};
    }
    for (std::uint64_t i = 0; i < asked; ++i) {
      if (reader->MayContain(make_key(next_key++))) ++hits;
    }
  }
  const Estimate estimate = policy.Predict(n);
  MeasuredRate result;
  const double trials = static_cast<double>(asked * filters);
  result.rate = static_cast<double>(hits) / trials;
  result.expected = estimate.false_positive_rate;
  // The fill of m bits at half full deviates by 0.28 / sqrt(m); the rate,
  // being fill^k, by k / 0.5 times that, in relation.
  const double p = result.expected;
  const double by_filter = p * 0.56 * estimate.probes /
                           std::sqrt(static_cast<double>(estimate.bits));
  result.deviation =
      std::sqrt(p * (1 - p) / trials +
                by_filter * by_filter / static_cast<double>(filters));
  return result;
}

}  // namespace tamis::testing
