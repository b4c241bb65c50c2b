// SPDX-License-Identifier: Apache-2.0
// Ribbon filters that are damaged, and such that nobody built: whatever the
// bytes, nothing outside them is read, and no key is lost.

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "filters/ribbon/layout.h"
#include "formats/tamis/container.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::ExactBytes;
using testing::NumberedKeys;
using testing::PolicyOf;

constexpr std::size_t kSizeParameterAt = 32;
constexpr std::size_t kParameterAAt = 40;
constexpr std::size_t kParameterBAt = 44;

// Both checksums made right again.
void Reseal(std::string* filter) {
  char* p = filter->data();
  TamisHeader header;
  header.version = LoadLittle<std::uint16_t>(p + 8);
  header.kind = LoadLittle<std::uint16_t>(p + 10);
  header.hash = LoadLittle<std::uint16_t>(p + 12);
  header.flags = LoadLittle<std::uint16_t>(p + 14);
  header.seed = LoadLittle64(p + 16);
  header.keys = LoadLittle64(p + 24);
  header.size_parameter = LoadLittle64(p + kSizeParameterAt);
  header.parameter_a = LoadLittle32(p + kParameterAAt);
  header.parameter_b = LoadLittle32(p + kParameterBAt);
  SealTamis(*filter, header);
}

void Flip(std::string* bytes, std::size_t bit) {
  char& byte = (*bytes)[bit / 8];
  byte = static_cast<char>(byte ^ (1 << (bit % 8)));
}

// Asks for all keys, one by one and all at once; the answers, if it opens.
std::string Answers(Slice filter, const std::vector<std::string>& keys) {
  const auto reader = PolicyOf("tamis")->Open(filter);
  if (!reader.ok()) {
    EXPECT_EQ(reader.status().code(), StatusCode::kCorruption);
    return {};
  }
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const auto many = std::make_unique<bool[]>(keys.size());
  reader->MayContainMany(slices, {many.get(), keys.size()});
  std::string answers;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool answer = reader->MayContain(keys[i]);
    EXPECT_EQ(answer, many[i]);
    answers += answer ? '1' : '0';
  }
  return answers;
}

bool LosesAKey(Slice filter, const std::vector<std::string>& keys) {
  return Answers(filter, keys).find('0') != std::string::npos;
}

// Levels, layers and lists as no builder would have them.
TEST(TamisRibbonDamage, AnswersAsItsPageSaysWhateverTheBits) {
  const nlohmann::json golden = testing::LoadGolden("tamis_ribbon.json");
  ASSERT_GE(golden["any_bits"].size(), 26u);
  const auto keys = NumberedKeys("key-", 256);
  for (const auto& row : golden["any_bits"]) {
    SCOPED_TRACE(row["why"].get<std::string>());
    const ExactBytes filter(testing::HexBytes(row["filter"]));
    EXPECT_EQ(Answers(filter, keys), row["answers"].get<std::string>());
    if (!row.contains("listed")) continue;
    const auto listed = testing::KeysFromHex(row["listed"]);
    EXPECT_EQ(Answers(filter, listed), std::string(listed.size(), '1'));
  }
}

TEST(TamisRibbonDamage, OpensAnswersOrRefusesAsItsPageSays) {
  const nlohmann::json golden = testing::LoadGolden("tamis_ribbon.json");
  ASSERT_GE(golden["reader"].size(), 29u);
  const auto keys = NumberedKeys("key-", 1000);
  for (const auto& row : golden["reader"]) {
    SCOPED_TRACE(row["why"].get<std::string>());
    const ExactBytes filter(testing::HexBytes(row["filter"]));
    const auto reader = PolicyOf("tamis")->Open(filter);
    if (row["opens"] == "corruption") {
      ASSERT_FALSE(reader.ok());
      EXPECT_EQ(reader.status().code(), StatusCode::kCorruption);
      continue;
    }
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    EXPECT_FALSE(LosesAKey(filter, keys));
    EXPECT_EQ(reader->Describe().always_maybe.empty(),
              row["opens"] == "answers");
  }
}

TEST(TamisRibbonDamage, EverySingleFlippedBitAndEveryCutIsNoticed) {
  const auto policy = PolicyOf("tamis");
  for (const std::size_t n : {0u, 1u, 100u, 900u}) {
    const std::string whole =
        testing::Build(*PolicyOf("ribbon:3.5"), NumberedKeys("key-", n));
    ASSERT_TRUE(policy->Open(whole).ok());
    std::string damaged = whole;
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      Flip(&damaged, bit);
      const auto reader = policy->Open(damaged);
      ASSERT_FALSE(reader.ok()) << bit;
      ASSERT_EQ(reader.status().code(), StatusCode::kCorruption);
      Flip(&damaged, bit);
    }
    for (std::size_t size = 0; size < whole.size(); ++size) {
      ASSERT_FALSE(policy->Open(ExactBytes(whole.substr(0, size))).ok())
          << size;
    }
    ASSERT_FALSE(policy->Open(whole + '\0').ok());
  }
}

// The sizes that a header names fit together, or they do not.
TEST(TamisRibbonDamage, SizesThatDoNotFitAreNoticedWithTheChecksumsRight) {
  for (const char* spec :
       {"ribbon:1", "ribbon:2.5", "ribbon:3", "ribbon:8", "ribbon:31.5"}) {
    for (const std::uint64_t n : {0u, 20u, 200u, 3000u, 20'000u}) {
      const auto keys = NumberedKeys("key-", n);
      const std::string whole = testing::Build(*PolicyOf(spec), keys);
      const auto asked = NumberedKeys("key-", std::min<std::uint64_t>(n, 500));
      const unsigned layers = LoadLittle32(whole.data() + kParameterBAt) >> 24;
      const std::size_t tail = layers < 2 ? 0 : 8 * (layers - 1);
      std::vector<std::size_t> bits;
      for (std::size_t bit = 8 * kSizeParameterAt; bit < 8 * 48; ++bit) {
        // Rows of as many bytes, and the attempt, must be believed.
        const bool last_table =
            bit >= 8 * kParameterBAt && bit < 8 * kParameterBAt + 24;
        if (!last_table) bits.push_back(bit);
      }
      for (std::size_t i = 0; i < 8 * tail; ++i) {
        bits.push_back(8 * (whole.size() - tail) + i);
      }
      for (const std::size_t bit : bits) {
        std::string damaged = whole;
        Flip(&damaged, bit);
        Reseal(&damaged);
        ASSERT_FALSE(LosesAKey(ExactBytes(damaged), asked))
            << spec << ", " << n << " keys, bit " << bit;
      }
    }
  }
}

TEST(TamisRibbonDamage, AnyHeaderIsRefusedOrAnsweredFrom) {
  std::mt19937_64 random(1);
  const auto keys = NumberedKeys("key-", 40);
  unsigned opened = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    std::string whole =
        testing::Build(*PolicyOf("ribbon:" + std::to_string(1 + random() % 31)),
                       NumberedKeys("key-", random() % 800));
    for (unsigned flips = 0; flips < 3; ++flips) {
      Flip(&whole, 8 * kSizeParameterAt + random() % (8 * 16));
    }
    if (random() % 2 == 0) {
      whole.resize(64 + random() % whole.size());
    }
    Reseal(&whole);
    opened += Answers(ExactBytes(whole), keys).empty() ? 0u : 1u;
  }
  EXPECT_GT(opened, 100u);
}

// The bytes of a layer, and of the last table.
std::uint64_t BytesOf(std::uint32_t columns, std::uint64_t buckets) {
  return BumpedLayer(BumpedLayout::Of(columns), buckets).bytes();
}

TEST(TamisRibbonDamage, NothingIsReadOutsideWhateverTheShape) {
  std::mt19937_64 random(2);
  const auto keys = NumberedKeys("key-", 150);
  std::size_t yes = 0;
  for (unsigned i = 0; i < 700; ++i) {
    const auto columns = static_cast<std::uint32_t>(
        (std::uint64_t{1} << 26) + random() % ((std::uint64_t{31} << 26) + 1));
    const unsigned layers = static_cast<unsigned>(random() % 17);
    const auto rows = static_cast<std::uint32_t>(random() % 200);
    const auto attempt = static_cast<std::uint32_t>(random() % 255);
    std::string whole(64, '\0');
    std::string tail;
    TamisHeader header{.kind = static_cast<std::uint16_t>(TamisKind::kRibbon),
                       .hash = 1,
                       .parameter_a = columns,
                       .parameter_b = rows | attempt << 16 | layers << 24};
    std::uint64_t payload = 0;
    for (unsigned layer = 0; layer < layers; ++layer) {
      const std::uint64_t buckets = 1 + random() % 3;
      payload += BytesOf(columns, buckets);
      if (layer == 0) {
        header.size_parameter = buckets;
      } else {
        AppendFixed64(&tail, buckets);
      }
    }
    const std::uint64_t most = (columns + (1u << 26) - 1) >> 26;
    payload += (most * rows + 7) / 8;
    for (std::uint64_t j = 0; j < payload; ++j) {
      // Levels often bump everything, bits are mostly 0.
      whole += static_cast<char>(j % 8 == 7 ? random() | 0x80 : 0);
    }
    whole += tail;
    SealTamis(whole, header);
    const std::string answers = Answers(ExactBytes(whole), keys);
    if (rows > 0 || attempt == 0) {
      ASSERT_EQ(answers.size(), keys.size()) << columns << " " << layers;
    }
    yes += static_cast<std::size_t>(
        std::count(answers.begin(), answers.end(), '1'));
  }
  EXPECT_GT(yes, 100u);
}

}  // namespace
}  // namespace tamis
