// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(Arena, GivesAlignedMemoryThatNothingElseUses) {
  Arena arena;
  std::mt19937_64 random(1);
  struct Piece {
    char* start;
    std::size_t bytes;
    int fill;
  };
  std::vector<Piece> pieces;
  for (int i = 0; i < 5000; ++i) {
    const std::size_t bytes =
        random() % 50 == 0 ? random() % 20'000 : random() % 200;
    char* const start = arena.Allocate(bytes);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(start) % Arena::kAlignment, 0u);
    std::memset(start, i % 127, bytes);
    pieces.push_back({start, bytes, i % 127});
  }
  for (const Piece& piece : pieces) {
    for (std::size_t i = 0; i < piece.bytes; ++i) {
      ASSERT_EQ(piece.start[i], piece.fill);
    }
  }
}

// What is prepared counts when it is used, and is used once.
TEST(Arena, AnotherThreadPreparesChunksWhileOneAllocates) {
  Arena arena;
  arena.PrepareChunk();
  arena.PrepareChunk();
  EXPECT_EQ(arena.bytes(), 0u);
  std::atomic<bool> stop{false};
  std::thread preparing([&] {
    while (!stop.load()) arena.PrepareChunk();
  });
  constexpr std::size_t kPiece = 2000;
  std::vector<char*> pieces;
  while (arena.bytes() < 4 * Arena::kLargestChunkBytes) {
    pieces.push_back(arena.Allocate(kPiece));
    pieces.back()[0] = static_cast<char>(pieces.size() % 127);
    pieces.back()[kPiece - 1] = pieces.back()[0];
  }
  stop.store(true);
  preparing.join();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    ASSERT_EQ(pieces[i][0], static_cast<char>((i + 1) % 127));
    ASSERT_EQ(pieces[i][kPiece - 1], static_cast<char>((i + 1) % 127));
  }
}

TEST(Arena, CountsWhatItHandedOut) {
  Arena arena;
  EXPECT_EQ(arena.bytes(), 0u);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < 20'000; ++i) {
    static_cast<void>(arena.Allocate(i % 300));
    sum += i % 300;
  }
  EXPECT_GE(arena.bytes(), sum);
  EXPECT_LE(arena.bytes(), sum + sum / 10);
}

TEST(Arena, SmallOnesStayCloseTogether) {
  Arena arena;
  char* const first = arena.Allocate(24);
  EXPECT_EQ(arena.Allocate(24), first + 24);
  EXPECT_EQ(arena.Allocate(1), first + 48);
  EXPECT_EQ(arena.Allocate(8), first + 56);
  EXPECT_EQ(arena.bytes(), 64u);
}

TEST(Arena, LargeOnesDoNotEndAChunk) {
  for (const std::size_t large : {std::size_t{5000}, std::size_t{10} << 20}) {
    Arena arena;
    char* const first = arena.Allocate(8);
    char* const own = arena.Allocate(large);
    own[0] = own[large - 1] = 'x';
    EXPECT_EQ(arena.Allocate(8), first + 8);
    EXPECT_EQ(arena.bytes(), large + 16);
  }
}

// What was reserved comes from memory that is there: it lies in one piece.
TEST(Arena, GivesWhatWasReservedInOnePiece) {
  for (const std::size_t bytes : {std::size_t{800}, std::size_t{3} << 20}) {
    Arena arena;
    char* const first = arena.Allocate(8);
    for (int round = 0; round < 3; ++round) {
      arena.Reserve(bytes);
      char* at = arena.Allocate(bytes / 2);
      EXPECT_EQ(arena.Allocate(bytes / 2), at + bytes / 2);
      std::memset(at, 'x', bytes);
    }
    EXPECT_LE(arena.bytes(), 4 * bytes + 8192);
    if (bytes > 4096) {
      arena.Reserve(16);
      EXPECT_EQ(arena.Allocate(8), first + 8) << "the chunk is used further";
    }
  }
}

TEST(Arena, LeavesItsLargestChunksToTheNext) {
  if (!kMapsBlocks) GTEST_SKIP() << "with the address sanitizer, none is kept";
  const auto stock = std::make_shared<ChunkStock>(2);
  constexpr std::size_t kBytes = 4 * Arena::kLargestChunkBytes;
  std::vector<char*> first;
  {
    Arena arena(stock);
    while (arena.bytes() < kBytes) first.push_back(arena.Allocate(1000));
    EXPECT_TRUE(stock->is_empty());
  }
  EXPECT_FALSE(stock->is_empty());
  std::sort(first.begin(), first.end());
  Arena arena(stock);
  std::size_t again = 0;
  while (arena.bytes() < kBytes) {
    char* const start = arena.Allocate(1000);
    std::memset(start, 1, 1000);
    again += std::binary_search(first.begin(), first.end(), start) ? 1u : 0u;
  }
  EXPECT_TRUE(stock->is_empty());
  // At least of the two chunks that were kept: the system may have mapped new
  // ones where the others were.
  EXPECT_GE(again, Arena::kLargestChunkBytes / 1000);
}

// A chunk that was prepared and not needed is left, too.
TEST(Arena, APreparedChunkComesFromTheStock) {
  if (!kMapsBlocks) GTEST_SKIP() << "with the address sanitizer, none is kept";
  const auto stock = std::make_shared<ChunkStock>(1);
  { Arena(stock).PrepareChunk(); }
  ChunkStock::Chunk chunk = stock->Take();
  ASSERT_NE(chunk, nullptr);
  stock->Keep(std::move(chunk));
  Arena arena(stock);
  arena.PrepareChunk();
  EXPECT_TRUE(stock->is_empty());
}

TEST(ChunkStock, KeepsNoMoreThanItMay) {
  ChunkStock stock(2);
  for (int i = 0; i < 3; ++i) stock.Keep(NewMemory(100));
  EXPECT_NE(stock.Take(), nullptr);
  EXPECT_NE(stock.Take(), nullptr);
  EXPECT_EQ(stock.Take(), nullptr);
  stock.Keep(NewMemory(100));
  stock.FreeAll();
  EXPECT_TRUE(stock.is_empty());
}

}  // namespace
}  // namespace tamis
