// SPDX-License-Identifier: Apache-2.0
#include "table/table_filter.h"

#include <bit>
#include <utility>

#include "formats/leveldb/bloom.h"
#include "formats/tamis/container.h"
#include "math/blocked_bloom.h"
#include "tamis/bloom_math.h"
#include "tamis/fold.h"

namespace tamis {
namespace {

// Returns the rate of one of LevelDB's filters, from the bits that are set.
double RateOfLevelDbFilter(Slice filter) noexcept {
  const unsigned probes = static_cast<unsigned char>(filter.back());
  if (probes == 0 || probes > kMaxBloomProbes) return 1.0;
  filter.remove_suffix(1);
  std::uint64_t set = 0;
  for (const char byte : filter) {
    set += static_cast<std::uint64_t>(
        std::popcount(static_cast<unsigned char>(byte)));
  }
  const double bits = 8.0 * static_cast<double>(filter.size());
  return BloomRateFromFill(static_cast<double>(set) / bits, probes);
}

// Returns the mean over some of the block's filters; those without keys have no
// false positives, and are never queried.
double RateOfLevelDbBlock(const LevelDbFilterBlockReader& block) noexcept {
  constexpr std::size_t kEnough = 64;
  const std::size_t step = block.filter_count() / kEnough + 1;
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < block.filter_count(); i += step) {
    if (block.filter(i).empty()) continue;
    sum += RateOfLevelDbFilter(block.filter(i));
    count += 1;
  }
  return count > 0 ? sum / count : 1.0;
}

// One of LevelDB's filters that covers the whole table.
class LevelDbWhole final : public FilterReader {
 public:
  // REQUIRES: at least 2 bytes
  explicit LevelDbWhole(Slice filter) noexcept : filter_(filter) {}

  bool MayContain(Slice key) const noexcept override {
    return LevelDbBloomMayContain(filter_, key);
  }
  FilterInfo Describe() const override {
    FilterInfo info;
    info.format = "leveldb";
    info.kind = "classic";
    info.bits = (filter_.size() - 1) * std::uint64_t{8};
    info.probes = static_cast<unsigned char>(filter_.back());
    info.rate = RateOfLevelDbFilter(filter_);
    return info;
  }

 private:
  Slice filter_;
};

// Returns the only filter of the block, if it covers the whole table.
Slice WholeTableFilter(const LevelDbFilterBlockReader& block, Slice bytes,
                       std::uint64_t table_bytes) noexcept {
  const unsigned base_lg = static_cast<unsigned char>(bytes.back());
  if (block.filter_count() != 1 || base_lg >= 64) return {};
  return table_bytes <= std::uint64_t{1} << base_lg ? block.filter(0) : Slice();
}

}  // namespace

std::shared_ptr<const TableFilter> TableFilter::None(std::uint64_t keys) {
  auto filter = std::make_shared<TableFilter>();
  filter->stored_.keys = keys;
  return filter;
}

std::shared_ptr<const TableFilter> TableFilter::Damaged(Status why) {
  auto filter = std::make_shared<TableFilter>();
  filter->damage_ = std::move(why);
  return filter;
}

std::shared_ptr<const TableFilter> TableFilter::NotHeld(const Stored& stored) {
  auto filter = std::make_shared<TableFilter>();
  filter->stored_ = stored;
  return filter;
}

std::shared_ptr<const TableFilter> TableFilter::WithPrefixes(
    std::shared_ptr<const TableFilter> filter, std::string_view name,
    const PrefixExtractor* wanted) {
  if (name.empty()) return filter;
  // It was made here, and not const.
  auto* const made = const_cast<TableFilter*>(filter.get());
  made->prefixes_ = name;
  made->has_prefixes_ = wanted != nullptr && wanted->name() == name;
  return filter;
}

double TableFilter::Stored::RateFoldedBy(unsigned divisor) const noexcept {
  if (keys == 0) return 1.0;
  return BlockedRate({BlockKind::kLine, lines / divisor, probes}, keys);
}

// Keeps a copy of the bytes.  ResourceExhausted: there is no memory, or no room
// (and then lease_ is empty).
Status TableFilter::Hold(Slice bytes, FilterRoom* room) {
  if (room != nullptr) {
    if (!room->Take(bytes.size())) {
      return Status::ResourceExhausted("no room for the filter");
    }
    lease_ = FilterLease(room, bytes.size());
  }
  Result<FilterMemory> memory = FilterMemory::Copy(bytes);
  if (!memory.ok()) return memory.status();
  memory_ = *std::move(memory);
  return Status::Ok();
}

void TableFilter::TakeLines(const LineView& lines) {
  kind_ = Kind::kLines;
  lines_ = lines;
  kind_name_ = "bloom";
  const BlockedShape shape{BlockKind::kLine, lines.count, lines.probes.count};
  expected_rate_ = lines.keys != 0 ? BlockedRate(shape, lines.keys) : 1.0;
  hash_seed_ = lines.seed;
}

namespace {

TableFilter::Stored StoredOf(Slice bytes, const LineView& lines) {
  TableFilter::Stored stored;
  stored.bytes = bytes.size();
  stored.keys = lines.keys;
  stored.lines = lines.count;
  stored.probes = lines.probes.count;
  stored.rate = stored.RateFoldedBy(1);
  return stored;
}

// Looks at a filter without keeping its bytes.  Corruption: it does not open.
Result<TableFilter::Stored> LookAt(Slice bytes, const FilterOpener& opener) {
  if (opener.name() == kTamisFilterName) {
    if (const auto lines = ViewLines(bytes)) return StoredOf(bytes, *lines);
  }
  const Result<std::unique_ptr<const FilterReader>> reader = opener.Open(bytes);
  if (!reader.ok()) return reader.status();
  const FilterInfo info = reader->Describe();
  TableFilter::Stored stored;
  stored.bytes = bytes.size();
  stored.rate = info.always_maybe.empty() ? info.rate : 1.0;
  stored.keys = info.keys.value_or(0);
  return stored;
}

}  // namespace

std::shared_ptr<const TableFilter> TableFilter::OpenWhole(
    Slice bytes, const FilterOpener& opener, FilterRoom* room,
    unsigned divisor) {
  const bool is_tamis = opener.name() == kTamisFilterName;
  auto filter = std::make_shared<TableFilter>();
  std::string folded;
  const bool is_limited = room != nullptr && room->is_limited();
  if (divisor != kWholly || is_limited) {
    // What is stored may be more than what is held.
    const Result<Stored> stored = LookAt(bytes, opener);
    if (!stored.ok()) return Damaged(stored.status());
    filter->stored_ = *stored;
    if (divisor == kDrop) return NotHeld(filter->stored_);
    if (divisor != kWholly) {
      if (!filter->stored_.FoldsBy(divisor) ||
          !FoldFilter(bytes, divisor, &folded).ok()) {
        return NotHeld(filter->stored_);
      }
      bytes = folded;
    }
  }
  if (Status held = filter->Hold(bytes, room); !held.ok()) {
    return is_limited ? NotHeld(filter->stored_) : Damaged(std::move(held));
  }
  bytes = filter->memory_->bytes();
  filter->divisor_ = divisor;
  if (const auto lines = is_tamis ? ViewLines(bytes) : std::nullopt) {
    filter->TakeLines(*lines);
    if (filter->stored_.lines == 0) filter->stored_ = StoredOf(bytes, *lines);
    return filter;
  }
  Result<std::unique_ptr<const FilterReader>> reader = opener.Open(bytes);
  if (!reader.ok()) return Damaged(reader.status());
  const FilterInfo info = reader->Describe();
  filter->kind_ = Kind::kWhole;
  filter->reader_ = *std::move(reader);
  filter->hash_seed_ = filter->reader_->hash_seed();
  filter->kind_name_ = info.kind;
  filter->expected_rate_ = info.always_maybe.empty() ? info.rate : 1.0;
  filter->stored_.bytes = bytes.size();
  filter->stored_.rate = filter->expected_rate_;
  filter->stored_.keys = info.keys.value_or(0);
  return filter;
}

std::shared_ptr<const TableFilter> TableFilter::OpenLevelDbBlock(
    Slice bytes, std::uint64_t table_bytes, FilterRoom* room,
    unsigned divisor) {
  auto filter = std::make_shared<TableFilter>();
  filter->stored_.bytes = bytes.size();
  const LevelDbFilterBlockReader stored(bytes);
  filter->stored_.is_per_block =
      stored.damage().empty() &&
      WholeTableFilter(stored, bytes, table_bytes).empty();
  const bool is_limited = room != nullptr && room->is_limited();
  if (divisor != kWholly || is_limited) {
    filter->stored_.rate = RateOfLevelDbBlock(stored);
  }
  if (divisor != kWholly) return NotHeld(filter->stored_);
  if (Status held = filter->Hold(bytes, room); !held.ok()) {
    return is_limited ? NotHeld(filter->stored_) : Damaged(std::move(held));
  }
  filter->divisor_ = kWholly;
  bytes = filter->memory_->bytes();
  const LevelDbFilterBlockReader& block = filter->leveldb_block_.emplace(bytes);
  if (!block.damage().empty()) {
    return Damaged(Status::Corruption(
        std::string("the filter block is damaged: ").append(block.damage())));
  }
  filter->kind_name_ = "leveldb";
  const Slice whole = WholeTableFilter(block, bytes, table_bytes);
  if (whole.empty()) {
    filter->kind_ = Kind::kLevelDbBlock;
    filter->expected_rate_ = RateOfLevelDbBlock(block);
  } else {
    filter->kind_ = Kind::kWhole;
    filter->reader_ = std::make_unique<LevelDbWhole>(whole);
    filter->expected_rate_ = RateOfLevelDbFilter(whole);
  }
  filter->stored_.rate = filter->expected_rate_;
  return filter;
}

bool TableFilter::MayContain(Slice user_key) const noexcept {
  if (kind_ == Kind::kWhole) return reader_->MayContain(user_key);
  if (kind_ == Kind::kParts) {
    return !parts_->Ask(LineHash(user_key, *hash_seed_)).is_absent;
  }
  if (kind_ != Kind::kLines) return true;
  return lines_.Check(LineHash(user_key, lines_.seed));
}

std::size_t TableFilter::bytes() const noexcept {
  if (parts_ != nullptr) return parts_->bytes();
  if (all_parts_ != nullptr) return all_parts_.get_deleter().bytes;
  return memory_.has_value() ? memory_->bytes().size() : 0;
}

}  // namespace tamis
