// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cassandra_files.h"

#include <algorithm>
#include <bit>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tests/support/golden.h"

namespace tamis::testing {

namespace fs = std::filesystem;

std::string Sized(const std::string& text) {
  return Big(static_cast<std::uint16_t>(text.size())) + text;
}

bool IsBefore(const std::string& version, const std::string& other) {
  return version != "da" && version < other;
}

std::string IndexOf(const std::string& version,
                    const std::vector<std::string>& keys) {
  std::string index;
  std::uint64_t position = 300;
  for (const std::string& key : keys) {
    index += Sized(key);
    const std::string promoted(position % 7, 'p');
    if (IsBefore(version, "ia")) {
      index += Big(position);
    } else if (IsBefore(version, "ma")) {
      index += Big(position);
      index += Big(static_cast<std::uint32_t>(promoted.size())) + promoted;
    } else {
      // A vint of two bytes, and one of one byte.
      index += Big(static_cast<std::uint16_t>(0x8000 | (position & 0x3fff)));
      index += static_cast<char>(promoted.size());
      index += promoted;
    }
    position += 101;
  }
  return index;
}

std::string StatisticsOf(bool has_checksums, double rate) {
  const std::string name = Sized("org.apache.cassandra.dht.Murmur3Partitioner");
  const std::size_t at = has_checksums ? 8 + 16 + 4 : 4 + 16;
  std::string text = Big(std::uint32_t{2});
  if (has_checksums) text += Big(std::uint32_t{0xdeadbeef});
  text += Big(std::uint32_t{3}) + Big(static_cast<std::uint32_t>(at));
  text += Big(std::uint32_t{0}) + Big(static_cast<std::uint32_t>(at));
  if (has_checksums) text += Big(std::uint32_t{0xdeadbeef});
  return text + name + Big(std::bit_cast<std::uint64_t>(rate));
}

std::vector<std::string> KeysOf(const fs::path& path) {
  std::vector<std::string> keys;
  const std::string text = ReadFile(path);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    keys.push_back(FromHex(text.substr(at, end - at)));
    at = end + 1;
  }
  return keys;
}

std::string StemOf(const std::string& version) {
  if (IsBefore(version, "la")) return "ks-tab-" + version + "-7-";
  return version + "-7-" + (version == "da" ? "bti-" : "big-");
}

std::string FilterOf(const std::string& version,
                     const std::vector<std::string>& keys) {
  const auto policy = MakePolicy("cassandra:" + version + ",fpr=0.01");
  EXPECT_TRUE(policy.ok());
  const auto builder = policy->NewBuilder();
  for (const std::string& key : keys) builder->Add(key);
  std::string bytes;
  EXPECT_TRUE(builder->Finish(&bytes).ok());
  return bytes;
}

std::vector<std::string> NumberedKeys(int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back("key" + std::to_string(i));
  return keys;
}

}  // namespace tamis::testing
