// SPDX-License-Identifier: Apache-2.0
#include "bench/two_threads.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "bench/clocks.h"
#include "bench/keys.h"

namespace tamis::bench {
namespace {

// Many, since they meet after each round; few enough for their keys to stay
// in a cache.
constexpr std::size_t kKeysPerRound = 1 << 17;  // of each thread

// Adds up the time between every odd meeting and the even one after it.
class RoundClock {
 public:
  void Meet() noexcept {
    const double now = WallNanoseconds();
    if (running_) total_ += now - start_;
    start_ = now;
    running_ = !running_;
  }
  double total() const { return total_; }

 private:
  double total_ = 0;
  double start_ = 0;
  bool running_ = false;
};

struct AtMeeting {
  RoundClock* clock;
  void operator()() const noexcept { clock->Meet(); }
};

// One thread's share: the keys from `thread` rounds on, of `threads` rounds
// one.
struct Share {
  ConcurrentFilter* filter;
  const Plan& plan;
  unsigned thread;
  unsigned threads;
};

Status InsertShare(const Share& share, std::barrier<AtMeeting>* meeting) {
  KeyChunk chunk(std::min<std::uint64_t>(kKeysPerRound, share.plan.keys),
                 share.plan.key_bytes);
  Status status;
  for (std::uint64_t round = 0; round < share.plan.keys;
       round += share.threads * kKeysPerRound) {
    const std::uint64_t first =
        std::min(share.plan.keys, round + share.thread * kKeysPerRound);
    chunk.FillFrom(
        first, std::min<std::uint64_t>(kKeysPerRound, share.plan.keys - first));
    meeting->arrive_and_wait();
    Status inserted = share.filter->InsertMany(chunk.keys());
    meeting->arrive_and_wait();
    if (!inserted.ok()) status = std::move(inserted);
  }
  return status;
}

Status CheckSome(const MutableFilter& filter, const Plan& plan) {
  constexpr std::size_t kChecked = 4096;
  KeyChunk chunk(kChecked, plan.key_bytes);
  chunk.FillBelow(plan.keys, 0, kChecked);
  std::array<bool, kChecked> found = {};
  filter.MayContainMany(chunk.keys(), found);
  if (std::find(found.begin(), found.end(), false) == found.end()) {
    return Status::Ok();
  }
  return Status::Corruption("a key that was inserted is lost");
}

}  // namespace

Result<double> FillFromThreads(const FilterPolicy& policy, const Plan& plan,
                               unsigned threads) {
  const double start = WallNanoseconds();
  auto filter = policy.NewConcurrent(plan.keys);
  const double made = WallNanoseconds() - start;
  if (!filter.ok()) return filter.status();

  RoundClock clock;
  std::barrier<AtMeeting> meeting(static_cast<std::ptrdiff_t>(threads),
                                  AtMeeting{&clock});
  std::vector<Status> statuses(threads);
  {
    std::vector<std::jthread> running;
    for (unsigned i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        statuses[i] =
            InsertShare({filter.value().get(), plan, i, threads}, &meeting);
      });
    }
  }
  for (Status& status : statuses) {
    if (!status.ok()) return std::move(status);
  }
  if (Status found = CheckSome(**filter, plan); !found.ok()) return found;
  return (made + clock.total()) / static_cast<double>(plan.keys);
}

Result<double> FillMutable(const FilterPolicy& policy, const Plan& plan) {
  constexpr std::size_t kChunk = 16384;  // their keys stay in a core's caches
  Result<std::unique_ptr<MutableFilter>> filter =
      Status::NotSupported("not made yet");
  double spent = Timed([&] { filter = policy.NewMutable(plan.keys); });
  if (!filter.ok()) return filter.status();
  KeyChunk chunk(kChunk, plan.key_bytes);
  Status inserted;
  for (std::uint64_t first = 0; first < plan.keys && inserted.ok();
       first += kChunk) {
    chunk.FillFrom(first, std::min<std::uint64_t>(kChunk, plan.keys - first));
    spent += Timed([&] { inserted = (*filter)->InsertMany(chunk.keys()); });
  }
  if (!inserted.ok()) return inserted;
  if (Status found = CheckSome(**filter, plan); !found.ok()) return found;
  return spent / static_cast<double>(plan.keys);
}

}  // namespace tamis::bench
