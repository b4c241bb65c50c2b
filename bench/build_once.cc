// SPDX-License-Identifier: Apache-2.0
#include "bench/build_once.h"

#include <algorithm>

#include "bench/clocks.h"
#include "bench/keys.h"

namespace tamis::bench {
namespace {

// Few enough for their keys to stay in a core's caches.
constexpr std::size_t kBuildChunk = 16384;

// Adds up both clocks.
class Clocks {
 public:
  template <typename Work>
  void Time(const Work& work) {
    const double start = WallNanoseconds();
    spent_.processor += Timed(work);
    spent_.wall += WallNanoseconds() - start;
  }
  BuildTime spent() const { return spent_; }

 private:
  BuildTime spent_;
};

}  // namespace

Result<BuildTime> BuildOnce(Subject* subject, const Plan& plan, Metric how) {
  KeyChunk chunk(kBuildChunk, plan.key_bytes);
  Clocks clocks;
  clocks.Time([&] { subject->Start(plan.keys, how); });
  for (std::uint64_t first = 0; first < plan.keys; first += kBuildChunk) {
    chunk.FillFrom(first,
                   std::min<std::uint64_t>(kBuildChunk, plan.keys - first));
    subject->Prepare(chunk);
    clocks.Time([&] { subject->Add(how); });
  }
  const double added = clocks.spent().wall;
  Status finished;
  clocks.Time([&] { finished = subject->Finish(); });
  if (!finished.ok()) return finished;
  const BuildTime spent = clocks.spent();
  const auto keys = static_cast<double>(plan.keys);
  return BuildTime{.processor = spent.processor / keys,
                   .wall = spent.wall / keys,
                   .finish_wall = (spent.wall - added) / keys};
}

}  // namespace tamis::bench
