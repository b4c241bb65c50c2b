// SPDX-License-Identifier: Apache-2.0
#include "tamis/spread.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/append_zeros.h"
#include "base/coding.h"
#include "base/no_throw.h"
#include "formats/tamis/any_kind.h"
#include "formats/tamis/container.h"
#include "formats/tamis/kinds.h"
#include "formats/tamis/line_view.h"
#include "math/fast_range.h"

namespace tamis {
namespace {

// Offsets of docs/formats/tamis.md.
constexpr std::size_t kSizeParameterAt = 32;
constexpr std::size_t kSeedAt = 16;
constexpr std::size_t kParameterAAt = 40;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 60;

// Returns the bytes of a block, or 0 if the kind has none whose number follows
// from the hash alone.
std::size_t BlockBytesOf(Slice file) noexcept {
  const TamisKindRow* const row = RowOfBytes(file);
  if (row == nullptr || !row->unit.blocks.has_value()) return 0;
  return static_cast<std::size_t>(row->unit.bits / 8);
}

// Returns the smallest number of parts that are small enough; 0: there is none.
std::uint64_t FewestParts(std::uint64_t blocks, std::uint64_t most_blocks) {
  if (most_blocks == 0) return 0;
  const std::uint64_t most = std::min(blocks, FilterSpread::kMaxParts);
  for (std::uint64_t parts = (blocks - 1) / most_blocks + 1; parts <= most;
       ++parts) {
    if (blocks % parts == 0) return parts;
  }
  return 0;
}

Status CannotBeSo(Slice filter, std::uint64_t parts) {
  const std::string start =
      parts == 0
          ? "the filter cannot be divided into parts that are small enough"
          : "the filter cannot be divided into " + std::to_string(parts) +
                " parts";
  if (BlockBytesOf(filter) == 0) {
    return Status::InvalidArgument(
        start + ": only the kinds bloom and splitblock can; others are one");
  }
  return Status::InvalidArgument(
      start + ": its number of blocks, " +
      std::to_string(LoadLittle64(filter.data() + kSizeParameterAt)) +
      ", must be a multiple, and there are at most " +
      std::to_string(FilterSpread::kMaxParts) +
      "; build it with fold=64, say, as in bloom:fpr=0.01,fold=64");
}

// Copies block `part` of the whole, and every further one `parts` after it, to
// one place one after the other, or back.
template <bool kBack, typename Whole, typename Part>
void CopyBlocks(const FilterSpread& spread, std::uint64_t part,
                std::size_t block_bytes, Whole* whole, Part* file) {
  const std::uint64_t stride = spread.parts * block_bytes;
  const std::uint64_t count = spread.blocks / spread.parts;
  whole += part * block_bytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    if constexpr (kBack) {
      std::memcpy(whole + i * stride, file + i * block_bytes, block_bytes);
    } else {
      std::memcpy(file + i * block_bytes, whole + i * stride, block_bytes);
    }
  }
}

Result<FilterSpread> Plan(Slice filter, std::uint64_t parts,
                          std::uint64_t max_part_bytes) {
  if (Result<TamisContents> contents = ParseTamis(filter); !contents.ok()) {
    return contents.status();
  }
  FilterSpread spread;
  spread.seed = LoadLittle64(filter.data() + kSeedAt);
  const std::size_t block_bytes = BlockBytesOf(filter);
  const bool is_small = filter.size() <= max_part_bytes;
  if (parts == 1 || (parts == 0 && is_small)) {
    if (is_small) return spread;
    return CannotBeSo(filter, parts);
  }
  if (block_bytes == 0) return CannotBeSo(filter, parts);
  Result<TamisBloom> bloom = ParseTamisBloom(filter);
  if (!bloom.ok()) return bloom.status();
  spread.blocks = bloom->parsed.payload.size() / block_bytes;
  const std::uint64_t most_blocks =
      max_part_bytes < kTamisHeaderBytes
          ? 0
          : (max_part_bytes - kTamisHeaderBytes) / block_bytes;
  spread.parts = parts != 0 ? parts : FewestParts(spread.blocks, most_blocks);
  if (spread.parts == 0 || spread.parts > FilterSpread::kMaxParts ||
      spread.blocks % spread.parts != 0 ||
      spread.blocks / spread.parts > most_blocks) {
    return CannotBeSo(filter, parts);
  }
  return spread;
}

Status AppendPartOf(Slice filter, const FilterSpread& spread,
                    std::uint64_t part, std::string* dst) {
  if (spread.parts == 1) {
    dst->append(filter);
    return Status::Ok();
  }
  const std::size_t block_bytes = BlockBytesOf(filter);
  const std::uint64_t blocks = spread.blocks / spread.parts;
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, kTamisHeaderBytes + blocks * block_bytes);
  if (!room.ok()) return room;
  const std::span<char> file(dst->data() + start, dst->size() - start);
  CopyBlocks<false>(spread, part, block_bytes,
                    filter.data() + kTamisHeaderBytes,
                    file.data() + kTamisHeaderBytes);
  TamisHeader header =
      NewTamisHeader(static_cast<TamisKind>(PeekTamisKind(filter)), spread.seed,
                     kTamisKeysUnknown);
  header.size_parameter = blocks;
  header.parameter_a = LoadLittle32(filter.data() + kParameterAAt);
  SealTamis(file, header);
  return Status::Ok();
}

}  // namespace

std::uint64_t FilterSpread::PartOf(Slice key) const noexcept {
  return FastRange(LineHash(key, seed), blocks) % parts;
}

Result<FilterSplitter> FilterSplitter::Open(Slice filter, std::uint64_t parts,
                                            std::uint64_t max_part_bytes) {
  return NoThrow([&]() -> Result<FilterSplitter> {
    const Result<FilterSpread> spread = Plan(filter, parts, max_part_bytes);
    if (!spread.ok()) return spread.status();
    FilterSplitter splitter;
    splitter.filter_ = filter;
    splitter.spread_ = *spread;
    return splitter;
  });
}

Status FilterSplitter::AppendPart(std::uint64_t part, std::string* dst) const {
  return NoThrowAppending(
      dst, [&] { return AppendPartOf(filter_, spread_, part, dst); });
}

Result<FilterJoiner> FilterJoiner::Open(Slice header,
                                        const FilterSpread& spread) {
  return NoThrow([&]() -> Result<FilterJoiner> {
    const std::size_t block_bytes = BlockBytesOf(header);
    const bool is_whole = spread.parts == 1 && spread.blocks == 1;
    const bool is_divided =
        spread.parts > 1 && spread.parts <= FilterSpread::kMaxParts &&
        spread.blocks % spread.parts == 0 && block_bytes != 0 &&
        spread.blocks <= kMaxBytes / block_bytes;
    if (header.size() != kTamisHeaderBytes ||
        !header.starts_with(kTamisMagic) || (!is_whole && !is_divided)) {
      return Status::Corruption("spread: the header has no such parts");
    }
    FilterJoiner joiner;
    joiner.header_ = header;
    joiner.spread_ = spread;
    joiner.added_.resize(static_cast<std::size_t>(spread.parts));
    return joiner;
  });
}

Status FilterJoiner::Add(std::uint64_t part, Slice file) {
  return NoThrow([&]() -> Status {
    Result<TamisContents> contents = ParseTamis(file);
    if (!contents.ok()) return contents.status();
    if (part >= spread_.parts) {
      return Status::Corruption("spread: there is no such part");
    }
    if (spread_.parts == 1) {
      whole_ = file;
      added_[0] = true;
      return Status::Ok();
    }
    const std::size_t block_bytes = BlockBytesOf(header_);
    const TamisHeader& header = contents->header;
    if (header.kind != PeekTamisKind(header_) || header.seed != spread_.seed ||
        header.size_parameter != spread_.blocks / spread_.parts ||
        contents->payload.size() != header.size_parameter * block_bytes) {
      return Status::Corruption("spread: it is a part of another filter");
    }
    if (whole_.empty()) {
      Status room = AppendZeros(
          &whole_, kTamisHeaderBytes + spread_.blocks * block_bytes);
      if (!room.ok()) return room;
      header_.copy(whole_.data(), kTamisHeaderBytes);
    }
    CopyBlocks<true>(spread_, part, block_bytes,
                     whole_.data() + kTamisHeaderBytes,
                     contents->payload.data());
    added_[static_cast<std::size_t>(part)] = true;
    return Status::Ok();
  });
}

Status FilterJoiner::Finish(std::string* dst) {
  return NoThrowAppending(dst, [&]() -> Status {
    if (std::find(added_.begin(), added_.end(), false) != added_.end()) {
      return Status::Corruption("spread: a part is missing");
    }
    const Result<TamisContents> contents = ParseTamis(whole_);
    if (!contents.ok() || !whole_.starts_with(header_)) {
      return Status::Corruption("spread: the parts are of different filters");
    }
    if (dst->empty()) {
      *dst = std::move(whole_);
    } else {
      dst->append(whole_);
    }
    return Status::Ok();
  });
}

}  // namespace tamis
