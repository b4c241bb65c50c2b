// SPDX-License-Identifier: Apache-2.0
// What readers see: the newest view, and nothing of it goes while they look.

#include "store/view_publisher.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace tamis {
namespace {

// A view that can be told from others by its log number.
std::shared_ptr<ReadView> NewView(std::uint64_t log_number) {
  auto view = std::make_shared<ReadView>();
  view->memtable.log_number = log_number;
  return view;
}

class Views {
 public:
  void Publish(std::shared_ptr<const ReadView> next) {
    const StoreLock lock(mutex_);
    views_.Publish(std::move(next));
  }
  ViewPublisher& publisher() { return views_; }

 private:
  StoreMutex mutex_;
  ViewPublisher views_{mutex_};
};

TEST(ViewPublisher, ReadersAndWritersSeeTheViewThatWasPublishedLast) {
  Views views;
  EXPECT_EQ(views.publisher().Current(), nullptr);
  views.Publish(NewView(1));
  views.Publish(NewView(2));
  const ReaderSlots::Guard guard(views.publisher().slots());
  EXPECT_EQ(views.publisher().visible().memtable.log_number, 2u);
  EXPECT_EQ(views.publisher().Current()->memtable.log_number, 2u);
}

TEST(ViewPublisher, AViewThatWasReplacedStaysUntilItIsReleased) {
  Views views;
  std::weak_ptr<const ReadView> first;
  std::weak_ptr<const ReadView> second;
  {
    auto view = NewView(1);
    first = view;
    views.Publish(std::move(view));
    view = NewView(2);
    second = view;
    views.Publish(std::move(view));
  }
  views.Publish(NewView(3));
  EXPECT_FALSE(first.expired());
  EXPECT_FALSE(second.expired());
  views.publisher().ReleaseRetired();
  EXPECT_TRUE(first.expired());
  EXPECT_TRUE(second.expired());
  EXPECT_EQ(views.publisher().Current()->memtable.log_number, 3u);
}

TEST(ViewPublisherThreads, ReleasingWaitsForTheReadersThatWereThere) {
  Views views;
  std::weak_ptr<const ReadView> old;
  {
    auto view = NewView(1);
    old = view;
    views.Publish(std::move(view));
  }
  std::atomic<bool> is_reading{false};
  std::atomic<bool> may_end{false};
  std::thread reader([&] {
    const ReaderSlots::Guard guard(views.publisher().slots());
    const ReadView& view = views.publisher().visible();
    is_reading = true;
    while (!may_end) std::this_thread::yield();
    EXPECT_EQ(view.memtable.log_number, 1u);
  });
  while (!is_reading) std::this_thread::yield();
  views.Publish(NewView(2));
  std::atomic<bool> is_released{false};
  std::thread releaser([&] {
    views.publisher().ReleaseRetired();
    is_released = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(is_released);
  EXPECT_FALSE(old.expired());
  may_end = true;
  reader.join();
  releaser.join();
  EXPECT_TRUE(old.expired());
}

TEST(ViewPublisher, AViewThatAnIteratorHoldsOutlivesItsRelease) {
  Views views;
  views.Publish(NewView(1));
  const std::shared_ptr<const ReadView> held = views.publisher().Current();
  views.Publish(NewView(2));
  views.publisher().ReleaseRetired();
  EXPECT_EQ(held->memtable.log_number, 1u);
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace tamis
