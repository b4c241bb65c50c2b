// SPDX-License-Identifier: Apache-2.0
#include "filters/range/code_groups.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/coding.h"
#include "base/wide_math.h"
#include "base/word_bits.h"
#include "filters/range/bit_windows.h"

namespace tamis {
namespace {

// Windows of bits are loaded as 8 bytes, so 8 more follow each area.
constexpr std::uint64_t kPadding = 8;
constexpr unsigned kFactorBits = 9;
constexpr std::uint64_t kMinFactor = std::uint64_t{1} << kFactorBits;
constexpr std::uint64_t kMaxFactor = 2 * kMinFactor - 1;
constexpr std::uint64_t kNoCell = ~std::uint64_t{0};
constexpr std::uint64_t kMaxCode = ~std::uint64_t{0};
constexpr std::uint64_t kMaxCodes = kMaxGroupCodes;
// So many neighbours are compared without asking which one it is.
constexpr std::uint64_t kFewGroups = 4;

std::uint64_t BytesOf(std::uint64_t bits) noexcept { return (bits + 7) / 8; }

// The area of the high bits.
std::uint64_t HighBytes(const CellShape& shape, std::uint64_t groups,
                        std::uint64_t codes) noexcept {
  return BytesOf(shape.HighsAt(groups, codes)) + kPadding;
}
std::uint64_t LowBytes(const CellShape& shape, std::uint64_t codes) noexcept {
  return BytesOf(codes * shape.low_bits) + kPadding;
}

void SetBit(char* bits, std::uint64_t at) noexcept {
  bits[at / 8] = static_cast<char>(bits[at / 8] | 1 << (at % 8));
}

std::uint64_t CellsOf(const CellShape& shape, std::uint64_t codes) noexcept {
  return shape.HighsOf(codes) << shape.low_bits;
}

// Bits that a cut before the largest gap saves the codes of a group.
double CutSaves(std::uint64_t codes, std::uint64_t span,
                std::uint64_t gap) noexcept {
  const double rest = 1 - static_cast<double>(gap) / static_cast<double>(span);
  return static_cast<double>(codes) *
         -std::log2(std::max(rest, 1.0 / static_cast<double>(1ull << 60)));
}

// Returns where the group that begins with the first code ends: at most
// kMaxGroupCodes codes, and before a gap that makes it much wider.
std::size_t EndOfGroup(std::span<const std::uint64_t> codes) noexcept {
  std::size_t end = std::min(codes.size(), kMaxGroupCodes);
  while (end > 1) {
    std::size_t cut = 1;
    for (std::size_t i = 2; i < end; ++i) {
      if (codes[i] - codes[i - 1] > codes[cut] - codes[cut - 1]) cut = i;
    }
    const double saved =
        CutSaves(end, codes[end - 1] - codes[0], codes[cut] - codes[cut - 1]);
    if (saved <= 8.0 * static_cast<double>(kGroupBytes)) break;
    end = cut;
  }
  return end;
}

}  // namespace

CellScale CellScale::For(std::uint64_t span, std::uint64_t cells) noexcept {
  // factor / 2^shift is at most cells / (span + 1): both are brought to sizes
  // whose quotient has 10 or 11 bits.
  constexpr int kSpanBits = 54;
  const int up = std::countl_zero(cells);
  const int down = static_cast<int>(std::bit_width(span)) - kSpanBits;
  const std::uint64_t divisor =
      down >= 0 ? (span >> down) + 1 : (span + 1) << -down;
  std::uint64_t factor = (cells << up) / divisor;
  int shift = up + down;
  if (factor > kMaxFactor) {
    factor >>= 1;
    --shift;
  }
  if (shift < 0) {  // more cells than numbers
    factor = kMaxFactor;
    shift = 0;
  }
  factor = std::clamp(factor, kMinFactor, kMaxFactor);
  return {static_cast<std::uint16_t>(
      static_cast<unsigned>(shift) << kFactorBits | (factor - kMinFactor))};
}

std::uint64_t CellScale::CellOf(std::uint64_t distance) const noexcept {
  const unsigned shift = bits >> kFactorBits;
  const std::uint64_t factor = kMinFactor + (bits & (kMinFactor - 1));
  const std::uint64_t high = MultiplyHigh(distance, factor);
  const std::uint64_t low = distance * factor;
  if (shift >= 64) return high >> (shift - 64);
  if (high >> shift != 0) return kNoCell;
  return shift == 0 ? low : low >> shift | high << (64 - shift);
}

std::uint64_t CellScale::FirstWith(std::uint64_t cell) const noexcept {
  const unsigned shift = bits >> kFactorBits;
  const std::uint64_t factor = kMinFactor + (bits & (kMinFactor - 1));
  // Distances are below 2^64 and factors below 2^10.
  if (static_cast<unsigned>(std::bit_width(cell)) + shift > 64 + 10) {
    return cell == 0 ? 0 : kMaxCode;
  }
  const Uint128 product = static_cast<Uint128>(cell) << shift;
  const Uint128 distance = (product + factor - 1) / factor;
  return static_cast<std::uint64_t>(std::min<Uint128>(distance, kMaxCode));
}

unsigned CellScale::width_bits() const noexcept {
  const unsigned shift = bits >> kFactorBits;
  return shift > kFactorBits ? shift - kFactorBits - 1 : 0;
}

std::vector<std::uint32_t> CutGroups(std::span<const std::uint64_t> codes) {
  std::vector<std::uint32_t> starts;
  starts.reserve(codes.size() / 128);
  for (std::size_t at = 0; at < codes.size();) {
    starts.push_back(static_cast<std::uint32_t>(at));
    at += EndOfGroup(codes.subspan(at));
  }
  return starts;
}

std::uint64_t CodeGroupsBytes(const CellShape& shape, std::uint64_t groups,
                              std::uint64_t codes) noexcept {
  return groups * kGroupBytes + HighBytes(shape, groups, codes) +
         LowBytes(shape, codes);
}

namespace {

// Calls visit(group, number of the code in its group, cell) for each code.
template <typename Visit>
void VisitCells(const CellShape& shape, std::span<const std::uint64_t> codes,
                std::span<const std::uint32_t> starts, const Visit& visit) {
  for (std::size_t group = 0; group < starts.size(); ++group) {
    const std::size_t begin = starts[group];
    const std::size_t end =
        group + 1 < starts.size() ? starts[group + 1] : codes.size();
    const std::uint64_t first = codes[begin];
    const CellScale scale =
        CellScale::For(codes[end - 1] - first, CellsOf(shape, end - begin));
    for (std::size_t i = begin; i < end; ++i) {
      visit(group, i - begin, scale, scale.CellOf(codes[i] - first));
    }
  }
}

}  // namespace

void WriteCodeGroups(const CellShape& shape,
                     std::span<const std::uint64_t> codes,
                     std::span<const std::uint32_t> starts,
                     char* out) noexcept {
  char* highs = out + starts.size() * kGroupBytes;
  char* lows = highs + HighBytes(shape, starts.size(), codes.size());
  VisitCells(shape, codes, starts,
             [&](std::size_t group, std::size_t i, CellScale scale,
                 std::uint64_t cell) {
               const std::uint64_t code = starts[group] + i;
               if (i == 0) {
                 char* record = out + group * kGroupBytes;
                 StoreLittle(record, codes[code]);
                 StoreLittle(record + 8, starts[group]);
                 StoreLittle(record + 12, scale.bits);
               }
               SetBit(highs, shape.HighsAt(group, starts[group]) + i +
                                 (cell >> shape.low_bits));
               const std::uint64_t at = code * shape.low_bits;
               const std::uint64_t low =
                   cell & ((std::uint64_t{1} << shape.low_bits) - 1);
               char* p = lows + at / 8;
               StoreLittle(p, LoadLittle64(p) | low << (at % 8));
             });
}

double SharedCells(const CellShape& shape, std::span<const std::uint64_t> codes,
                   std::span<const std::uint32_t> starts) noexcept {
  std::uint64_t shared = 0;
  std::uint64_t last = 0;
  bool last_counted = false;
  VisitCells(shape, codes, starts,
             [&](std::size_t, std::size_t i, CellScale, std::uint64_t cell) {
               const bool same = i > 0 && cell == last;
               if (same) shared += last_counted ? 1 : 2;
               last_counted = same;
               last = cell;
             });
  return codes.empty()
             ? 0
             : static_cast<double>(shared) / static_cast<double>(codes.size());
}

unsigned MinWidthBits(const CellShape& shape,
                      std::span<const std::uint64_t> codes,
                      std::span<const std::uint32_t> starts) noexcept {
  unsigned least = 64;
  VisitCells(shape, codes, starts,
             [&](std::size_t, std::size_t i, CellScale scale, std::uint64_t) {
               if (i == 0) least = std::min(least, scale.width_bits());
             });
  return least;
}

std::optional<CodeGroups> CodeGroups::Parse(const Layout& layout, Slice bytes) {
  if (layout.shape.low_bits > kMaxLowBits || layout.shape.highs == 0 ||
      layout.shape.highs > 0xffff || layout.codes > 0xffffffff ||
      layout.groups > layout.codes ||
      (layout.groups == 0) != (layout.codes == 0) ||
      bytes.size() !=
          CodeGroupsBytes(layout.shape, layout.groups, layout.codes)) {
    return std::nullopt;
  }
  CodeGroups groups;
  groups.layout_ = layout;
  groups.groups_ = bytes.data();
  groups.highs_ = bytes.data() + layout.groups * kGroupBytes;
  groups.lows_ =
      groups.highs_ + HighBytes(layout.shape, layout.groups, layout.codes);
  if (layout.groups > 0 && groups.StartOf(0) != 0) return std::nullopt;
  for (std::uint64_t group = 0; group < layout.groups; ++group) {
    if (!groups.GroupIsWhole(group)) return std::nullopt;
  }
  groups.MakeTops();
  return groups;
}

std::uint64_t CodeGroups::FirstOf(std::uint64_t group) const noexcept {
  return LoadLittle64(groups_ + group * kGroupBytes);
}

std::uint64_t CodeGroups::StartOf(std::uint64_t group) const noexcept {
  if (group == layout_.groups) return layout_.codes;
  return LoadLittle32(groups_ + group * kGroupBytes + 8);
}

bool CodeGroups::GroupIsWhole(std::uint64_t group) const noexcept {
  const std::uint64_t start = StartOf(group);
  const std::uint64_t end = StartOf(group + 1);
  if (end <= start || end - start > kMaxGroupCodes || end > layout_.codes) {
    return false;
  }
  if (group > 0 && FirstOf(group) <= FirstOf(group - 1)) return false;
  const std::uint64_t codes = end - start;
  const std::uint64_t bits = codes + layout_.shape.HighsOf(codes);
  const std::uint64_t at = layout_.shape.HighsAt(group, start);
  std::uint64_t ones = 0;
  for (std::uint64_t i = 0; i < bits; i += kWindowBits) {
    std::uint64_t window = Window(highs_, at + i) & kWindowMask;
    if (bits - i < kWindowBits) window &= (std::uint64_t{1} << (bits - i)) - 1;
    ones += Ones(window);
  }
  return ones == codes;
}

// Codes are spread evenly, so the upper bits of one nearly name its group.
void CodeGroups::MakeTops() {
  const unsigned bits =
      std::max(static_cast<unsigned>(std::bit_width(layout_.groups)), 2u) - 1;
  top_shift_ = 64 - bits;
  tops_.reserve((std::size_t{1} << bits) + 1);
  for (std::uint64_t group = 0; group < layout_.groups; ++group) {
    const std::uint64_t top = FirstOf(group) >> top_shift_;
    while (tops_.size() <= top) {
      tops_.push_back(static_cast<std::uint32_t>(group));
    }
  }
  tops_.resize((std::size_t{1} << bits) + 1,
               static_cast<std::uint32_t>(layout_.groups));
}

std::optional<std::uint64_t> CodeGroups::Find(
    std::uint64_t code) const noexcept {
  const std::uint64_t top = code >> top_shift_;
  std::uint64_t begin = tops_[top];
  std::uint64_t end = tops_[top + 1];
  while (end - begin > kFewGroups) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    (FirstOf(middle) <= code ? begin : end) = middle;
  }
  // Those after the end begin above the code as well.
  std::uint64_t below = begin;
  if (begin + kFewGroups <= layout_.groups) {
    for (unsigned i = 0; i < kFewGroups; ++i) {
      below += FirstOf(begin + i) <= code ? 1u : 0u;
    }
  } else {
    for (; begin < layout_.groups; ++begin) {
      below += FirstOf(begin) <= code ? 1u : 0u;
    }
  }
  if (below == 0) return std::nullopt;
  return below - 1;
}

std::uint64_t CodeGroups::LowBitsOf(std::uint64_t code) const noexcept {
  const unsigned bits = layout_.shape.low_bits;
  return Window(lows_, code * bits) & ((std::uint64_t{1} << bits) - 1);
}

CodeGroups::Group CodeGroups::ReadGroup(std::uint64_t group) const noexcept {
  const char* record = groups_ + group * kGroupBytes;
  const std::uint64_t start = StartOf(group);
  // Less only in pages that are lost.
  const std::uint64_t end = std::max(StartOf(group + 1), start);
  const std::uint64_t codes = std::min(end - start, kMaxCodes);
  const std::uint64_t begin = layout_.shape.HighsAt(group, start);
  const std::uint64_t highs = layout_.shape.HighsOf(codes);
  return {.number = group,
          .first = LoadLittle64(record),
          .start = start,
          .codes = codes,
          .highs = highs,
          .begin = begin,
          .end = begin + codes + highs,
          .scale = {LoadLittle<std::uint16_t>(record + 12)}};
}

bool CodeGroups::MayContain(std::uint64_t lo, std::uint64_t hi) const noexcept {
  const std::optional<std::uint64_t> number = Find(lo);
  if (!number) return layout_.groups > 0 && FirstOf(0) <= hi;
  if (*number + 1 < layout_.groups && FirstOf(*number + 1) <= hi) return true;
  const Group group = ReadGroup(*number);
  const std::optional<std::uint64_t> cell =
      CellFrom(group, group.scale.CellOf(lo - group.first));
  return cell && *cell <= group.scale.CellOf(hi - group.first);
}

std::optional<std::uint64_t> CodeGroups::SkipForward(
    std::uint64_t code) const noexcept {
  const std::optional<std::uint64_t> number = Find(code);
  std::uint64_t next = 0;
  if (number) {
    const Group group = ReadGroup(*number);
    const std::optional<std::uint64_t> cell =
        CellFrom(group, group.scale.CellOf(code - group.first));
    if (cell) {
      const std::uint64_t distance = group.scale.FirstWith(*cell);
      const std::uint64_t most = kMaxCode - group.first;
      return std::max(code, group.first + std::min(distance, most));
    }
    next = *number + 1;
  }
  if (next == layout_.groups) return std::nullopt;
  return FirstOf(next);
}

std::optional<std::uint64_t> CodeGroups::SkipBackward(
    std::uint64_t code) const noexcept {
  const std::optional<std::uint64_t> number = Find(code);
  if (!number) return std::nullopt;
  const Group group = ReadGroup(*number);
  const std::uint64_t cell =
      CellUpTo(group, group.scale.CellOf(code - group.first));
  // The next cell begins where this one has ended.
  const std::uint64_t distance = group.scale.FirstWith(cell + 1);
  const std::uint64_t most = code - group.first;
  return distance > most ? code : group.first + distance - 1;
}

std::uint64_t CodeGroups::CellAt(const Group& group, std::uint64_t at,
                                 std::uint64_t code) const noexcept {
  return (at - group.begin - code) << layout_.shape.low_bits |
         LowBitsOf(group.start + code);
}

std::optional<std::uint64_t> CodeGroups::CellFrom(
    const Group& group, std::uint64_t from) const noexcept {
  const std::uint64_t high = from >> layout_.shape.low_bits;
  if (high >= group.highs) return std::nullopt;
  std::uint64_t at =
      high == 0 ? group.begin
                : SelectZero(highs_, group.begin, group.end, high - 1) + 1;
  std::uint64_t code = at - group.begin - high;
  // What follows are the codes of this high value, and the first beyond.
  for (; code < group.codes; ++code, ++at) {
    at = NextOne(highs_, at, group.end);
    const std::uint64_t cell = CellAt(group, at, code);
    if (cell >= from) return cell;
  }
  return std::nullopt;
}

std::uint64_t CodeGroups::CellUpTo(const Group& group,
                                   std::uint64_t to) const noexcept {
  const std::uint64_t high =
      std::min(to >> layout_.shape.low_bits, group.highs);
  // The end of the codes of this high value.
  std::uint64_t at = high == group.highs
                         ? group.end
                         : SelectZero(highs_, group.begin, group.end, high);
  std::uint64_t code = std::min(at - group.begin - high, group.codes);
  for (; code > 0; --code) {
    at = LastOneBefore(highs_, at, group.begin);
    const std::uint64_t cell = CellAt(group, at, code - 1);
    if (cell <= to) return cell;
  }
  return 0;  // that of the first code
}

}  // namespace tamis
