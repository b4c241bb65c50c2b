// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/kinds.h"

#include <algorithm>
#include <array>

#include "filters/bloom/line_bloom.h"
#include "filters/bloom/split_block.h"
#include "formats/tamis/blocked.h"
#include "formats/tamis/classic.h"
#include "formats/tamis/counting.h"
#include "formats/tamis/cuckoo.h"
#include "formats/tamis/range.h"
#include "formats/tamis/ribbon.h"
#include "formats/tamis/scalable.h"

namespace tamis {
namespace {

using PolicyResult = Result<std::unique_ptr<const FilterPolicy>>;

FuseSettings FuseOf(const TamisSettings& settings) noexcept {
  return {.cell_bits = FuseCellsFor(settings.sizing), .arity = settings.arity};
}

RotatingSettings RotatingOf(const TamisSettings& settings) noexcept {
  return {.sizing = settings.sizing, .generations = settings.generations};
}

// make() of the kinds whose only setting is a size.
template <auto kNewPolicy>
PolicyResult MakeSized(const TamisSettings& settings) {
  return kNewPolicy(settings.sizing, settings.seed);
}
template <auto kNewFilter>
Result<std::unique_ptr<ErasableFilter>> NewSized(const TamisSettings& settings,
                                                 std::uint64_t planned_keys) {
  return kNewFilter(settings.sizing, settings.seed, planned_keys);
}

constexpr std::array kRows = {
    TamisKindRow{.kind = TamisKind::kClassicBloom,
                 .name = "classic",
                 .make = MakeSized<NewTamisClassicPolicy>,
                 .open = OpenTamisClassic,
                 .combine = CombineTamisClassic,
                 .load = LoadTamisClassic,
                 .parse_bloom = ParseTamisClassic,
                 .unit = {"bits", 1, std::nullopt}},
    TamisKindRow{.kind = TamisKind::kLineBloom,
                 .name = "bloom",
                 .make = MakeSized<NewTamisLinePolicy>,
                 .open = OpenTamisLine,
                 .combine = CombineTamisLine,
                 .load = LoadTamisLine,
                 .append =
                     [](const TamisSettings& settings, const HashedKeys& keys,
                        const BuildOptions&, std::string* dst) {
                       return AppendTamisLines(keys, settings.sizing, dst);
                     },
                 .parse_bloom = ParseTamisLine,
                 .unit = {"lines", kLineBits, BlockKind::kLine}},
    TamisKindRow{.kind = TamisKind::kSplitBlock,
                 .name = "splitblock",
                 .make = MakeSized<NewTamisSplitBlockPolicy>,
                 .open = OpenTamisSplitBlock,
                 .combine = CombineTamisSplitBlock,
                 .load = LoadTamisSplitBlock,
                 .parse_bloom = ParseTamisSplitBlock,
                 .unit = {"blocks", kSplitBlockBits, BlockKind::kSplit}},
    TamisKindRow{.kind = TamisKind::kRibbon,
                 .name = "ribbon",
                 .make = MakeSized<NewTamisRibbonPolicy>,
                 .open = OpenTamisRibbon,
                 .append =
                     [](const TamisSettings& settings, const HashedKeys& keys,
                        const BuildOptions& options, std::string* dst) {
                       return AppendTamisRibbon(
                           keys, RibbonColumnsFor(settings.sizing), options,
                           dst);
                     }},
    TamisKindRow{
        .kind = TamisKind::kFuse,
        .name = "fuse",
        .make =
            [](const TamisSettings& settings) {
              return NewTamisFusePolicy(FuseOf(settings), settings.seed);
            },
        .open = OpenTamisFuse,
        .append =
            [](const TamisSettings& settings, const HashedKeys& keys,
               const BuildOptions& options, std::string* dst) {
              return AppendTamisFuse(keys, FuseOf(settings), options, dst);
            },
        .bits_of =
            [](const BloomSizing& sizing) {
              return static_cast<double>(FuseCellsFor(sizing));
            }},
    TamisKindRow{.kind = TamisKind::kCounting,
                 .name = "counting",
                 .make = MakeSized<NewTamisCountingPolicy>,
                 .open = OpenTamisCounting,
                 .combine = CombineTamisCounting,
                 .load_erasable = LoadTamisCounting,
                 .new_erasable = NewSized<NewTamisCounting>},
    TamisKindRow{.kind = TamisKind::kCuckoo,
                 .name = "cuckoo",
                 .make = MakeSized<NewTamisCuckooPolicy>,
                 .open = OpenTamisCuckoo,
                 .load_erasable = LoadTamisCuckoo,
                 .new_erasable = NewSized<NewTamisCuckoo>},
    TamisKindRow{.kind = TamisKind::kScalable,
                 .name = "scalable",
                 .make = MakeSized<NewTamisScalablePolicy>,
                 .open = OpenTamisScalable,
                 .load = LoadTamisScalable},
    TamisKindRow{
        .kind = TamisKind::kRotating,
        .name = "rotating",
        .make =
            [](const TamisSettings& settings) {
              return NewTamisRotatingPolicy(RotatingOf(settings),
                                            settings.seed);
            },
        .open = OpenTamisRotating,
        .load_rotating = LoadTamisRotating,
        .new_rotating =
            [](const TamisSettings& settings, std::uint64_t planned_keys) {
              return NewTamisRotating(RotatingOf(settings), settings.seed,
                                      planned_keys);
            }},
    TamisKindRow{.kind = TamisKind::kRange,
                 .name = "range",
                 .make =
                     [](const TamisSettings& settings) {
                       return NewTamisRangePolicy(settings.sizing);
                     },
                 .open = OpenTamisRange,
                 .answers_ranges = true},
};

constexpr std::size_t IndexOf(TamisKind kind) noexcept {
  return static_cast<std::size_t>(kind) - 1;
}

static_assert(kRows.size() == IndexOf(kLastTamisKind) + 1,
              "every kind has one row");
static_assert(std::all_of(kRows.begin(), kRows.end(),
                          [](const TamisKindRow& row) {
                            return &row == &kRows[IndexOf(row.kind)];
                          }),
              "rows stand in the order of their codes");

}  // namespace

std::span<const TamisKindRow> TamisKinds() noexcept { return kRows; }

const TamisKindRow& RowOf(TamisKind kind) noexcept {
  return kRows[IndexOf(kind)];
}

const TamisKindRow* RowOfBytes(Slice bytes) noexcept {
  const std::uint16_t code = PeekTamisKind(bytes);
  if (code == 0 || code > kRows.size()) return nullptr;
  return &RowOf(static_cast<TamisKind>(code));
}

}  // namespace tamis
