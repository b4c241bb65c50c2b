// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/block_filter.h"

#include <algorithm>

#include "base/append_zeros.h"
#include "base/coding.h"
#include "base/crc32c.h"
#include "formats/tamis/line_view.h"
#include "math/blocked_bloom.h"

namespace tamis {
namespace {

// The layout of the header.
struct BlockFilterHeader {
  static constexpr std::string_view kMagic = "\x89TBLKF\r\n";
  static constexpr std::size_t kChecksumAt = 8;  // 4 bytes, of all that follows
  static constexpr std::size_t kProbesAt = 12;   // 4 bytes
  static constexpr std::size_t kSeedAt = 16;     // this and the others: 8 bytes
  static constexpr std::size_t kBlocksAt = 24;
  static constexpr std::size_t kPairsAt = 32;
  static constexpr std::size_t kLinesAt = 40;
  static constexpr std::size_t kReservedAt = 48;  // 16 bytes
  // As long as a line, so that the lines are aligned if the filter is.
  static constexpr std::size_t kBytes = 64;
  // More take 64 GiB: no table has them.
  static constexpr std::uint64_t kMaxLines = std::uint64_t{1} << 30;

  static std::uint32_t ChecksumOf(Slice bytes) noexcept {
    return Crc32c(bytes.substr(kProbesAt));
  }
  static bool HasReservedBytes(Slice bytes) noexcept {
    const Slice reserved = bytes.substr(kReservedAt, kBytes - kReservedAt);
    return std::any_of(reserved.begin(), reserved.end(),
                       [](char byte) { return byte != 0; });
  }
};

}  // namespace

double BlockFilterView::expected_rate() const noexcept {
  return BlockedRate({BlockKind::kLine, count, probes.count}, pairs);
}

Result<BlockFilterView> ViewBlockFilter(Slice bytes) {
  using Header = BlockFilterHeader;
  if (bytes.size() < Header::kBytes || !bytes.starts_with(Header::kMagic)) {
    return Status::Corruption("block filter: it has no header");
  }
  const char* const header = bytes.data();
  if (LoadLittle32(header + Header::kChecksumAt) != Header::ChecksumOf(bytes)) {
    return Status::Corruption("block filter: its checksum does not match");
  }
  if (Header::HasReservedBytes(bytes)) {
    return Status::NotSupported("block filter: of a later version");
  }
  BlockFilterView view;
  const std::uint32_t probes = LoadLittle32(header + Header::kProbesAt);
  view.seed = LoadLittle64(header + Header::kSeedAt);
  view.blocks = LoadLittle64(header + Header::kBlocksAt);
  view.pairs = LoadLittle64(header + Header::kPairsAt);
  view.count = LoadLittle64(header + Header::kLinesAt);
  if (probes == 0 || probes > kMaxLineProbes) {
    return Status::Corruption("block filter: impossible number of probes");
  }
  if (view.count == 0 || view.count > Header::kMaxLines ||
      bytes.size() != Header::kBytes + view.count * kLineBytes) {
    return Status::Corruption("block filter: its length does not fit");
  }
  view.probes = TamisLineProbes(probes);
  view.lines = reinterpret_cast<const unsigned char*>(header) + Header::kBytes;
  return view;
}

Status BlockFilterBuilder::Finish(std::string* dst) const {
  using Header = BlockFilterHeader;
  const double bits =
      static_cast<double>(pairs_.size()) * static_cast<double>(bits_per_key_);
  const std::uint64_t lines =
      static_cast<std::uint64_t>(bits / static_cast<double>(kLineBits)) + 1;
  if (lines > Header::kMaxLines) {
    return Status::ResourceExhausted("block filter: more than 64 GiB");
  }
  const unsigned probes = BestLineProbes(bits_per_key_);
  const std::size_t start = dst->size();
  Status room = AppendZeros(
      dst, Header::kBytes + static_cast<std::size_t>(lines) * kLineBytes);
  if (!room.ok()) return room;
  char* const header = dst->data() + start;
  Header::kMagic.copy(header, Header::kMagic.size());
  StoreLittle(header + Header::kProbesAt, static_cast<std::uint32_t>(probes));
  StoreLittle(header + Header::kSeedAt, seed_);
  StoreLittle(header + Header::kBlocksAt, blocks_);
  StoreLittle(header + Header::kPairsAt,
              static_cast<std::uint64_t>(pairs_.size()));
  StoreLittle(header + Header::kLinesAt, lines);
  const MutableLineFilter filter = {
      .lines = reinterpret_cast<unsigned char*>(header) + Header::kBytes,
      .count = lines,
      .probes = TamisLineProbes(probes)};
  for (const std::uint64_t pair : pairs_) filter.Mark(pair);
  StoreLittle(header + Header::kChecksumAt,
              Header::ChecksumOf(Slice(*dst).substr(start)));
  return Status::Ok();
}

}  // namespace tamis
