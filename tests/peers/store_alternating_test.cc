// SPDX-License-Identifier: Apache-2.0
// LevelDB and our store take turns in writing to one directory.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <leveldb/comparator.h>
#include <leveldb/db.h>

#include "tests/peers/peer_policy.h"
#include "tests/peers/scratch_db.h"
#include "tests/peers/store_pair.h"

namespace tamis::testing {
namespace {

constexpr std::string_view kBackwardsName = "test.Backwards";

class OurBackwards final : public Comparator {
 public:
  std::string_view name() const noexcept override { return kBackwardsName; }
  int Compare(Slice a, Slice b) const noexcept override { return b.compare(a); }
  bool EqualMeansIdentical() const noexcept override { return true; }
};

class TheirBackwards final : public leveldb::Comparator {
 public:
  const char* Name() const override { return kBackwardsName.data(); }
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return b.compare(a);
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const leveldb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}
};

class Alternation {
 public:
  Alternation(std::uint64_t seed, bool backwards) : random_(seed) {
    ours_.create_if_missing = true;
    theirs_ = Paranoid();
    theirs_.create_if_missing = true;
    theirs_.max_file_size = std::size_t{1} << 20;
    if (!backwards) return;
    ours_.comparator = &our_order_;
    theirs_.comparator = &their_order_;
  }

  void Round(bool we_write) {
    if (we_write) {
      WriteOurs();
    } else {
      WriteTheirs();
    }
  }

 private:
  bool Chance(unsigned one_in) { return random_() % one_in == 0; }
  int Batches() { return static_cast<int>(random_() % 200); }
  ChangeKind Kind() {
    ChangeKind kind;
    kind.binary_keys = Chance(2);
    kind.longest_value = std::size_t{1} << random_() % 12;
    if (Chance(8)) kind.huge_one_in = 500;
    return kind;
  }

  void WriteOurs() {
    SCOPED_TRACE("we write");
    ours_.leveldb_filter_bits = Chance(3) ? 0 : 10;
    ours_.filter = Chance(3) ? "" : "bloom:10";
    ours_.filter_parts_above = Chance(2) ? 1 : 0;
    ours_.block_filter_bits = Chance(3) ? 10 : 0;
    ours_.range_filter_bits = Chance(2) ? 8 : 0;
    ours_.compression = Chance(2) ? Compression::kSnappy : Compression::kNone;
    ours_.write_buffer_bytes = std::size_t{16} << (10 + random_() % 8);
    ours_.table_bytes = std::uint64_t{32} << (10 + random_() % 4);
    ours_.level1_bytes = std::uint64_t{128} << (10 + random_() % 3);
    const auto store = OpenOurs(scratch_.path(), ours_);
    if (store == nullptr) return;
    ExpectHolds(store.get(), contents_);
    WriteRandomly(Kind(), Batches(), &random_, store.get(), &contents_);
    const Status flushed = Chance(4) ? store->Flush() : Status::Ok();
    EXPECT_TRUE(flushed.ok()) << flushed.ToString();
    const Status compacted = Chance(4) ? store->Compact() : Status::Ok();
    EXPECT_TRUE(compacted.ok()) << compacted.ToString();
    ExpectHolds(store.get(), contents_);
  }

  void WriteTheirs() {
    SCOPED_TRACE("they write");
    theirs_.filter_policy = Chance(3) ? nullptr : filter_.get();
    theirs_.compression =
        Chance(2) ? leveldb::kSnappyCompression : leveldb::kNoCompression;
    theirs_.write_buffer_size = std::size_t{64} << (10 + random_() % 5);
    theirs_.reuse_logs = Chance(2);
    const auto db = OpenTheirs(scratch_.path(), theirs_);
    if (db == nullptr) return;
    ExpectHolds(db.get(), contents_);
    WriteRandomly(Kind(), Batches(), &random_, db.get(), &contents_);
    if (Chance(4)) db->CompactRange(nullptr, nullptr);
    ExpectHolds(db.get(), contents_);
  }

  std::mt19937_64 random_;
  const ScratchDir scratch_;
  const OurBackwards our_order_;
  const TheirBackwards their_order_;
  const std::unique_ptr<const leveldb::FilterPolicy> filter_ = TheirPolicy(10);
  StoreOptions ours_;
  leveldb::Options theirs_;
  Contents contents_;
};

void Alternate(std::uint64_t seed, bool backwards, int rounds) {
  Alternation alternation(seed, backwards);
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " +
                 std::to_string(round));
    alternation.Round(random() % 2 == 0);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(StoreAlternating, HoldsTheSameRoundAfterRound) { Alternate(1, false, 20); }

TEST(StoreAlternating, HoldsTheSameInAnOrderOfItsOwn) {
  Alternate(2, true, 12);
}

TEST(StoreAlternating, RefusesAnotherOrder) {
  const ScratchDir scratch;
  const OurBackwards backwards;
  StoreOptions options;
  options.create_if_missing = true;
  options.comparator = &backwards;
  OpenOurs(scratch.path(), options).reset();
  leveldb::DB* db = nullptr;
  EXPECT_FALSE(leveldb::DB::Open({}, scratch.path().string(), &db).ok());
  EXPECT_EQ(Store::Open(scratch.path().string()).status().code(),
            StatusCode::kInvalidArgument);
}

// TAMIS_SOAK_SECONDS=600 tries fresh seeds for so long.
TEST(StoreAlternating, HoldsTheSameForManySeeds) {
  const char* const text = std::getenv("TAMIS_SOAK_SECONDS");
  if (text == nullptr) GTEST_SKIP() << "TAMIS_SOAK_SECONDS is not set";
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(std::atoi(text));
  std::uint64_t seed = std::random_device()();
  int tried = 0;
  for (; Clock::now() < end && !HasFailure(); ++tried) {
    Alternate(seed++, tried % 4 == 3, 20);
  }
  std::printf("%d seeds of 20 rounds, the last %llu\n", tried,
              static_cast<unsigned long long>(seed - 1));
}

}  // namespace
}  // namespace tamis::testing
