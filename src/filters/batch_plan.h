// SPDX-License-Identifier: Apache-2.0
// filters/batch_plan.h -- how far ahead of the checks a batch of queries
// prefetches, by the filter's size and the caches of the CPU.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/cpu.h"

namespace tamis {

struct BatchPlan {
  // How many groups stay prepared whenever one is finished: so many and one
  // more are prepared before the first is finished.  0: each is finished at
  // once.
  std::size_t ahead = 0;
};

// What a batch is like.
struct BatchShape {
  std::uint64_t filter_bytes = 0;
  std::size_t lines_per_key = 1;  // that a query reads
  std::size_t group_keys = 1;
  std::size_t max_ahead = 1;  // that the loop has memory for; at least 1
};

// A filter within the second-level cache is not prepared ahead: its lines are a
// few cycles away.  (They are still prefetched, for that is one instruction,
// and a small filter among many may be cold.)  For a larger one, the groups
// ahead have as many lines as a quarter of the first-level cache: 128 with 32
// KiB.  These are several times the requests that a CPU has in flight, so that
// a line has arrived when it is read; and they are a small part of the
// second-level cache, into which they are prefetched, so that none is evicted
// before.  See docs/design/8-kernels.md.
constexpr BatchPlan PlanBatch(const BatchShape& shape,
                              const CacheSizes& caches) noexcept {
  constexpr std::size_t kCacheLine = 64;
  // What the smallest CPUs of the last years have, if nothing is reported.
  const std::uint64_t l1d =
      caches.l1d != 0 ? caches.l1d : std::uint64_t{32} << 10;
  const std::uint64_t l2 =
      caches.l2 != 0 ? caches.l2 : std::uint64_t{256} << 10;
  if (shape.filter_bytes <= l2) return {.ahead = 0};
  const std::uint64_t keys = l1d / 4 / (kCacheLine * shape.lines_per_key);
  const auto groups = static_cast<std::size_t>(keys / shape.group_keys);
  return {.ahead = std::clamp<std::size_t>(groups, 1, shape.max_ahead)};
}

}  // namespace tamis
