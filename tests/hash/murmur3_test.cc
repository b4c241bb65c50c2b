// SPDX-License-Identifier: Apache-2.0
#include "hash/murmur3.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "tests/hash/golden_pair.h"
#include "tests/hash/golden_rows.h"

namespace tamis {
namespace {

using testing::ExpectGoldenColumn;
using testing::HashPair;

TEST(Murmur3, GivesTheGoldenValues) {
  ExpectGoldenColumn(
      "murmur3_std", [](Slice data) { return Murmur3(data); }, HashPair);
  ExpectGoldenColumn("murmur3_std_seed_1361930890_h1",
                     [](Slice data) { return Murmur3(data, 1361930890).h1; });
}

TEST(Murmur3, GivesPublishedValues) {
  EXPECT_EQ(Murmur3("The quick brown fox jumps over the lazy dog"),
            (Hash128{0xe34bbc7bbc071b6c, 0x7a433ca9c49a9347}));
}

void AppendBytes(const Hash128& h, std::string* out) {
  std::array<char, 16> bytes;
  StoreLittle(bytes.data(), h.h1);
  StoreLittle(bytes.data() + 8, h.h2);
  out->append(bytes.data(), bytes.size());
}

// SMHasher publishes one number for each function: the hash of the hashes of
// the keys {}, {0}, {0, 1} and so on to 255 bytes, each with its own seed.
TEST(Murmur3, GivesTheVerificationValueOfSmhasher) {
  std::string key;
  std::string hashes;
  for (std::uint32_t n = 0; n < 256; ++n) {
    AppendBytes(Murmur3(key, 256 - n), &hashes);
    key.push_back(static_cast<char>(n));
  }
  EXPECT_EQ(static_cast<std::uint32_t>(Murmur3(hashes, 0).h1), 0x6384ba69u);
}

// Worked out apart from this code from the finishing steps, which are all that
// the empty input goes through; sign-extended, the seed would give
// 0xc8b2df157851e31b.
TEST(Murmur3, TheSeedIsZeroExtended) {
  EXPECT_EQ(Murmur3("", 0x80000000),
            (Hash128{0x4af110229517c5b6, 0xdba7822f1fd07753}));
}

TEST(Murmur3Cassandra, GivesTheGoldenValues) {
  ExpectGoldenColumn("murmur3_cassandra", Murmur3Cassandra, HashPair);
}

TEST(Murmur3Cassandra, DiffersFromTheStandardOnlyByHighBytesInTheTail) {
  for (std::size_t n = 1; n <= 50; ++n) {
    const std::size_t tail = n - n % 16;
    for (std::size_t at = 0; at < n; ++at) {
      std::string key(n, 'k');
      EXPECT_EQ(Murmur3Cassandra(key), Murmur3(key));
      key[at] = '\x80';
      // The last byte of either word has no higher bits to flip.
      const bool top = (at - tail) % 8 == 7;
      EXPECT_EQ(Murmur3Cassandra(key) == Murmur3(key), at < tail || top)
          << "byte " << at << " of " << n;
    }
  }
}

}  // namespace
}  // namespace tamis
