// SPDX-License-Identifier: Apache-2.0
// Sizes around 2^31, 2^32 and 2^33 bits, where 32-bit arithmetic breaks, and
// a container of more than 4 GiB, answered from a mapping of its file.

#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tamis/filter_file.h"
#include "tests/support/filters.h"
#include "tests/support/rates.h"

namespace tamis {
namespace {

using testing::PolicyOf;
using testing::ScrambledKey;

constexpr std::uint64_t kKeys = 20'000;

struct Shape {
  std::string format;
  std::uint64_t block_bits;  // sizes are rounded up to it
  unsigned probes;
  double bits_per_key;  // that a key alone in its block sets
};

const std::vector<Shape>& Shapes() {
  // Of 7 probes within 512 bits, some meet.
  static const std::vector<Shape> shapes = {
      {"bloom", 512, 7, 6.96},   {"splitblock", 256, 8, 8},
      {"classic", 1, 7, 7},      {"leveldb", 8, 7, 7},
      {"rocksdb", 512, 7, 6.96}, {"cassandra", 64, 7, 7},
      {"lab", 1, 7, 7},          {"md5", 1, 7, 7}};
  return shapes;
}

std::string SpecAt(const Shape& shape, std::uint64_t bits) {
  return shape.format + ":m=" + std::to_string(bits) +
         ",k=" + std::to_string(shape.probes);
}

// Enough absent keys that a filter whose positions were cut to 32 bits, or
// whose upper part were never set, would show.
void CheckAnswers(const FilterReader& reader, std::uint64_t bits) {
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(reader.MayContain(ScrambledKey(i))) << bits;
  }
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    if (reader.MayContain(ScrambledKey(kKeys + i))) ++hits;
  }
  EXPECT_EQ(hits, 0u) << bits;  // the rate is below 10^-20
}

TEST(SizesLarge, EveryFormatWorksAroundPowersOfTwo) {
  for (const Shape& shape : Shapes()) {
    for (unsigned power : {31u, 32u, 33u}) {
      for (int delta : {-64, 64}) {
        const std::uint64_t bits =
            (std::uint64_t{1} << power) + static_cast<std::uint64_t>(delta);
        const auto policy = PolicyOf(SpecAt(shape, bits));
        const auto builder = policy->NewBuilder();
        for (std::uint64_t i = 0; i < kKeys; ++i) {
          builder->Add(ScrambledKey(i));
        }
        std::string bytes;
        ASSERT_TRUE(builder->Finish(&bytes).ok());
        ASSERT_EQ(bytes.size(), policy->Predict(kKeys).bytes);
        const auto reader = policy->Open(bytes);
        ASSERT_TRUE(reader.ok()) << reader.status().ToString();
        const FilterInfo info = reader->Describe();
        EXPECT_EQ(info.bits, (bits + shape.block_bits - 1) / shape.block_bits *
                                 shape.block_bits)
            << shape.format;
        // Nearly every probe has a bit of its own; LevelDB's, of 32 bits and
        // not independent, meet a little more often.
        const double expected = shape.bits_per_key * kKeys;
        EXPECT_NEAR(static_cast<double>(info.set_bits), expected,
                    (shape.format == "leveldb" ? 0.02 : 0.001) * expected)
            << shape.format << " " << bits;
        CheckAnswers(**reader, bits);
      }
    }
  }
}

// Bits of both halves are used: a position cut to 32 bits would leave the
// upper half empty.
TEST(SizesLarge, PositionsReachBeyondTwoToThe32) {
  const std::uint64_t bits = std::uint64_t{1} << 33;
  for (const Shape& shape : Shapes()) {
    // These begin at a number of 32 bits.
    if (shape.format == "leveldb" || shape.format == "lab") continue;
    const auto policy = PolicyOf(SpecAt(shape, bits));
    const auto builder = policy->NewBuilder();
    for (std::uint64_t i = 0; i < kKeys; ++i) builder->Add(ScrambledKey(i));
    std::string bytes;
    ASSERT_TRUE(builder->Finish(&bytes).ok());
    const std::size_t middle = bytes.size() / 2;
    const auto set = [&](std::size_t from, std::size_t to) {
      std::uint64_t count = 0;
      for (std::size_t i = from; i < to; ++i) count += bytes[i] != 0 ? 1u : 0u;
      return static_cast<double>(count);
    };
    EXPECT_NEAR(set(middle, bytes.size()) / set(0, bytes.size()), 0.5, 0.02)
        << shape.format;
  }
}

class ScratchFile {
 public:
  ScratchFile()
      : path_(std::filesystem::temp_directory_path() /
              ("tamis-large-" + std::to_string(getpid()) + ".tamis")) {}
  ~ScratchFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(SizesLarge, AContainerOfMoreThan4GiBAnswersFromItsMapping) {
  const std::uint64_t bits = (std::uint64_t{1} << 35) + (1 << 20);
  const ScratchFile file;
  {
    const auto policy = PolicyOf("bloom:m=" + std::to_string(bits) + ",k=7");
    const auto builder = policy->NewBuilder();
    for (std::uint64_t i = 0; i < kKeys; ++i) builder->Add(ScrambledKey(i));
    std::string bytes;
    ASSERT_TRUE(builder->Finish(&bytes).ok());
    ASSERT_GT(bytes.size(), std::uint64_t{1} << 32);
    ASSERT_TRUE(WriteFilterFile(file.path(), bytes, IfExists::kFail).ok());
  }
  const auto opened = FilterFile::Open(file.path());
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  EXPECT_EQ(opened->bytes().size(), 64 + bits / 8);
  const FilterInfo info = opened->reader().Describe();
  EXPECT_EQ(info.bits, bits);
  EXPECT_EQ(info.keys, kKeys);
  CheckAnswers(opened->reader(), bits);
}

}  // namespace
}  // namespace tamis
