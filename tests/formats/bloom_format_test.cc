// SPDX-License-Identifier: Apache-2.0
// What the concepts take for a format, and what they do not.

#include "formats/bloom_format.h"

#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace tamis {
namespace {

struct Format;

struct Engine {
  struct Hashes {};
  static constexpr bool kConcurrent = false;

  Engine(const Format& /*format*/, const BloomParameters& /*parameters*/) {}
  bool Check(const unsigned char*, unsigned) const noexcept { return true; }
  void CheckMany(const Format&, std::uint64_t, const unsigned char*,
                 std::span<const Slice>, std::span<bool>) const noexcept {}
  void Describe(std::span<const unsigned char>, FilterInfo*) const {}
  void Mark(unsigned char*, unsigned) const noexcept {}
  void MarkMany(const Format&, std::uint64_t, unsigned char*,
                std::span<const Slice>) const noexcept {}
  void MarkAll(unsigned char*, const Hashes&) const noexcept {}
};

// All that BloomPolicy asks for.
struct Format {
  using Hash = unsigned;
  using Engine = ::tamis::Engine;
  static constexpr std::size_t kHeaderBytes = 0;
  static constexpr std::size_t kTrailerBytes = 0;
  static constexpr auto kRepeats = CountedRepeats::kNone;
  static constexpr bool kHasSeed = false;

  std::string_view policy_name() const noexcept { return "test"; }
  std::string spec_name() const { return "test"; }
  std::string_view hash_name() const noexcept { return "none"; }
  Hash HashOf(Slice, std::uint64_t) const noexcept { return 0; }
  BloomParameters Plan(std::uint64_t) const noexcept { return {}; }
  Status CheckPlan(const BloomParameters&) const { return Status::Ok(); }
  std::uint64_t PayloadBytes(std::uint64_t bits) const noexcept { return bits; }
  double Rate(const BloomParameters&, std::uint64_t) const noexcept {
    return 1;
  }
  void Seal(std::span<char>, const BloomParameters&) const noexcept {}
  Result<ParsedBloom> Parse(Slice) const { return ParsedBloom(); }
};

static_assert(BloomFormat<Format>);

// One thing is missing or wrong in each of these.
struct WithoutParse : Format {
  void Parse() const {}
};
struct WithHashThatThrows : Format {
  Hash HashOf(Slice, std::uint64_t) const { return 0; }
};
struct WithoutPlan : Format {
  void Plan() const {}
};
struct WithoutName : Format {
  void policy_name() const {}
};
struct WithoutEngine : Format {
  struct Engine {};
};

TEST(BloomFormat, ReadingAsksForLessThanSizing) {
  EXPECT_TRUE(BytesFormat<WithoutPlan>);
  EXPECT_FALSE(SizedFormat<WithoutPlan>);
  EXPECT_TRUE(SizedFormat<WithoutName>);
  EXPECT_FALSE(BloomFormat<WithoutName>);
  EXPECT_TRUE(QueryFormat<WithoutParse>);
  EXPECT_FALSE(BytesFormat<WithoutParse>);
}

TEST(BloomFormat, RefusesWhatCannotBeAsked) {
  EXPECT_FALSE(QueryFormat<WithoutEngine>);
  EXPECT_FALSE(QueryFormat<WithHashThatThrows>);
  EXPECT_FALSE(QueryFormat<int>);
}

TEST(BloomFormat, EnginesDoMoreOrLess) {
  EXPECT_TRUE((MarkEngine<Engine, Format>));
  EXPECT_FALSE((ConcurrentEngine<Engine, Format>));
  EXPECT_FALSE((EraseEngine<Engine, Format>));
  EXPECT_FALSE(AddEngine<Engine>);
  EXPECT_FALSE(ErasableFormat<Format>);
  EXPECT_FALSE(BlockedFormat<Format>);
  EXPECT_FALSE(ClassicFormat<Format>);
}

}  // namespace
}  // namespace tamis
