// SPDX-License-Identifier: Apache-2.0
// Filters in parts: their top block, and the cache of their parts.

#include "table/filter_parts.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "table/part_cache.h"
#include "table/table_filter.h"
#include "tests/support/memory_env.h"

namespace tamis {
namespace {

constexpr std::uint64_t kPartKeys = 5000;

std::string PartKey(std::uint64_t i) { return "key" + std::to_string(i); }

// A file with some bytes, the lines of a filter, and some bytes; and the top
// block of it.
struct StoredParts {
  testing::MemoryEnv env;
  std::string filter;  // whole
  std::string file;
  std::string top;
  static constexpr std::uint64_t kOffset = 100;

  explicit StoredParts(std::uint32_t lines_per_part = kLinesPerPart) {
    const auto builder = (*MakePolicy("bloom:40"))->NewBuilder();
    for (std::uint64_t i = 0; i < kPartKeys; ++i) builder->Add(PartKey(i));
    EXPECT_TRUE(builder->Finish(&filter).ok());
    const LineView lines = *ViewLines(filter);
    file.assign(kOffset, 'x');
    file.append(reinterpret_cast<const char*>(lines.lines),
                lines.count * kLineBytes);
    file.append(50, 'y');
    AppendPartsTop(&top, lines, kOffset, lines_per_part);
  }
  std::shared_ptr<const ReadableFile> Open() {
    env.SetContents("/f", file);
    return *env.OpenReadable("/f", true);
  }
  FilterPartsTop Parsed() const { return *ParsePartsTop(top, file.size()); }
};

std::uint64_t CountAbsent(const TableFilter& filter, std::uint64_t from) {
  std::uint64_t absent = 0;
  for (std::uint64_t i = from; i < from + kPartKeys; ++i) {
    if (!filter.MayContain(PartKey(i))) ++absent;
  }
  return absent;
}

// Independent of the writer: the bytes as docs/formats/filter-parts.md has
// them.
TEST(FilterParts, HaveTheBytesOfThePage) {
  std::string lines(3 * kLineBytes, '\0');
  lines[64] = 1;
  lines[191] = '\x80';
  LineView view;
  view.lines = reinterpret_cast<const unsigned char*>(lines.data());
  view.count = 3;
  view.probes = TamisLineProbes(6);
  view.seed = 0x0102030405060708;
  view.keys = 5;
  std::string top;
  AppendPartsTop(&top, view, 4096, 2);
  const unsigned char kExpected[] = {
      1,    0,    1,    0,    6,    0,    0,    0,   8, 7, 6, 5, 4, 3, 2, 1,  //
      5,    0,    0,    0,    0,    0,    0,    0,   3, 0, 0, 0, 0, 0, 0, 0,  //
      0,    0x10, 0,    0,    0,    0,    0,    0,   2, 0, 0, 0, 0, 0, 0, 0,  //
      0x2b, 0xe3, 0x35, 0xba, 0x55, 0xed, 0xc1, 0x42};
  ASSERT_EQ(top.size(), sizeof(kExpected));
  EXPECT_EQ(std::memcmp(top.data(), kExpected, top.size()), 0);
}

TEST(FilterParts, AnswerAsTheWholeFilter) {
  for (const std::uint32_t lines_per_part : {1u, 7u, 63u, 64u}) {
    StoredParts stored(lines_per_part);
    const auto whole = TableFilter::OpenWhole(
        stored.filter, *FilterOpener::ForName("tamis.Filter1"));
    FilterRoom room;
    PartCache cache(room);
    const auto parts = TableFilter::OpenParts(
        stored.top, {stored.Open(), &room, &cache}, TableFilter::kInParts);
    const auto all = TableFilter::OpenParts(
        stored.top, {stored.Open(), &room, nullptr}, TableFilter::kWholly);
    ASSERT_EQ(parts->kind(), TableFilter::Kind::kParts);
    ASSERT_EQ(all->kind(), TableFilter::Kind::kLines);
    for (std::uint64_t i = 0; i < 3 * kPartKeys; ++i) {
      const bool expected = whole->MayContain(PartKey(i));
      ASSERT_TRUE(i >= kPartKeys || expected);
      ASSERT_EQ(parts->MayContain(PartKey(i)), expected);
      ASSERT_EQ(all->MayContain(PartKey(i)), expected);
    }
    EXPECT_EQ(parts->expected_rate(), whole->expected_rate());
  }
}

// A change of any bit is noticed by the block's checksum; but also without one
// it never leads outside the file.
TEST(FilterParts, ATopBlockWithAnyBitChangedIsRefusedOrWithinTheFile) {
  StoredParts stored;
  const auto file = stored.Open();
  FilterRoom room;
  PartCache cache(room);
  for (std::size_t bit = 0; bit < 8 * stored.top.size(); ++bit) {
    std::string top = stored.top;
    top[bit / 8] = static_cast<char>(top[bit / 8] ^ (1 << bit % 8));
    const auto parsed = ParsePartsTop(top, stored.file.size());
    if (!parsed.ok()) continue;
    ASSERT_LE(parsed->offset + parsed->bytes(), stored.file.size());
    for (const unsigned how : {TableFilter::kWholly, TableFilter::kInParts}) {
      const auto filter =
          TableFilter::OpenParts(top, {file, &room, &cache}, how);
      (void)filter->MayContain(PartKey(1));
    }
  }
  for (std::size_t size = 0; size < stored.top.size(); ++size) {
    EXPECT_FALSE(
        ParsePartsTop(Slice(stored.top).substr(0, size), stored.file.size())
            .ok());
  }
  EXPECT_FALSE(ParsePartsTop(stored.top + "1234", stored.file.size()).ok());
  EXPECT_FALSE(ParsePartsTop(stored.top, stored.file.size() - 51).ok());
}

TEST(FilterParts, ADamagedPartIsReportedOnceAndCostsNoOtherPart) {
  StoredParts stored;
  const FilterPartsTop top = stored.Parsed();
  stored.file[top.OffsetOf(2) + 5] ^= 1;
  FilterRoom room;
  PartCache cache(room);
  const auto parts = *PartedFilter::Open(top, stored.Open(), cache);
  std::uint64_t unknown = 0;
  std::uint64_t reports = 0;
  for (std::uint64_t i = 0; i < 2 * kPartKeys; ++i) {
    const PartAnswer answer = parts->Ask(LineHash(PartKey(i), top.seed));
    ASSERT_FALSE(i < kPartKeys && answer.is_absent);
    ASSERT_FALSE(answer.is_absent && !answer.is_known);
    if (!answer.is_known) ++unknown;
    reports += answer.damaged;
  }
  EXPECT_EQ(reports, 1u);
  EXPECT_NEAR(static_cast<double>(unknown),
              2.0 * kPartKeys / static_cast<double>(top.part_count()),
              0.2 * kPartKeys);
  const auto all = TableFilter::OpenParts(
      stored.top, {stored.Open(), &room, nullptr}, TableFilter::kWholly);
  EXPECT_EQ(all->damaged_parts(), 1u);
  EXPECT_EQ(CountAbsent(*all, 0), 0u);
  EXPECT_GT(CountAbsent(*all, kPartKeys), kPartKeys / 2);
}

TEST(FilterParts, TakeTheirMemoryFromTheRoom) {
  StoredParts stored;
  FilterRoom room;
  PartCache cache(room);
  const FilterPartsSource from{stored.Open(), &room, &cache};
  room.set_limit(100);
  EXPECT_EQ(
      TableFilter::OpenParts(stored.top, from, TableFilter::kAtFirst)->kind(),
      TableFilter::Kind::kNone);
  EXPECT_EQ(room.held(), 0u);
  room.set_limit(1000);
  {
    const auto filter =
        TableFilter::OpenParts(stored.top, from, TableFilter::kWholly);
    ASSERT_EQ(filter->kind(), TableFilter::Kind::kParts);
    EXPECT_EQ(CountAbsent(*filter, 0), 0u);
    EXPECT_GT(CountAbsent(*filter, kPartKeys), kPartKeys * 9 / 10);
    EXPECT_EQ(room.held(), filter->bytes());
  }
  EXPECT_EQ(room.held(), 0u);
}

// ---- the cache

constexpr std::size_t kFramesOfASlab = 16;

std::string PartOf(std::uint64_t number, std::size_t bytes = kPartBytes) {
  std::string part(bytes, '\0');
  for (std::size_t i = 0; i < bytes; i += 8) {
    std::memcpy(part.data() + i, &number, 8);
  }
  return part;
}

bool Has(const PartCache& cache, PartCache::Frame frame, std::uint64_t number) {
  PartCache::Line line;
  // The first line: it is written right after a reader may have looked.
  if (!cache.CopyLine(frame, number, 0, &line)) return false;
  EXPECT_EQ(line.words[0], number);
  EXPECT_EQ(line.words[7], number);
  return true;
}

TEST(PartCache, KeepsWhatIsAskedForAndReplacesTheRest) {
  FilterRoom room;
  room.set_limit(100'000);  // one slab
  PartCache cache(room);
  std::vector<PartCache::Frame> frames(100);
  for (std::uint64_t i = 1; i < 100; ++i) {
    frames[i] = cache.Insert(i, PartOf(i));
    ASSERT_NE(frames[i], PartCache::kNowhere);
    ASSERT_TRUE(Has(cache, frames[1], 1)) << i;
  }
  std::size_t there = 0;
  for (std::uint64_t i = 1; i < 100; ++i)
    there += Has(cache, frames[i], i) ? 1u : 0u;
  EXPECT_EQ(there, kFramesOfASlab);
  EXPECT_EQ(room.held(), cache.bytes());
  EXPECT_FALSE(Has(cache, PartCache::kNowhere, 1));
  EXPECT_FALSE(Has(cache, 17, 1));
  EXPECT_FALSE(Has(cache, PartCache::kMaxFrame, 1));
  EXPECT_FALSE(Has(cache, ~PartCache::Frame{0} - 1, 1));
}

TEST(PartCache, GivesMemoryBack) {
  FilterRoom room;
  PartCache cache(room);
  std::vector<PartCache::Frame> frames;
  for (std::uint64_t i = 0; i < 5 * kFramesOfASlab; ++i) {
    frames.push_back(cache.Insert(i + 1, PartOf(i + 1)));
  }
  const std::uint64_t slab = room.held() / 5;
  {
    const PartCache::Removed removed = cache.Shrink(2 * slab + 1, 2 * slab + 1);
    EXPECT_EQ(room.held(), 5 * slab);
    EXPECT_EQ(cache.bytes(), 2 * slab);
  }
  EXPECT_EQ(room.held(), 2 * slab);
  EXPECT_TRUE(Has(cache, frames.front(), 1));
  EXPECT_FALSE(Has(cache, frames.back(), frames.size()));
  // No more is taken, until it may be.
  EXPECT_NE(cache.Insert(1000, PartOf(1000)), PartCache::kNowhere);
  EXPECT_EQ(room.held(), 2 * slab);
  cache.Shrink(0, 0).Free();
  EXPECT_EQ(room.held(), 0u);
  EXPECT_EQ(cache.Insert(1001, PartOf(1001)), PartCache::kNowhere);
  cache.Shrink(0, slab).Free();
  const PartCache::Frame again = cache.Insert(1002, PartOf(1002));
  EXPECT_TRUE(Has(cache, again, 1002));
  EXPECT_FALSE(Has(cache, frames.front(), 1));
}

// Has() checks that no line is of two parts.
TEST(PartCacheThreads, NoLineIsOfTwoParts) {
  FilterRoom room;
  room.set_limit(100'000);
  PartCache cache(room);
  constexpr std::uint64_t kParts = 40;
  std::vector<std::atomic<PartCache::Frame>> frames(kParts + 1);
  std::atomic<std::uint64_t> hits{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t number = random() % kParts + 1;
        if (Has(cache, frames[number], number)) {
          ++hits;
          continue;
        }
        frames[number] = cache.Insert(number, PartOf(number));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(hits, 1000u);
}

}  // namespace
}  // namespace tamis
