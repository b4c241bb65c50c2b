// SPDX-License-Identifier: Apache-2.0
// CheckTable(): checks everything that can be checked by reading a table.

#include <algorithm>
#include <optional>
#include <utility>

#include "base/damage.h"
#include "base/key_prefix.h"
#include "formats/leveldb/filter_block.h"
#include "formats/tamis/line_view.h"
#include "table/block.h"
#include "table/block_cursor.h"
#include "table/block_file.h"
#include "table/held_block_filter.h"
#include "table/held_range_filter.h"
#include "table/table_binding.h"
#include "table/table_filter.h"
#include "table/table_index.h"
#include "table/table_meta.h"
#include "table/table_range_filter.h"
#include "table/table_reader.h"

namespace tamis {
namespace {

constexpr std::size_t kMaxProblems = 20;  // more tell no more

// A filter, and how many keys it hides.
struct AskedFilter {
  std::string name;
  std::shared_ptr<const TableFilter> filter;
  std::uint64_t hidden = 0;
  bool is_beside = false;
  // Of the prefixes that it has, too; null: it has none, or of an extractor
  // that is not known here.
  std::shared_ptr<const PrefixExtractor> prefixes = nullptr;
  std::uint64_t hidden_prefixes = 0;

  bool MayContain(std::uint64_t block_offset, Slice user_key) const noexcept {
    return filter->kind() == TableFilter::Kind::kLevelDbBlock
               ? filter->leveldb_block().MayContain(block_offset, user_key)
               : filter->MayContain(user_key);
  }
};

class Checker {
 public:
  Checker(const TableReadContext& context, const ReadableFile& file,
          const FindFilterBeside& beside)
      : context_(context), file_(file), beside_(beside) {}

  TableCheck Run() {
    CheckAll();
    if (unsaid_ != 0) {
      check_.problems.push_back("and " + std::to_string(unsaid_) +
                                " more problems");
    }
    if (!check_.unread.ok()) {
      check_.problems.push_back(check_.unread.message());
    }
    return std::move(check_);
  }

 private:
  void Problem(std::string sentence) {
    if (check_.problems.size() < kMaxProblems) {
      check_.problems.push_back(std::move(sentence));
    } else {
      ++unsaid_;
    }
  }
  void ProblemAt(std::uint64_t offset, const std::string& what) {
    Problem("the block at offset " + std::to_string(offset) + ": " + what);
  }

  // Reports that `where`, which ends with ": " or is empty, could not be read.
  void NotRead(const std::string& where, const Status& read) {
    if (IsDamage(read)) return Problem(where + read.message());
    if (check_.unread.ok()) {
      check_.unread = read.WithMessage(where + read.message());
    }
  }

  void CheckAll();
  bool LoadIndex(const Footer& footer, BlockBuffer* buffer);
  void LoadFilters(const Footer& footer);
  void LoadFilter(const MetaEntry& entry);
  void LoadFilterBeside(const Footer& footer);
  void LoadPrefixes(const std::vector<MetaEntry>& entries);
  void AskForPrefixes(Slice user_key);
  std::shared_ptr<const TableFilter> OpenParts(Slice top_block) const;
  void SayWhatFiltersHide();
  void CheckBlock(std::size_t i);
  void CheckEntries(std::size_t i, const Block& block);
  bool CheckKey(std::size_t i, Slice key);
  void LoadBlockFilter();
  void LoadRangeFilter(const std::vector<MetaEntry>& entries);
  bool RangeFilterHides(Slice user_key);
  void AskFilters(std::size_t i, Slice user_key);

  const TableReadContext& context_;
  const ReadableFile& file_;
  const FindFilterBeside& beside_;
  TableCheck check_;
  std::size_t unsaid_ = 0;
  TableIndex index_;
  std::vector<AskedFilter> filters_;
  std::optional<BlockHandle> block_filter_place_;
  std::shared_ptr<const HeldBlockFilter> block_filter_;  // null: none
  std::uint64_t hidden_in_blocks_ = 0;
  std::shared_ptr<const HeldRangeFilter> range_filter_;  // null: none
  std::uint64_t hidden_in_ranges_ = 0;
  std::string skipped_to_;
  std::string last_key_;
};

// Stops at the first read error that is not damage.
void Checker::CheckAll() {
  const Result<Footer> footer = ReadFooter(file_);
  if (!footer.ok()) return NotRead("", footer.status());
  check_.has_footer = true;
  LoadFilters(*footer);
  BlockBuffer buffer;
  if (!LoadIndex(*footer, &buffer)) return;
  LoadFilterBeside(*footer);
  LoadBlockFilter();
  for (std::size_t i = 0; i < index_.size() && check_.unread.ok(); ++i) {
    CheckBlock(i);
  }
  check_.largest = last_key_;
  SayWhatFiltersHide();
}

bool Checker::LoadIndex(const Footer& footer, BlockBuffer* buffer) {
  Slice contents;
  Status read =
      ReadBlock(file_, footer.index, buffer, &contents, context_.unpack);
  if (read.ok()) {
    read = index_.Load(context_.order, contents, file_.size() - kFooterBytes);
  }
  if (!read.ok()) NotRead("the index: ", read);
  return read.ok();
}

void Checker::SayWhatFiltersHide() {
  for (const AskedFilter& asked : filters_) {
    if (asked.is_beside) {
      // A hidden prefix hides keys.
      check_.hidden_beside = asked.hidden + asked.hidden_prefixes;
    }
    if (asked.hidden == 0) ++check_.filters;
    if (asked.hidden == 0 || asked.is_beside) continue;
    Problem("the filter " + asked.name + " hides " +
            std::to_string(asked.hidden) + " keys that are there");
  }
  for (const AskedFilter& asked : filters_) {
    if (asked.hidden_prefixes == 0 || asked.is_beside) continue;
    Problem("the filter " + asked.name + " hides prefixes of " +
            std::to_string(asked.hidden_prefixes) + " keys that are there");
  }
  const auto say = [this](const char* which, bool is_there,
                          std::uint64_t hidden) {
    if (!is_there) return;
    if (hidden == 0) {
      ++check_.filters;
    } else {
      Problem(which + std::string(" hides ") + std::to_string(hidden) +
              " keys that are there");
    }
  };
  say("the filter of its blocks", block_filter_ != nullptr, hidden_in_blocks_);
  say("its range filter", range_filter_ != nullptr, hidden_in_ranges_);
}

void Checker::LoadFilters(const Footer& footer) {
  std::vector<MetaEntry> entries;
  Status read = ReadMetaindex(file_, footer, &entries, context_.unpack);
  if (!read.ok()) NotRead("the metaindex: ", read);
  for (const MetaEntry& entry : entries) LoadFilter(entry);
  LoadRangeFilter(entries);
  LoadPrefixes(entries);
}

namespace {

// Null: empty, or a program's own that is not here.
std::shared_ptr<const PrefixExtractor> ExtractorNamed(
    std::string_view name, const PrefixExtractor* ours) {
  if (ours != nullptr && ours->name() == name) {
    // It outlives the check.
    return {std::shared_ptr<const PrefixExtractor>(), ours};
  }
  auto made = MakePrefixExtractor(name);
  return made.ok() ? *std::move(made) : nullptr;
}

}  // namespace

// The whole-table filters of a table that names an extractor have its prefixes.
void Checker::LoadPrefixes(const std::vector<MetaEntry>& entries) {
  const std::string name =
      ReadTableProperty(file_, entries, context_.unpack, kPrefixesProperty);
  if (name.empty()) return;
  const auto extractor = ExtractorNamed(name, context_.prefixes);
  for (AskedFilter& asked : filters_) {
    if (asked.name != kLevelDbFilterMeta) asked.prefixes = extractor;
  }
}

void Checker::LoadFilter(const MetaEntry& entry) {
  if (entry.name == kBlockFilterMeta) block_filter_place_ = entry.handle;
  const auto opener = OpenerOfMeta(entry.name, context_.filter);
  const bool is_in_parts = entry.name == kFilterPartsMeta;
  if (!opener.has_value() && !is_in_parts && entry.name != kLevelDbFilterMeta) {
    return;
  }
  const std::string where = "the filter " + entry.name + ": ";
  BlockBuffer buffer;
  Slice bytes;
  const Status read =
      ReadBlock(file_, entry.handle, &buffer, &bytes, context_.unpack);
  if (!read.ok()) return NotRead(where, read);
  auto filter = is_in_parts ? OpenParts(bytes)
                : opener.has_value()
                    ? TableFilter::OpenWhole(bytes, *opener)
                    : TableFilter::OpenLevelDbBlock(bytes, file_.size());
  const Status& damage = filter->damage();
  if (filter->damaged_parts() > 0) {
    Problem(where + std::to_string(filter->damaged_parts()) +
            " of its parts are damaged");
  }
  if (damage.ok()) {
    filters_.push_back({.name = entry.name, .filter = std::move(filter)});
  } else if (damage.code() == StatusCode::kResourceExhausted) {
    NotRead(where, damage);
  } else {
    // Also if its kind is unknown: it is useless.
    Problem(where + damage.message());
  }
}

void Checker::LoadFilterBeside(const Footer& footer) {
  if (!beside_) return;
  const Result<std::uint32_t> binding = ReadTableBinding(
      file_, footer, index_, context_.unpack, BoundBlocks::kAll);
  // What cannot be read is reported where it is checked.
  if (!binding.ok()) return;
  std::shared_ptr<const TableFilter> filter = beside_(*binding);
  if (filter == nullptr) return;
  auto prefixes = ExtractorNamed(filter->prefixes(), context_.prefixes);
  filters_.push_back({.name = "",
                      .filter = std::move(filter),
                      .is_beside = true,
                      .prefixes = std::move(prefixes)});
}

// The file outlives the filter.
std::shared_ptr<const TableFilter> Checker::OpenParts(Slice top_block) const {
  return TableFilter::OpenParts(
      top_block,
      {.file = std::shared_ptr<const ReadableFile>(
           std::shared_ptr<const ReadableFile>(), &file_)},
      TableFilter::kWholly);
}

// REQUIRES: the index is loaded
void Checker::LoadBlockFilter() {
  if (!block_filter_place_) return;
  BlockBuffer buffer;
  Slice bytes;
  const Status read =
      ReadBlock(file_, *block_filter_place_, &buffer, &bytes, context_.unpack);
  if (!read.ok()) return NotRead("the filter of its blocks: ", read);
  auto filter = HeldBlockFilter::Open(bytes, index_.size(), nullptr);
  const Status& damage = filter->damage();
  if (damage.ok()) {
    block_filter_ = std::move(filter);
  } else if (damage.code() == StatusCode::kResourceExhausted) {
    NotRead("", damage);
  } else {
    // Also if it is of a later version: it is useless.
    Problem(damage.message());
  }
}

void Checker::LoadRangeFilter(const std::vector<MetaEntry>& entries) {
  auto filter = ReadRangeFilter(file_, entries, context_.unpack, nullptr);
  if (filter == nullptr) return;
  const Status& damage = filter->damage();
  if (damage.ok()) {
    range_filter_ = std::move(filter);
  } else if (damage.code() == StatusCode::kNotSupported) {
    // Of a later version: it is useless.
    Problem(damage.message());
  } else {
    NotRead("", damage);
  }
}

// Asks what scans would, in both directions.
bool Checker::RangeFilterHides(Slice user_key) {
  const FilterReader& filter = range_filter_->reader();
  return !filter.MayContainRange(user_key, user_key) ||
         !filter.SkipForward(user_key, &skipped_to_) ||
         skipped_to_ != user_key ||
         !filter.SkipBackward(user_key, &skipped_to_) ||
         skipped_to_ != user_key;
}

void Checker::CheckBlock(std::size_t i) {
  ++check_.blocks;
  const BlockHandle handle = index_.block(i);
  BlockBuffer buffer;
  Slice contents;
  Status read = ReadBlock(file_, handle, &buffer, &contents, context_.unpack);
  if (!read.ok()) {
    return NotRead(
        "the block at offset " + std::to_string(handle.offset) + ": ", read);
  }
  Block block;
  if (!Block::Parse(contents, &block)) {
    return ProblemAt(handle.offset, "it is not a block");
  }
  CheckEntries(i, block);
}

void Checker::CheckEntries(std::size_t i, const Block& block) {
  const std::uint64_t offset = index_.block(i).offset;
  BlockCursor cursor;
  cursor.Reset(block);
  std::uint32_t restart = 0;
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    if (!CheckKey(i, cursor.key())) return;
    AskFilters(i, UserKeyOf(cursor.key()));
    if (restart < block.restart_count() &&
        cursor.entry() == block.Restart(restart)) {
      if (!cursor.key_is_whole()) {
        return ProblemAt(offset, "a restart is at a key that is not whole");
      }
      ++restart;
    }
  }
  if (cursor.damaged()) {
    ProblemAt(offset, "an entry is damaged");
  } else if (restart != block.restart_count() && block.begin() != block.end()) {
    ProblemAt(offset, "its restarts are not where entries begin");
  }
}

// False: the rest of the block makes no sense.
bool Checker::CheckKey(std::size_t i, Slice key) {
  const std::uint64_t offset = index_.block(i).offset;
  if (!IsInternalKey(key)) {
    ProblemAt(offset, "an entry has a key that is not valid");
    return false;
  }
  const KeyOrder& order = context_.order;
  if (check_.entries == 0) {
    check_.smallest = key;
  } else if (order.Compare(last_key_, key) >= 0) {
    ProblemAt(offset, "its keys are out of order");
    return false;
  }
  if (order.Compare(key, index_.key(i)) > 0 ||
      (i > 0 && order.Compare(key, index_.key(i - 1)) <= 0)) {
    ProblemAt(offset, "it has a key that the index does not look for there");
    return false;
  }
  last_key_ = key;
  ++check_.entries;
  check_.largest_sequence = std::max(check_.largest_sequence, SequenceOf(key));
  return true;
}

void Checker::AskFilters(std::size_t i, Slice user_key) {
  const std::uint64_t offset = index_.block(i).offset;
  for (AskedFilter& asked : filters_) {
    if (!asked.MayContain(offset, user_key)) ++asked.hidden;
  }
  if (range_filter_ != nullptr && RangeFilterHides(user_key)) {
    ++hidden_in_ranges_;
  }
  AskForPrefixes(user_key);
  if (block_filter_ == nullptr) return;
  const std::uint64_t hash = LineHash(user_key, block_filter_->seed());
  if (!block_filter_->MayContain(i, hash)) ++hidden_in_blocks_;
}

void Checker::AskForPrefixes(Slice user_key) {
  for (AskedFilter& asked : filters_) {
    if (asked.prefixes == nullptr) continue;
    const std::optional<Slice> prefix =
        ExtractPrefix(*asked.prefixes, user_key);
    if (prefix && !asked.filter->MayContain(*prefix)) ++asked.hidden_prefixes;
  }
}

}  // namespace

TableCheck CheckTable(const TableReadContext& context, const ReadableFile& file,
                      const FindFilterBeside& beside) {
  return Checker(context, file, beside).Run();
}

}  // namespace tamis
