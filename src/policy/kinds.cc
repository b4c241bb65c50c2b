// SPDX-License-Identifier: Apache-2.0
#include "policy/kinds.h"

#include <algorithm>
#include <vector>

#include "filters/bloom/counting_line.h"
#include "filters/bloom/split_block.h"
#include "formats/tamis/kinds.h"

namespace tamis {
namespace {

// Times are orders of magnitude on a common server, for ranking only.  `./run
// bench filters` builds filters of all kinds and queries them in batches, with
// a million and with 100 million keys; these are rounded figures of that kind,
// not those of any one run.  Adjacent lines count as fewer.  Kinds with about
// 10 bits per key have the usual default of engines, a rate of 0.8 %; the
// others have a rate of about 1 %.
constexpr std::array kRows = {
    KindRow{.kind = TamisKind::kLineBloom,
            .summary = "cache-local Bloom: one line of 64 bytes per key",
            .storage = KindStorage::kBits,
            .usual_bits = 10,
            .max_probes = 32,
            .per_m = 1,
            .speed = {.build_ns = 12, .query_ns = 2, .lines = 1}},
    KindRow{.kind = TamisKind::kSplitBlock,
            .summary = "split-block Bloom: one block of 32 bytes per key",
            .storage = KindStorage::kBits,
            .usual_bits = 10,
            .max_probes = kSplitBlockWords,
            .fixed_probes = kSplitBlockWords,
            .per_m = 1,
            .speed = {.build_ns = 12, .query_ns = 2, .lines = 1}},
    KindRow{.kind = TamisKind::kClassicBloom,
            .summary = "the textbook's Bloom filter: bits anywhere",
            .storage = KindStorage::kBits,
            .usual_bits = 10,
            .max_probes = 255,
            .per_m = 1,
            .speed = {.build_ns = 30, .query_ns = 8, .lines = 0}},
    KindRow{.kind = TamisKind::kRibbon,
            .summary = "bumped ribbon: hardly more than the least memory",
            .storage = KindStorage::kColumns,
            .usual_bits = 8,
            .max_probes = 255,
            .speed = {.build_ns = 70, .query_ns = 6, .lines = 1.3}},
    KindRow{.kind = TamisKind::kFuse,
            .summary = "binary fuse: 3 or 4 cells per key",
            .storage = KindStorage::kCells,
            .usual_bits = 8,
            .max_probes = 255,
            .sized_names = {{{"fuse8", 8}, {"fuse16", 16}, {"fuse32", 32}}},
            .arities = {3, 4},
            .speed = {.build_ns = 40, .query_ns = 5, .lines = 1.9}},
    KindRow{.kind = TamisKind::kCounting,
            .summary = "counting Bloom: keys can be erased",
            .storage = KindStorage::kCounters,
            .usual_bits = 46,
            .max_probes = 32,
            .per_m = kCounterBits,
            .speed = {.build_ns = 110, .query_ns = 9, .lines = 1}},
    KindRow{.kind = TamisKind::kCuckoo,
            .summary = "cuckoo: keys can be erased, in less memory",
            .storage = KindStorage::kSlots,
            .usual_bits = 10.6,
            .max_probes = 255,
            .per_m = 1,
            .speed = {.build_ns = 140, .query_ns = 8, .lines = 2}},
    // Bits are those of the first part, and times those after it has grown
    // once.
    KindRow{.kind = TamisKind::kScalable,
            .summary = "grows without a limit, at the same rate",
            .storage = KindStorage::kBits,
            .usual_bits = 14.5,
            .max_probes = 32,
            .unbounded = true,
            .speed = {.build_ns = 40, .query_ns = 6, .lines = 2}},
    // Bits are those of one generation, and lines one of each.
    KindRow{.kind = TamisKind::kRotating,
            .summary = "keys expire by generations",
            .storage = KindStorage::kBits,
            .usual_bits = 13.2,
            .max_probes = 32,
            .per_m = RotatingSettings().generations,
            .speed = {.build_ns = 40, .query_ns = 14, .lines = 4}},
    KindRow{.kind = TamisKind::kRange,
            .summary = "ranges of keys: is there any from here to there?",
            .storage = KindStorage::kCodes,
            .usual_bits = 8,
            .max_probes = 0,
            .speed = {.build_ns = 100, .query_ns = 80, .lines = 3}},
};

constexpr std::size_t RowsOf(TamisKind kind) {
  return static_cast<std::size_t>(
      std::count_if(kRows.begin(), kRows.end(),
                    [kind](const KindRow& row) { return row.kind == kind; }));
}
constexpr bool EveryKindHasOneRow() {
  const auto last = static_cast<std::uint16_t>(kLastTamisKind);
  for (std::uint16_t code = 1; code <= last; ++code) {
    if (RowsOf(static_cast<TamisKind>(code)) != 1) return false;
  }
  return kRows.size() == last;
}
static_assert(EveryKindHasOneRow());

// A kind without sized names goes by its own.
constexpr std::size_t NamesOf(const KindRow& row) {
  const auto sized = static_cast<std::size_t>(
      std::count_if(row.sized_names.begin(), row.sized_names.end(),
                    [](const SizedName& name) { return name.bits > 0; }));
  return std::max<std::size_t>(sized, 1);
}
constexpr std::size_t kEntries = [] {
  std::size_t names = 0;
  for (const KindRow& row : kRows) names += NamesOf(row);
  return names;
}();

// A kind has the abilities for which formats/ has a function.
KindEntry EntryOf(const KindRow& row, std::size_t name) noexcept {
  const TamisKindRow& format = RowOf(row.kind);
  const SizedName& sized = row.sized_names[name];
  const bool is_sized = sized.bits > 0;
  return {.name = is_sized ? sized.name : format.name,
          .summary = row.summary,
          .code = static_cast<std::uint16_t>(row.kind),
          .storage = row.storage,
          .usual_bits = is_sized ? 0 : row.usual_bits,
          .fixed_probes = row.fixed_probes,
          .fold_unit = static_cast<unsigned>(format.unit.bits),
          .per_m = row.per_m,
          .grows = format.grows(),
          .erases = format.load_erasable != nullptr,
          .expires = format.load_rotating != nullptr,
          .unbounded = row.unbounded,
          .merges = format.combine != nullptr,
          .ranges = format.answers_ranges};
}

std::array<KindEntry, kEntries> AllEntries() noexcept {
  std::array<KindEntry, kEntries> entries;
  auto* next = entries.begin();
  for (const KindRow& row : kRows) {
    for (std::size_t i = 0; i < NamesOf(row); ++i) *next++ = EntryOf(row, i);
  }
  return entries;
}

}  // namespace

std::span<const KindRow> KindRows() noexcept { return kRows; }

std::span<const KindEntry> KnownKinds() noexcept {
  static const std::array<KindEntry, kEntries> entries = AllEntries();
  return entries;
}

const KindEntry* FindKind(std::string_view name) noexcept {
  const std::span<const KindEntry> kinds = KnownKinds();
  const auto kind = std::find_if(
      kinds.begin(), kinds.end(),
      [name](const KindEntry& entry) { return entry.name == name; });
  return kind == kinds.end() ? nullptr : &*kind;
}

const KindRow& RowOfEntry(const KindEntry& entry) noexcept {
  return *std::find_if(kRows.begin(), kRows.end(), [&](const KindRow& row) {
    return static_cast<std::uint16_t>(row.kind) == entry.code;
  });
}

std::string NamesOfKinds(bool (*has)(const KindEntry&)) {
  std::vector<std::string_view> names;
  for (const KindEntry& kind : KnownKinds()) {
    if (has(kind)) names.push_back(kind.name);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace tamis
