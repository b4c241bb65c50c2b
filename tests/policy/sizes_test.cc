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

std::string SpecAt(const std::string& format, std::uint64_t bits) {
  return format + ":m=" + std::to_string(bits) + ",k=7";
}

// Enough strangers that a filter whose positions were cut to 32 bits, or
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
  for (const std::string format :
       {"tamis", "leveldb", "cassandra", "lab", "md5"}) {
    for (unsigned power : {31u, 32u, 33u}) {
      for (int delta : {-64, 64}) {
        const std::uint64_t bits =
            (std::uint64_t{1} << power) + static_cast<std::uint64_t>(delta);
        const auto policy = PolicyOf(SpecAt(format, bits));
        const auto builder = policy->NewBuilder(kKeys);
        for (std::uint64_t i = 0; i < kKeys; ++i) {
          builder->Add(ScrambledKey(i));
        }
        std::string bytes;
        ASSERT_TRUE(builder->Finish(&bytes).ok());
        ASSERT_EQ(bytes.size(), policy->Predict(kKeys).bytes);
        const auto reader = policy->Open(bytes);
        ASSERT_TRUE(reader.ok()) << reader.status().ToString();
        const FilterInfo info = (*reader)->Describe();
        EXPECT_EQ(info.bits, bits) << format;
        // Nearly every probe has a bit of its own; LevelDB's, of 32 bits and
        // not independent, meet a little more often.
        EXPECT_NEAR(static_cast<double>(info.set_bits), 7.0 * kKeys,
                    (format == "leveldb" ? 0.02 : 0.001) * 7 * kKeys)
            << format << " " << bits;
        CheckAnswers(**reader, bits);
      }
    }
  }
}

// Bits of both halves are used: a position cut to 32 bits would leave the
// upper half empty.
TEST(SizesLarge, PositionsReachBeyondTwoToThe32) {
  const std::uint64_t bits = std::uint64_t{1} << 33;
  for (const std::string format : {"tamis", "cassandra", "md5"}) {
    const auto policy = PolicyOf(SpecAt(format, bits));
    const auto builder = policy->NewBuilder(kKeys);
    for (std::uint64_t i = 0; i < kKeys; ++i) builder->Add(ScrambledKey(i));
    std::string bytes;
    ASSERT_TRUE(builder->Finish(&bytes).ok());
    const std::size_t middle = bytes.size() / 2;
    const auto set = [&](std::size_t from, std::size_t to) {
      std::uint64_t count = 0;
      for (std::size_t i = from; i < to; ++i) count += bytes[i] != 0 ? 1u : 0u;
      return static_cast<double>(count);
    };
    EXPECT_NEAR(set(middle, bytes.size()) / (7.0 * kKeys), 0.5, 0.02) << format;
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
  const std::uint64_t bits = (std::uint64_t{1} << 35) + (1 << 20) + 3;
  const ScratchFile file;
  {
    const auto builder = PolicyOf(SpecAt("tamis", bits))->NewBuilder(kKeys);
    for (std::uint64_t i = 0; i < kKeys; ++i) builder->Add(ScrambledKey(i));
    std::string bytes;
    ASSERT_TRUE(builder->Finish(&bytes).ok());
    ASSERT_GT(bytes.size(), std::uint64_t{1} << 32);
    ASSERT_TRUE(WriteFilterFile(file.path(), bytes, IfExists::kFail).ok());
  }
  const auto opened = FilterFile::Open(file.path());
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  EXPECT_EQ((*opened)->bytes().size(), 64 + (bits + 63) / 64 * 8);
  const FilterInfo info = (*opened)->reader().Describe();
  EXPECT_EQ(info.bits, bits);
  EXPECT_EQ(info.keys, kKeys);
  CheckAnswers((*opened)->reader(), bits);
}

}  // namespace
}  // namespace tamis
