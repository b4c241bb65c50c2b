// SPDX-License-Identifier: Apache-2.0
#include "tests/support/filters.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace tamis::testing {

std::unique_ptr<const FilterPolicy> PolicyOf(std::string_view spec) {
  Result<std::unique_ptr<const FilterPolicy>> policy = MakePolicy(spec);
  if (!policy.ok()) {
    std::fprintf(stderr, "no policy %.*s: %s\n", static_cast<int>(spec.size()),
                 spec.data(), policy.status().ToString().c_str());
    std::abort();
  }
  return *std::move(policy);
}

std::string Build(const FilterPolicy& policy,
                  const std::vector<std::string>& keys) {
  const std::unique_ptr<FilterBuilder> builder = policy.NewBuilder();
  for (const std::string& key : keys) builder->Add(key);
  std::string filter;
  const Status status = builder->Finish(&filter);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return filter;
}

bool AnswersMaybe(const FilterPolicy& policy, Slice filter, Slice key) {
  const auto reader = policy.Open(filter);
  return !reader.ok() || reader->MayContain(key);
}

std::string Saved(const MutableFilter& filter) {
  std::string bytes;
  EXPECT_TRUE(filter.Save(&bytes).ok());
  return bytes;
}

void InsertAll(MutableFilter* filter, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) ASSERT_TRUE(filter->Insert(key).ok());
}

std::string HexBytes(const nlohmann::json& text) {
  return FromHex(text.get<std::string>());
}

std::vector<std::string> KeysFromHex(const nlohmann::json& keys) {
  std::vector<std::string> out;
  for (const auto& key : keys) out.push_back(HexBytes(key));
  return out;
}

std::vector<std::string> KeysFromFile(const std::string& text) {
  std::vector<std::string> keys;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    keys.push_back(FromHex(line));
  }
  return keys;
}

std::vector<std::string> NumberedKeys(std::string_view prefix,
                                      std::uint64_t count) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    keys.push_back(std::string(prefix) + std::to_string(i));
  }
  return keys;
}

std::vector<std::string> AwkwardKeys() {
  std::vector<std::string> keys;
  for (unsigned length = 0; length <= 300; ++length) {
    std::string key(length, '\0');
    for (unsigned i = 0; i < length; ++i) {
      key[i] = static_cast<char>((i * 131 + length * 17) & 0xff);
    }
    keys.push_back(key);
    if (length == 0) continue;
    key.assign(length, '\xff');
    keys.push_back(key);
    key.assign(length, '\0');
    key.back() = '\x80';
    keys.push_back(key);
  }
  return keys;
}

}  // namespace tamis::testing
