// SPDX-License-Identifier: Apache-2.0
#include "bench/memory_soak.h"

#include <sys/resource.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "bench/clocks.h"
#include "bench/cold_disk.h"
#include "hash/splitmix64.h"
#include "tamis/store.h"

namespace tamis::bench {
namespace {

constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kValueBytes = 100;
constexpr std::size_t kKeysPerMultiGet = 16;
constexpr unsigned kPutsPerBatch = 16;
constexpr unsigned kEntriesPerScan = 10;

// Keys of consecutive numbers are spread over all tables: those of the hot set
// share no block.
std::string KeyOf(std::uint64_t number, bool is_there = true) {
  return fmt::format("{:015x}{}", SplitMix64(number) >> 4,
                     is_there ? 'k' : 'm');
}

// The key, a seed, and bytes that follow from both: whoever reads a value can
// tell that it is one.
std::string ValueOf(std::string_view key, std::uint64_t seed) {
  std::string value(key);
  value.append(reinterpret_cast<const char*>(&seed), sizeof(seed));
  std::uint64_t state = seed;
  while (value.size() < kValueBytes) {
    state = SplitMix64(state);
    value.append(reinterpret_cast<const char*>(&state), sizeof(state));
  }
  return value;
}

bool IsValueOf(std::string_view key, std::string_view value) {
  std::uint64_t seed = 0;
  if (value.size() < kKeyBytes + sizeof(seed)) return false;
  std::memcpy(&seed, value.data() + kKeyBytes, sizeof(seed));
  return value == ValueOf(key, seed);
}

// What this thread has had read from disks, in sectors.
std::uint64_t SectorsOfThread() {
  struct ::rusage usage = {};
  ::getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_inblock);
}

// A line of /proc/self/status, in bytes.
std::uint64_t StatusLine(std::string_view name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name)) {
      return std::stoull(line.substr(name.size())) * 1024;
    }
  }
  return 0;
}

// What all threads have done so far.
struct Counts {
  std::atomic<std::uint64_t> operations{0};
  std::atomic<std::uint64_t> hot{0};
  std::atomic<std::uint64_t> hot_from_disk{0};
  std::atomic<std::uint64_t> cold{0};
  std::atomic<std::uint64_t> cold_from_disk{0};
};

class Worker {
 public:
  Worker(const SoakPlan& plan, std::uint64_t keys, Store* store, Counts* counts,
         unsigned number)
      : plan_(plan),
        keys_(keys),
        store_(store),
        counts_(counts),
        state_(SplitMix64(plan.seed + number)) {}

  // One operation of the mix.
  Status Do() {
    const std::uint64_t draw = Random() % 100;
    counts_->operations.fetch_add(1, std::memory_order_relaxed);
    if (draw < 40) {
      return GetPresent(Random() % plan_.hot_keys, &counts_->hot,
                        &counts_->hot_from_disk);
    }
    if (draw < 55) {
      return GetPresent(Random() % keys_, &counts_->cold,
                        &counts_->cold_from_disk);
    }
    if (draw < 70) return GetMissing();
    if (draw < 90) return PutMany();
    return draw < 95 ? MultiGet() : Scan();
  }

  Status Put(std::uint64_t number) {
    const std::string key = KeyOf(number);
    return store_->Put({}, key, ValueOf(key, Random()));
  }

 private:
  std::uint64_t Random() { return state_ = SplitMix64(state_); }

  static Status Wrong(std::string_view key, const Status& status) {
    return Status::Corruption(
        fmt::format("the store answered wrongly for the key {}: {}", key,
                    status.ToString()));
  }

  Status GetPresent(std::uint64_t number, std::atomic<std::uint64_t>* all,
                    std::atomic<std::uint64_t>* from_disk) {
    const std::string key = KeyOf(number);
    const std::uint64_t before = SectorsOfThread();
    const Status got = store_->Get({}, key, &value_);
    all->fetch_add(1, std::memory_order_relaxed);
    if (SectorsOfThread() != before) {
      from_disk->fetch_add(1, std::memory_order_relaxed);
    }
    return got.ok() && IsValueOf(key, value_) ? got : Wrong(key, got);
  }

  Status GetMissing() {
    const std::string key = KeyOf(Random(), /*is_there=*/false);
    const Status got = store_->Get({}, key, &value_);
    return got.code() == StatusCode::kNotFound ? Status::Ok() : Wrong(key, got);
  }

  Status PutMany() {
    WriteBatch batch;
    for (unsigned i = 0; i < kPutsPerBatch; ++i) {
      const std::string key = KeyOf(Random() % keys_);
      batch.Put(key, ValueOf(key, Random()));
    }
    return store_->Write({}, batch);
  }

  Status MultiGet() {
    std::array<std::string, kKeysPerMultiGet> keys;
    std::array<Slice, kKeysPerMultiGet> slices;
    std::array<std::string, kKeysPerMultiGet> values;
    std::array<Status, kKeysPerMultiGet> statuses;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      slices[i] = keys[i] = KeyOf(Random() % keys_);
    }
    store_->MultiGet({}, slices, values, statuses);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!statuses[i].ok() || !IsValueOf(keys[i], values[i])) {
        return Wrong(keys[i], statuses[i]);
      }
    }
    return Status::Ok();
  }

  Status Scan() {
    const std::string start = KeyOf(Random() % keys_);
    const std::unique_ptr<Iterator> at = store_->NewIterator();
    unsigned seen = 0;
    for (at->Seek(start); at->Valid() && seen < kEntriesPerScan; at->Next()) {
      if (seen == 0 && at->key() != start) break;
      if (!IsValueOf(at->key(), at->value())) return Wrong(start, at->status());
      ++seen;
    }
    return seen > 0 && at->status().ok() ? Status::Ok()
                                         : Wrong(start, at->status());
  }

  const SoakPlan& plan_;
  const std::uint64_t keys_;
  Store* const store_;
  Counts* const counts_;
  std::uint64_t state_;
  std::string value_;
};

// Everything that is counted, at one moment.
struct Moment {
  double time = 0;
  std::uint64_t operations = 0;
  std::uint64_t hot = 0;
  std::uint64_t hot_from_disk = 0;
  std::uint64_t cold = 0;
  std::uint64_t cold_from_disk = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t compacted_bytes = 0;
  std::uint64_t stalls = 0;
};

Moment Now(const Counts& counts, const Store& store) {
  const StoreStats stats = store.Stats();
  const auto read = BytesReadByProcess();
  return {.time = WallNanoseconds() / 1e9,
          .operations = counts.operations,
          .hot = counts.hot,
          .hot_from_disk = counts.hot_from_disk,
          .cold = counts.cold,
          .cold_from_disk = counts.cold_from_disk,
          .disk_bytes = read.ok() ? *read : 0,
          .compacted_bytes =
              stats.compaction_bytes_read + stats.compaction_bytes_written,
          .stalls = stats.stall_microseconds};
}

double Share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

SoakInterval Between(const Moment& from, const Moment& to) {
  return {.rate = static_cast<double>(to.operations - from.operations) /
                  (to.time - from.time),
          .hot_share =
              Share(to.hot_from_disk - from.hot_from_disk, to.hot - from.hot),
          .cold_share = Share(to.cold_from_disk - from.cold_from_disk,
                              to.cold - from.cold),
          .own_bytes = StatusLine("RssAnon:"),
          .file_bytes = StatusLine("RssFile:"),
          .disk_bytes = to.disk_bytes - from.disk_bytes,
          .compacted_bytes = to.compacted_bytes - from.compacted_bytes,
          .stall_microseconds = to.stalls - from.stalls};
}

// Threads that work until they are stopped or one of them has failed.
class Crew {
 public:
  Crew(const SoakPlan& plan, std::uint64_t keys, Store* store, Counts* counts) {
    for (unsigned i = 0; i < plan.threads; ++i) {
      threads_.emplace_back([=, this, &plan] {
        Worker worker(plan, keys, store, counts, i);
        while (!is_over_.load(std::memory_order_relaxed)) {
          if (Status did = worker.Do(); !did.ok()) return Fail(did);
        }
      });
    }
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { static_cast<void>(Stop()); }

  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }
  // Returns what failed first.
  Status Stop() {
    is_over_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    return failure_;
  }

 private:
  void Fail(const Status& why) {
    const std::lock_guard lock(mutex_);
    if (failure_.ok()) failure_ = why;
    is_over_ = true;
  }

  std::atomic<bool> is_over_{false};
  std::mutex mutex_;
  Status failure_;
  std::vector<std::thread> threads_;
};

double MedianRate(std::vector<SoakInterval> some) {
  const auto middle =
      some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
  std::nth_element(some.begin(), middle, some.end(),
                   [](const SoakInterval& a, const SoakInterval& b) {
                     return a.rate < b.rate;
                   });
  return middle->rate;
}

std::uint64_t MostMemory(const std::vector<SoakInterval>& some) {
  return std::max_element(some.begin(), some.end(),
                          [](const SoakInterval& a, const SoakInterval& b) {
                            return a.own_bytes < b.own_bytes;
                          })
      ->own_bytes;
}

}  // namespace

std::vector<std::string> FaultsOf(const std::vector<SoakInterval>& intervals) {
  constexpr std::uint64_t kAllowance = std::uint64_t{32} << 20;
  std::vector<std::string> faults;
  if (intervals.size() < 5) return faults;
  const auto quarter = static_cast<std::ptrdiff_t>((intervals.size() + 2) / 4);
  const std::vector<SoakInterval> first(intervals.begin() + 1,
                                        intervals.begin() + 1 + quarter);
  const std::vector<SoakInterval> rest(intervals.begin() + 1 + quarter,
                                       intervals.end());
  const std::vector<SoakInterval> last(intervals.end() - quarter,
                                       intervals.end());
  if (MostMemory(rest) > MostMemory(first) * 5 / 4 + kAllowance) {
    faults.push_back(fmt::format("its own memory grew from {} to {} MiB",
                                 MostMemory(first) >> 20,
                                 MostMemory(rest) >> 20));
  }
  if (MedianRate(last) < MedianRate(first) / 4) {
    faults.push_back(
        fmt::format("its rate fell from {:.0f} to {:.0f} operations per second",
                    MedianRate(first), MedianRate(last)));
  }
  return faults;
}

Status Soak(const SoakPlan& plan,
            const std::function<void(const SoakInterval&)>& report) {
  StoreOptions options;
  options.create_if_missing = true;
  options.compression = plan.compression;
  auto opened = Store::Open(plan.dir, options);
  if (!opened.ok()) return opened.status();
  const std::unique_ptr<Store> store = *std::move(opened);
  const std::uint64_t keys =
      std::max(plan.store_bytes / (kKeyBytes + kValueBytes), plan.hot_keys);
  Counts counts;
  Worker filler(plan, keys, store.get(), &counts, plan.threads);
  for (std::uint64_t i = 0; i < keys; ++i) {
    if (Status put = filler.Put(i); !put.ok()) return put;
  }
  if (Status flushed = store->Flush(); !flushed.ok()) return flushed;
  Crew crew(plan, keys, store.get(), &counts);
  const auto start = std::chrono::steady_clock::now();
  Moment from = Now(counts, *store);
  for (unsigned i = 1; i <= plan.intervals && !crew.is_over(); ++i) {
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<std::chrono::nanoseconds>(
                    std::chrono::duration<double>(i * plan.interval_seconds)));
    const Moment to = Now(counts, *store);
    report(Between(from, to));
    from = to;
  }
  return crew.Stop();
}

}  // namespace tamis::bench
