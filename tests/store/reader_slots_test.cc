// SPDX-License-Identifier: Apache-2.0
// Readers without locks: whoever waits for them may free what they saw.

#include "store/reader_slots.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

std::uint64_t Lookups(const ReaderSlots& slots) {
  std::uint64_t sum = 0;
  slots.ForEachCounters(
      [&](const ReadCounters& counters) { sum += counters.lookups.value(); });
  return sum;
}
int SlotsOf(const ReaderSlots& slots) {
  int count = 0;
  slots.ForEachCounters([&](const ReadCounters&) { ++count; });
  return count;
}

TEST(ReaderSlotsThreads, NobodySeesWhatIsGone) {
  struct Thing {
    std::uint64_t number;
    std::uint64_t again;
  };
  ReaderSlots slots;
  std::atomic<const Thing*> published{new Thing{0, 0}};
  std::atomic<bool> is_over{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      std::uint64_t last = 0;
      while (!is_over.load(std::memory_order_relaxed)) {
        {
          const ReaderSlots::Guard guard(slots);
          const Thing* thing = published.load(std::memory_order_seq_cst);
          guard.counters().lookups.Add(1);
          ASSERT_EQ(thing->number, thing->again);
          ASSERT_GE(thing->number, last);
          last = thing->number;
        }
        std::this_thread::yield();
      }
    });
  }
  for (std::uint64_t i = 1; i <= 300 || Lookups(slots) < 1000; ++i) {
    const Thing* old =
        published.exchange(new Thing{i, i}, std::memory_order_seq_cst);
    slots.WaitForReaders();
    auto* gone = const_cast<Thing*>(old);
    gone->number = UINT64_MAX;  // a reader that is still there would see it
    delete gone;
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  delete published.load();
}

TEST(ReaderSlotsThreads, WaitsForAGuardThatIsThere) {
  ReaderSlots slots;
  std::atomic<int> stage{0};
  std::thread reader([&] {
    const ReaderSlots::Guard outer(slots);
    {
      const ReaderSlots::Guard inner(slots);  // ends without ending the outer
    }
    stage = 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stage = 2;
  });
  while (stage == 0) std::this_thread::yield();
  slots.WaitForReaders();
  EXPECT_EQ(stage, 2);
  reader.join();
  slots.WaitForReaders();  // nobody there: returns
}

TEST(ReaderSlotsThreads, DoNotWaitForGuardsThatComeLater) {
  ReaderSlots slots;
  std::atomic<bool> is_over{false};
  std::thread reader([&] {
    while (!is_over) {
      const ReaderSlots::Guard guard(slots);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 200; ++i) slots.WaitForReaders();
  is_over = true;
  reader.join();
}

TEST(ReaderSlotsThreads, SlotsOfEndedThreadsServeOthersAndKeepCounts) {
  ReaderSlots slots;
  for (int i = 0; i < 50; ++i) {
    std::thread([&] {
      const ReaderSlots::Guard guard(slots);
      guard.counters().lookups.Add(1);
    }).join();
  }
  EXPECT_EQ(Lookups(slots), 50u);
  EXPECT_EQ(SlotsOf(slots), 1);
}

// The next owner of a slot may be a thread that never met the last one.
TEST(ReaderSlotsThreads, SlotsPassBetweenThreadsThatDoNotKnowEachOther) {
  ReaderSlots slots;
  std::vector<std::thread> spawners;
  for (int i = 0; i < 3; ++i) {
    spawners.emplace_back([&] {
      for (int j = 0; j < 100; ++j) {
        std::thread([&] {
          const ReaderSlots::Guard guard(slots);
          guard.counters().lookups.Add(1);
        }).join();
      }
    });
  }
  for (std::thread& spawner : spawners) spawner.join();
  EXPECT_EQ(Lookups(slots), 300u);
  EXPECT_LE(SlotsOf(slots), 3);
}

// One thread at many stores, some of which are gone by then.
TEST(ReaderSlotsThreads, OneThreadMayReadManyStores) {
  std::vector<std::unique_ptr<ReaderSlots>> stores;
  for (int round = 0; round < 100; ++round) {
    stores.push_back(std::make_unique<ReaderSlots>());
    if (stores.size() > 5) stores.erase(stores.begin());
    for (const auto& store : stores) {
      const ReaderSlots::Guard guard(*store);
      const ReaderSlots::Guard other(*stores.front());
      guard.counters().lookups.Add(1);
    }
  }
  EXPECT_EQ(Lookups(*stores.front()), 5u);
  EXPECT_EQ(Lookups(*stores.back()), 1u);
  EXPECT_EQ(SlotsOf(*stores.front()), 1);
}

}  // namespace
}  // namespace tamis
