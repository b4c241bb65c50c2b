// SPDX-License-Identifier: Apache-2.0
#include "tamis/line_query.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "filters/bloom/line_bloom.h"
#include "filters/bloom/line_filter.h"
#include "filters/kernels/kernels.h"
#include "formats/tamis/line_view.h"

namespace tamis {
namespace {

using ProbesOfCounts = std::array<WideLineProbes, kMaxLineProbes + 1>;

template <std::size_t... kCount>
constexpr ProbesOfCounts EveryCount(std::index_sequence<kCount...>) noexcept {
  return {WideLineProbes(TamisLineProbes(kCount))...};
}

constexpr ProbesOfCounts kProbesOfCounts =
    EveryCount(std::make_index_sequence<kMaxLineProbes + 1>());

// For filters with so many probes that the kernels' form does not have all.
bool CheckManyProbes(const unsigned char* lines, std::uint64_t count,
                     std::uint64_t hash,
                     const WideLineProbes& probes) noexcept {
  const LineFilter filter = {
      .lines = lines, .count = count, .probes = TamisLineProbes(probes.count)};
  return filter.Check(ActiveKernels(), hash);
}

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
  query.probes_ = &kProbesOfCounts[view->probes.count];
  query.check_ = view->probes.count <= WideLineProbes::kMax
                     ? ActiveKernels().check_hash
                     : CheckManyProbes;
  return query;
}

}  // namespace tamis
