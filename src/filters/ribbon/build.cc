// SPDX-License-Identifier: Apache-2.0
#include "filters/ribbon/build.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "base/append_zeros.h"
#include "base/mutex.h"
#include "filters/ribbon/coefficients.h"
#include "filters/ribbon/solver.h"

namespace tamis {
namespace {

// The number of keys per row: the excess is bumped, and almost no row stays
// free.  With more, queries would hit bumped keys more often; with fewer, rows
// would be wasted.  docs/design/5-ribbon.md has the figures.
constexpr double kLoad = 1.03;
// Below this, a layer gains nothing over the fallback table.
constexpr std::uint64_t kLastKeys = 256;
// The share of keys that are bumped though there are rows for them, as
// measured.
constexpr double kLostShare = 0.0012;

double LoadOf(const BumpedLayout& shape, std::uint64_t keys,
              std::uint64_t buckets) {
  return static_cast<double>(keys) /
         static_cast<double>(buckets * shape.bucket_rows());
}

// Returns 0 if no number of buckets suits so few keys.
std::uint64_t BucketsFor(const BumpedLayout& shape, std::uint64_t keys) {
  if (keys < kLastKeys) return 0;
  const auto buckets = static_cast<std::uint64_t>(
      static_cast<double>(keys) / (kLoad * shape.bucket_rows()));
  // The rows whose keys a bucket bumps are filled by the bucket before, whose
  // windows reach only so far.
  const double most = 1 + 0.35 * shape.window / shape.bucket_rows();
  if (buckets > 0 && LoadOf(shape, keys, buckets) <= most) return buckets;
  constexpr double kMin = 0.95;
  return LoadOf(shape, keys, buckets + 1) >= kMin ? buckets + 1 : 0;
}

// Lends solvers to threads.
class SolverPool {
 public:
  explicit SolverPool(const BumpedLayer& layer) : layer_(layer) {}

  std::unique_ptr<BumpedSolver> Take() {
    const MutexLock lock(mutex_);
    if (free_.empty()) return std::make_unique<BumpedSolver>(layer_);
    std::unique_ptr<BumpedSolver> solver = std::move(free_.back());
    free_.pop_back();
    return solver;
  }
  void GiveBack(std::unique_ptr<BumpedSolver> solver) {
    const MutexLock lock(mutex_);
    free_.push_back(std::move(solver));
  }

 private:
  const BumpedLayer& layer_;
  Mutex mutex_;
  std::vector<std::unique_ptr<BumpedSolver>> free_ TAMIS_GUARDED_BY(mutex_);
};

// Reports progress to the caller, from one thread at a time.
class Meter {
 public:
  Meter(const std::function<void(double)>& progress, std::uint64_t steps)
      : progress_(progress), steps_(steps) {}

  void StepDone() {
    if (!progress_) return;
    const MutexLock lock(mutex_);
    ++done_;
    progress_(static_cast<double>(done_) / static_cast<double>(steps_));
  }

 private:
  const std::function<void(double)>& progress_;
  const std::uint64_t steps_;
  Mutex mutex_;
  std::uint64_t done_ TAMIS_GUARDED_BY(mutex_) = 0;
};

Status OutOfMemory() {
  return Status::ResourceExhausted("no memory to solve a ribbon filter");
}

// Solves the layer, whose bytes are allocated, and passes on the bumped keys.
Status SolveLayer(const BumpedLayer& layer, KeyHashSet* hashes,
                  const std::function<void(double)>& progress,
                  unsigned char* bytes, KeyHashSet* bumped) {
  constexpr std::uint64_t kAtOnce = BumpedSolver::kPartsAtOnce;
  const auto ranges =
      static_cast<std::size_t>((layer.parts() + kAtOnce - 1) / kAtOnce);
  SolverPool pool(layer);
  Meter meter(progress, ranges);
  Mutex mutex;
  bool out_of_memory = false;  // guarded by the mutex, as is *bumped
  const auto solve = [&](std::size_t i, std::span<const std::uint64_t> some) {
    try {
      std::unique_ptr<BumpedSolver> solver = pool.Take();
      std::vector<std::uint64_t> next;
      solver->Solve(i * kAtOnce, some, bytes, &next);
      pool.GiveBack(std::move(solver));
      std::transform(next.begin(), next.end(), next.begin(), NextLayerHash);
      const MutexLock lock(mutex);
      bumped->Push(next);
    } catch (const std::bad_alloc&) {
      const MutexLock lock(mutex);
      out_of_memory = true;
    }
    meter.StepDone();
  };
  const auto cut = [&layer](std::size_t i) {
    return layer.FirstHashOf(i * kAtOnce * layer.shape().part_buckets());
  };
  if (Status done = hashes->ForEachRange(ranges, cut, solve); !done.ok()) {
    return done;
  }
  if (out_of_memory) return OutOfMemory();
  return bumped->Seal();
}

// In two steps, because a string that grows by doubling becomes too large.
Status Extend(std::string* dst, std::uint64_t start, std::uint64_t total,
              std::uint64_t more, unsigned threads) {
  try {
    if (dst->capacity() < start + total) {
      dst->reserve(static_cast<std::size_t>(start + total));
    }
  } catch (const std::exception&) {  // AppendZeros() will report it
  }
  return AppendZeros(dst, more, threads);
}

// Appends what holds the keys that no layer took.
Result<BumpedFallback> AppendFallback(const BumpedLayout& shape,
                                      KeyHashSet* hashes, std::string* dst) {
  try {
    std::vector<std::uint64_t> rest;
    Status read = hashes->ForEachRange(
        1, [](std::size_t) { return std::uint64_t{0}; },
        [&rest](std::size_t, std::span<const std::uint64_t> all) {
          rest.assign(all.begin(), all.end());
        });
    if (!read.ok()) return read;
    return BuildBumpedFallback(rest, shape.most_columns(),
                               BumpedFallback::kListed, dst);
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

}  // namespace

std::uint64_t BumpedFilter::bytes() const noexcept {
  std::uint64_t sum = last.bytes();
  for (const std::uint64_t buckets : layers) {
    sum += BumpedLayer(shape, buckets).bytes();
  }
  return sum;
}

Result<BumpedFilter> BuildBumped(std::uint32_t columns, KeyHashSet* hashes,
                                 const BuildOptions& options,
                                 std::string* dst) {
  BumpedFilter filter;
  filter.shape = BumpedLayout::Of(columns);
  const std::uint64_t start = dst->size();
  const std::uint64_t total =
      PredictBumped(columns, hashes->size()).bytes() * 101 / 100 + 64;
  std::unique_ptr<KeyHashSet> bumped;
  while (filter.layers.size() < kMaxBumpedLayers) {
    const std::uint64_t buckets = BucketsFor(filter.shape, hashes->size());
    if (buckets == 0) break;
    const BumpedLayer layer(filter.shape, buckets);
    const std::size_t at = dst->size();
    Status room = Extend(dst, start, total, layer.bytes(), options.threads);
    if (!room.ok()) return room;
    auto next = std::make_unique<KeyHashSet>(
        KeyHashSetOptions{.memory_bytes = options.memory_bytes,
                          .temporary_folder = options.temporary_folder,
                          .threads = options.threads});
    // The first layer is all but a thirtieth of the work, so it alone reports
    // progress.
    const bool first = filter.layers.empty();
    Status solved = SolveLayer(
        layer, hashes, first ? options.progress : std::function<void(double)>(),
        reinterpret_cast<unsigned char*>(dst->data()) + at, next.get());
    if (!solved.ok()) return solved;
    filter.layers.push_back(buckets);
    bumped = std::move(next);
    hashes = bumped.get();
  }
  Result<BumpedFallback> last = AppendFallback(filter.shape, hashes, dst);
  if (!last.ok()) return last.status();
  filter.last = *last;
  return filter;
}

BumpedFilter PredictBumped(std::uint32_t columns, std::uint64_t keys) {
  BumpedFilter filter;
  filter.shape = BumpedLayout::Of(columns);
  while (const std::uint64_t buckets = BucketsFor(filter.shape, keys)) {
    filter.layers.push_back(buckets);
    const double load = LoadOf(filter.shape, keys, buckets);
    const double share = std::max(1 - 1 / load, 0.0) + kLostShare;
    keys = static_cast<std::uint64_t>(static_cast<double>(keys) * share);
  }
  filter.last = {.columns = filter.shape.most_columns(),
                 .rows = BumpedLastRows(keys)};
  return filter;
}

}  // namespace tamis
