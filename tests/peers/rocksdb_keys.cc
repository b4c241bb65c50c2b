// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/rocksdb_keys.h"

#include <cstdio>
#include <memory>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace tamis::testing {
namespace {

std::string TextKey(std::size_t i) {
  char text[32];
  std::snprintf(text, sizeof(text), "g%04zu/%06zu", i / 100, i);
  return text;
}

std::string BinaryKey(std::mt19937_64* random) {
  std::string key(1 + (*random)() % 24, '\0');
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto byte = static_cast<unsigned char>((*random)());
    key[i] = static_cast<char>(i < 4 ? byte & 0xc1 : byte);
  }
  return key;
}

}  // namespace

std::string PolicyTextOf(bool is_ribbon, int format_version,
                         std::string_view bits_per_key) {
  std::string name = format_version < 5 ? "rocksdb-legacy" : "rocksdb";
  if (is_ribbon) name = "rocksdb-ribbon";
  return name + ":" + std::string(bits_per_key);
}

std::vector<std::string> SortedKeys(TableKeys kind, std::size_t count) {
  std::mt19937_64 random(count);
  std::set<std::string> keys;
  for (std::size_t i = 0; keys.size() < count; ++i) {
    keys.insert(kind == TableKeys::kText ? TextKey(i) : BinaryKey(&random));
  }
  return {keys.begin(), keys.end()};
}

std::vector<std::string> RandomKeys(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::string> keys(count);
  for (std::string& key : keys) {
    key.resize(random() % 41);
    for (char& byte : key) byte = static_cast<char>(random());
  }
  return keys;
}

std::string OurAnswers(const FilterPolicy& policy, Slice filter,
                       std::span<const std::string> keys) {
  // A copy that ends where it ends, so that a sanitizer sees what lies beyond.
  const std::vector<char> exact(filter.begin(), filter.end());
  const auto reader = policy.Open({exact.data(), exact.size()});
  if (!reader.ok()) return std::string(keys.size(), '1');
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const auto many = std::make_unique<bool[]>(keys.size());
  reader->MayContainMany(slices, {many.get(), keys.size()});
  std::string answers;
  std::string batched;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    answers += reader->MayContain(keys[i]) ? '1' : '0';
    batched += many[i] ? '1' : '0';
  }
  EXPECT_EQ(batched, answers) << "MayContainMany() differs";
  return answers;
}

std::string AsTestName(std::string text) {
  constexpr std::string_view kKept =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (char& c : text) {
    if (kKept.find(c) == kKept.npos) c = '_';
  }
  return text;
}

}  // namespace tamis::testing
