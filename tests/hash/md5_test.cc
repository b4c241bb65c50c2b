// SPDX-License-Identifier: Apache-2.0
#include "hash/md5.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "tests/hash/golden_pair.h"
#include "tests/hash/golden_rows.h"

namespace tamis {
namespace {

std::string Md5Hex(Slice data) {
  const auto digest = Md5(data);
  return testing::ToHex({reinterpret_cast<const char*>(digest.data()), 16});
}

TEST(Md5, GivesTheDigestsOfTheRfc) {
  // RFC 1321, appendix A.5.
  const std::vector<std::pair<std::string, std::string>> suite = {
      {"", "d41d8cd98f00b204e9800998ecf8427e"},
      {"a", "0cc175b9c0f1b6a831c399e269772661"},
      {"abc", "900150983cd24fb0d6963f7d28e17f72"},
      {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
      {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
      {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
       "d174ab98d277d9f5a5611c2c9f419d9f"},
      {"1234567890123456789012345678901234567890"
       "1234567890123456789012345678901234567890",
       "57edf4a22be3c955ac49da2e2107b67a"},
  };
  for (const auto& [text, digest] : suite) EXPECT_EQ(Md5Hex(text), digest);
}

TEST(Md5, GivesTheGoldenValues) {
  testing::ExpectGoldenColumn(
      "md5_ab",
      [](Slice data) {
        const auto digest = Md5(data);
        return Hash128{LoadBig<std::uint64_t>(digest.data()),
                       LoadBig<std::uint64_t>(digest.data() + 8)};
      },
      testing::HashPair);
}

}  // namespace
}  // namespace tamis
