// CheckTable(): everything that can be known about a table by reading it.

#include <algorithm>
#include <utility>

#include "base/no_throw.h"
#include "formats/leveldb_filter_block.h"
#include "table/block.h"
#include "table/block_cursor.h"
#include "table/block_file.h"
#include "table/table_filter.h"
#include "table/table_index.h"
#include "table/table_meta.h"
#include "table/table_reader.h"

namespace tamis {
namespace {

constexpr std::size_t kMostProblems = 20;  // more say no more

// A filter, and how many keys it hides.
struct AskedFilter {
  std::string name;
  std::shared_ptr<const TableFilter> filter;
  std::uint64_t hidden = 0;

  bool MayContain(std::uint64_t block_offset, Slice user_key) const noexcept {
    return filter->kind() == TableFilter::Kind::kLevelDbBlock
               ? filter->leveldb_block().MayContain(block_offset, user_key)
               : filter->MayContain(user_key);
  }
};

class Checker {
 public:
  Checker(const TableReadContext& context, const ReadableFile& file)
      : context_(context), file_(file) {}

  TableCheck Run() {
    Result<Footer> footer = ReadFooter(file_);
    if (!footer.ok()) {
      Problem(footer.status().message());
      return std::move(check_);
    }
    LoadFilters(*footer);
    BlockBuffer buffer;
    Slice contents;
    Status read =
        ReadBlock(file_, footer->index, &buffer, &contents, context_.unpack);
    if (read.ok()) {
      read = index_.Load(context_.order, contents, file_.size() - kFooterBytes);
    }
    if (!read.ok()) {
      Problem("the index: " + read.message());
      return std::move(check_);
    }
    for (std::size_t i = 0; i < index_.size(); ++i) CheckBlock(i);
    check_.largest = last_key_;
    for (const AskedFilter& asked : filters_) {
      if (asked.hidden == 0) {
        ++check_.filters;
        continue;
      }
      Problem("the filter " + asked.name + " hides " +
              std::to_string(asked.hidden) + " keys that are there");
    }
    if (unsaid_ != 0) {
      check_.problems.push_back("and " + std::to_string(unsaid_) +
                                " more problems");
    }
    return std::move(check_);
  }

 private:
  void Problem(std::string sentence) {
    if (check_.problems.size() < kMostProblems) {
      check_.problems.push_back(std::move(sentence));
    } else {
      ++unsaid_;
    }
  }
  void ProblemAt(std::uint64_t offset, const std::string& what) {
    Problem("the block at offset " + std::to_string(offset) + ": " + what);
  }

  void LoadFilters(const Footer& footer);
  void CheckBlock(std::size_t i);
  void CheckEntries(std::size_t i, const Block& block);
  bool CheckKey(std::size_t i, Slice key);
  void AskFilters(std::uint64_t offset, Slice user_key);

  const TableReadContext& context_;
  const ReadableFile& file_;
  TableCheck check_;
  std::size_t unsaid_ = 0;
  TableIndex index_;
  std::vector<AskedFilter> filters_;
  std::string last_key_;
};

void Checker::LoadFilters(const Footer& footer) {
  std::vector<MetaEntry> entries;
  Status read = ReadMetaindex(file_, footer, &entries, context_.unpack);
  if (!read.ok()) Problem("the metaindex: " + read.message());
  for (const MetaEntry& entry : entries) {
    const FilterPolicy* const policy =
        PolicyOfMeta(entry.name, context_.filter);
    if (policy == nullptr && entry.name != kLevelDbFilterMeta) continue;
    BlockBuffer buffer;
    Slice bytes;
    read = ReadBlock(file_, entry.handle, &buffer, &bytes, context_.unpack);
    auto filter = !read.ok() ? TableFilter::Damaged(read)
                  : policy != nullptr
                      ? TableFilter::OpenWhole(bytes, *policy)
                      : TableFilter::OpenLevelDbBlock(bytes, file_.size());
    // That says nothing about the filter.
    if (read.ok()) ThrowIfOutOfMemory(filter->damage());
    if (filter->damage().ok()) {
      filters_.push_back({entry.name, std::move(filter)});
    } else {
      Problem("the filter " + entry.name + ": " + filter->damage().message());
    }
  }
}

void Checker::CheckBlock(std::size_t i) {
  ++check_.blocks;
  const BlockHandle handle = index_.block(i);
  BlockBuffer buffer;
  Slice contents;
  Status read = ReadBlock(file_, handle, &buffer, &contents, context_.unpack);
  if (!read.ok()) return ProblemAt(handle.offset, read.message());
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
    AskFilters(offset, UserKeyOf(cursor.key()));
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

// False: what follows in the block makes no sense.
bool Checker::CheckKey(std::size_t i, Slice key) {
  const std::uint64_t offset = index_.block(i).offset;
  if (!IsInternalKey(key)) {
    ProblemAt(offset, "an entry has a key that is none");
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

void Checker::AskFilters(std::uint64_t offset, Slice user_key) {
  for (AskedFilter& asked : filters_) {
    if (!asked.MayContain(offset, user_key)) ++asked.hidden;
  }
}

}  // namespace

TableCheck CheckTable(const TableReadContext& context,
                      const ReadableFile& file) {
  return Checker(context, file).Run();
}

}  // namespace tamis
