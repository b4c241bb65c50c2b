#include "formats/tamis_from_digests.h"

#include <span>

#include "base/append_zeros.h"
#include "base/coding.h"
#include "base/wide_math.h"
#include "filters/batch_loop.h"
#include "filters/bumped_build.h"
#include "filters/kernels.h"
#include "filters/line_filter.h"
#include "formats/fuse_payload.h"
#include "formats/line_view.h"
#include "formats/tamis_container.h"
#include "math/fast_range.h"

namespace tamis {
namespace {

TamisHeader HeaderOf(TamisKind kind, const DigestedKeys& keys) {
  TamisHeader header;
  header.kind = static_cast<std::uint16_t>(kind);
  header.hash = static_cast<std::uint16_t>(TamisHash::kXxh3);
  header.seed = keys.seed;
  header.keys = keys.digests->size();
  return header;
}

void Seal(const TamisHeader& header, std::size_t start, std::string* dst) {
  SealTamis({dst->data() + start, dst->size() - start}, header);
}

// Ascending digests mark ascending lines, so nothing has to be prefetched.
void MarkLines(const MutableLineFilter& filter,
               std::span<const std::uint64_t> digests) noexcept {
  constexpr std::size_t kGroup = 64;
  const Kernels& kernels = ActiveKernels();
  ForEachPrepared<kGroup, BatchOrder::kInTurn>(
      digests, [&](std::uint64_t digest) { return filter.MarkOf(digest); },
      [&](std::size_t /*first*/, std::span<const BlockMark> marks) {
        kernels.mark_lines(marks.data(), marks.size(), filter.probes);
      });
}

}  // namespace

// Ranges end where lines do, so that no two threads mark one line.
Status AppendTamisLines(const DigestedKeys& keys, std::uint64_t bits,
                        unsigned probes, std::string* dst) {
  constexpr std::uint64_t kRangeKeys = std::uint64_t{1} << 17;  // 1 MiB
  const std::uint64_t lines = bits / kLineBits;
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, kTamisHeaderBytes + lines * kLineBytes);
  if (!room.ok()) return room;
  const MutableLineFilter filter = {
      .lines = reinterpret_cast<unsigned char*>(dst->data() + start +
                                                kTamisHeaderBytes),
      .count = lines,
      .probes = TamisLineProbes(probes)};
  const std::size_t ranges = keys.digests->size() / kRangeKeys + 1;
  Status marked = keys.digests->ForEachRange(
      ranges,
      [&](std::size_t i) {
        const auto line = static_cast<Uint128>(i) * lines / ranges;
        return FirstHashOf(static_cast<std::uint64_t>(line), lines);
      },
      [&](std::size_t /*i*/, std::span<const std::uint64_t> digests) {
        MarkLines(filter, digests);
      });
  if (!marked.ok()) return marked;
  TamisHeader header = HeaderOf(TamisKind::kLineBloom, keys);
  header.size_parameter = lines;
  header.parameter_a = probes;
  Seal(header, start, dst);
  return Status::Ok();
}

Status AppendTamisRibbon(const DigestedKeys& keys, std::uint32_t columns,
                         const BuildOptions& options, std::string* dst) {
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, kTamisHeaderBytes);
  if (!room.ok()) return room;
  Result<BumpedFilter> filter =
      BuildBumped(columns, keys.digests, options, dst);
  if (!filter.ok()) return filter.status();
  for (std::size_t i = 1; i < filter->layers.size(); ++i) {
    AppendFixed64(dst, filter->layers[i]);
  }
  TamisHeader header = HeaderOf(TamisKind::kRibbon, keys);
  header.size_parameter = filter->layers.empty() ? 0 : filter->layers[0];
  header.parameter_a = columns;
  // Rows, attempt and layers: docs/formats/tamis-ribbon.md
  header.parameter_b = static_cast<std::uint32_t>(filter->last.rows |
                                                  filter->last.attempt << 16 |
                                                  filter->layers.size() << 24);
  Seal(header, start, dst);
  return Status::Ok();
}

Status AppendTamisFuse(const DigestedKeys& keys, const FuseSettings& settings,
                       const BuildOptions& options, std::string* dst) {
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, kTamisHeaderBytes);
  if (!room.ok()) return room;
  FuseBuild build;
  build.settings = settings;
  build.progress = options.progress;
  build.threads = options.threads;
  Status written = AppendFusePayload(keys.digests, build, dst);
  if (!written.ok()) return written;
  TamisHeader header = HeaderOf(TamisKind::kFuse, keys);
  header.size_parameter = FuseParts(keys.digests->size());
  header.parameter_a = settings.cell_bits;
  header.parameter_b = settings.arity;
  Seal(header, start, dst);
  return Status::Ok();
}

}  // namespace tamis
