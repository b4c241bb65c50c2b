// SPDX-License-Identifier: Apache-2.0
#include "tamis/line_query.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "filters/bloom/line_bloom.h"
#include "filters/kernels/kernels.h"
#include "formats/tamis/line_view.h"

namespace tamis {
namespace {

using ProbesOfCounts = std::array<LineProbes, kMaxLineProbes + 1>;

constexpr ProbesOfCounts EveryCount() noexcept {
  ProbesOfCounts all{};
  for (unsigned count = 0; count < all.size(); ++count) {
    all[count] = TamisLineProbes(count);
  }
  return all;
}

constexpr ProbesOfCounts kProbesOfCounts = EveryCount();

}  // namespace

std::optional<LineQuery> LineQuery::Open(Slice bytes) noexcept {
  const std::optional<LineView> view = ViewLines(bytes);
  if (!view.has_value() ||
      view->count > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  LineQuery query;
  query.lines_ = view->lines;
  query.count_ = view->count;
  query.seed_ = view->seed;
  query.check_ = ActiveKernels().check_line;
  query.probes_ = &kProbesOfCounts[view->probes.count];
  return query;
}

}  // namespace tamis
