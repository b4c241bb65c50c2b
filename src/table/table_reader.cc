// SPDX-License-Identifier: Apache-2.0
#include "table/table_reader.h"

#include <charconv>
#include <optional>
#include <utility>

#include "base/named_lines.h"
#include "base/pooled_memory.h"
#include "formats/tamis/container.h"
#include "table/block_file.h"
#include "table/block_search.h"
#include "table/table_binding.h"
#include "table/table_blocks.h"
#include "table/table_index.h"
#include "table/table_iterator.h"
#include "table/table_meta.h"
#include "table/table_range_filter.h"

namespace tamis {
namespace {

// Returns the number of keys, as the table's properties have it; 0: they do
// not.
std::uint64_t KeysOfTable(const ReadableFile& file,
                          const std::vector<MetaEntry>& entries,
                          const UnpackLimits& limits) {
  const std::string text =
      ReadTableProperty(file, entries, limits, kKeysProperty);
  std::uint64_t keys = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, keys);
  return error == std::errc() && last == end ? keys : 0;
}

// One of the filters of a table.
struct FilterChoice {
  const MetaEntry* entry = nullptr;  // null: there is none
  // One of the whole table; nothing: LevelDB's, or one in parts.
  std::optional<FilterOpener> opener;
};

// Returns the best: the preferred one, another of the whole table, or
// LevelDB's, in this order.
FilterChoice ChooseFilter(const std::vector<MetaEntry>& entries,
                          const FilterPolicy* preferred) {
  FilterChoice best;
  bool is_whole = false;
  for (const MetaEntry& entry : entries) {
    const auto opener = OpenerOfMeta(entry.name, preferred);
    const bool is_in_parts = entry.name == kFilterPartsMeta;
    const std::string_view policy =
        opener ? opener->name() : std::string_view(kTamisFilterName);
    if (opener || is_in_parts) {
      const bool is_preferred =
          preferred != nullptr && policy == preferred->name();
      if (is_whole && !is_preferred) continue;
      best = {&entry, opener};
      is_whole = true;
    } else if (best.entry == nullptr && entry.name == kLevelDbFilterMeta) {
      best.entry = &entry;
    }
  }
  return best;
}

std::shared_ptr<const TableFilter> OpenChosenFilter(
    const std::shared_ptr<const ReadableFile>& file, const FilterChoice& best,
    const TableReadContext& context, unsigned divisor) {
  BlockBuffer buffer;
  Slice bytes;
  Status read =
      ReadBlock(*file, best.entry->handle, &buffer, &bytes, context.unpack);
  if (!read.ok()) return TableFilter::Damaged(std::move(read));
  if (best.entry->name == kFilterPartsMeta) {
    return TableFilter::OpenParts(bytes, {file, context.room, context.parts},
                                  divisor);
  }
  // The others have no parts.
  if (divisor == TableFilter::kAtFirst) divisor = TableFilter::kWholly;
  return best.opener.has_value()
             ? TableFilter::OpenWhole(bytes, *best.opener, context.room,
                                      divisor)
             : TableFilter::OpenLevelDbBlock(bytes, file->size(), context.room,
                                             divisor);
}

std::shared_ptr<const TableFilter> ReadBestFilter(
    const std::shared_ptr<const ReadableFile>& file, const Footer& footer,
    const TableReadContext& context, unsigned divisor) {
  std::vector<MetaEntry> entries;
  Status read = ReadMetaindex(*file, footer, &entries, context.unpack);
  if (!read.ok()) return TableFilter::Damaged(std::move(read));
  const FilterChoice best = ChooseFilter(entries, context.filter);
  if (best.entry == nullptr) {
    return TableFilter::None(KeysOfTable(*file, entries, context.unpack));
  }
  std::shared_ptr<const TableFilter> filter =
      OpenChosenFilter(file, best, context, divisor);
  // LevelDB's filter has whole keys alone.
  const bool is_ours = best.entry->name != kLevelDbFilterMeta;
  if (context.prefixes == nullptr || !is_ours) return filter;
  return TableFilter::WithPrefixes(
      std::move(filter),
      ReadTableProperty(*file, entries, context.unpack, kPrefixesProperty),
      context.prefixes);
}

// Returns the filter of the blocks; null: there is none, or the metaindex, by
// which it would be found, is damaged, which the other filter reports.
std::shared_ptr<const HeldBlockFilter> ReadBlockFilterOf(
    const ReadableFile& file, const Footer& footer,
    const TableReadContext& context, std::uint64_t blocks) {
  std::vector<MetaEntry> entries;
  if (!ReadMetaindex(file, footer, &entries, context.unpack).ok()) {
    return nullptr;
  }
  for (const MetaEntry& entry : entries) {
    if (entry.name != kBlockFilterMeta) continue;
    FilterRoom* const room = context.room;
    if (room != nullptr && !room->HasLeft(entry.handle.size)) {
      return HeldBlockFilter::NotHeld(entry.handle.size);
    }
    BlockBuffer buffer;
    Slice bytes;
    Status read =
        ReadBlock(file, entry.handle, &buffer, &bytes, context.unpack);
    if (!read.ok()) return HeldBlockFilter::Damaged(std::move(read));
    return HeldBlockFilter::Open(bytes, blocks, room);
  }
  return nullptr;
}

class TableReader final : public Table {
 public:
  TableReader(const TableReadContext& context,
              std::shared_ptr<const ReadableFile> file, std::string name,
              const KeyBounds& bounds)
      : context_(context), file_(std::move(file)), name_(std::move(name)) {
    index_.SetBounds(bounds.smallest, bounds.largest);
  }

  Status Load();

  Status Get(const LookupKey& key, const BlockReadOptions& options,
             const TableFilter* filter, std::string* value,
             LookupResult* result) const override;

  std::size_t FindBlock(const LookupKey& key) const noexcept override {
    return index_.Find(key.internal());
  }
  void WillRead(std::size_t i) const noexcept override {
    if (i < index_.size()) blocks_->WillRead(i);
  }
  void WillFindRestarts(std::size_t i) const noexcept override {
    Block block;
    if (i < index_.size() && blocks_->FindKnown(i, &block)) {
      PrefetchRestarts(block);
    }
  }

  std::unique_ptr<InternalIterator> NewIterator(
      const BlockReadOptions& options) const override {
    return std::make_unique<TableIterator>(parts(), options);
  }
  TableParts parts() const noexcept override {
    return {context_.order, index_, *blocks_, name_};
  }

  std::shared_ptr<const TableFilter> ReadFilter(
      unsigned divisor) const override {
    return ReadBestFilter(file_, footer_, context_, divisor);
  }

  std::shared_ptr<const HeldBlockFilter> ReadBlockFilter() const override {
    return ReadBlockFilterOf(*file_, footer_, context_, index_.size());
  }

  // A metaindex that is damaged is reported with the filter of the table.
  std::shared_ptr<const HeldRangeFilter> ReadRangeFilter() const override {
    std::vector<MetaEntry> entries;
    if (!ReadMetaindex(*file_, footer_, &entries, context_.unpack).ok()) {
      return nullptr;
    }
    return tamis::ReadRangeFilter(*file_, entries, context_.unpack,
                                  context_.room);
  }

  Result<TableTraits> ReadTraits() const override {
    return ReadTableTraits(*file_, footer_, index_, context_.filter);
  }

  Result<std::uint32_t> ReadBinding(BoundBlocks blocks) const override {
    return ReadTableBinding(*file_, footer_, index_, context_.unpack, blocks);
  }
  std::uint64_t modified() const noexcept override { return file_->modified(); }

  std::uint64_t ApproximateOffsetOf(Slice internal_key) const override {
    const std::size_t block = index_.Find(internal_key);
    return block < index_.size() ? index_.block(block).offset : file_->size();
  }

  std::vector<std::string> SampleKeys(std::uint64_t count) const override {
    return index_.SampleKeys(count);
  }

  std::size_t memory_bytes() const noexcept override {
    return sizeof(*this) + index_.memory_bytes() + blocks_->memory_bytes() +
           index_contents_.capacity();
  }

 private:
  void LoadCustomFilter();
  Status TakeFound(const BlockFind& found, std::string* value,
                   LookupResult* result) const;
  bool IsRuledOut(std::size_t i, const LookupKey& key,
                  const BlockReadOptions& options, const TableFilter* filter,
                  LookupResult* result) const noexcept;

  const TableReadContext context_;
  const std::shared_ptr<const ReadableFile> file_;
  const std::string name_;
  Footer footer_;
  PooledVector<char> index_contents_;
  TableIndex index_;
  std::optional<TableBlocks> blocks_;
  std::string custom_bytes_;
  std::optional<LevelDbFilterBlockReader> custom_;  // of custom_bytes_
};

Status TableReader::Load() {
  Result<Footer> footer = ReadFooter(*file_);
  if (!footer.ok()) return footer.status();
  footer_ = *footer;
  {
    BlockBuffer buffer;
    Slice contents;
    Status read =
        ReadBlock(*file_, footer_.index, &buffer, &contents, context_.unpack);
    if (!read.ok()) return read;
    index_contents_.assign(contents.begin(), contents.end());
  }
  Status loaded = index_.Load(context_.order,
                              {index_contents_.data(), index_contents_.size()},
                              file_->size() - kFooterBytes);
  if (!loaded.ok()) return loaded;
  blocks_.emplace(*file_, index_, context_.cache, context_.unpack);
  if (context_.leveldb_filter != nullptr) LoadCustomFilter();
  return Status::Ok();
}

// A block that is missing or cannot be read rules nothing out.
void TableReader::LoadCustomFilter() {
  std::vector<MetaEntry> entries;
  if (!ReadMetaindex(*file_, footer_, &entries, context_.unpack).ok()) return;
  const std::string name = LevelDbFilterMeta(context_.leveldb_filter);
  for (const MetaEntry& entry : entries) {
    if (entry.name != name) continue;
    BlockBuffer buffer;
    Slice bytes;
    if (!ReadBlock(*file_, entry.handle, &buffer, &bytes, context_.unpack)
             .ok()) {
      return;
    }
    custom_bytes_.assign(bytes);
    custom_.emplace(custom_bytes_, context_.leveldb_filter);
    return;
  }
}

Status TableReader::Get(const LookupKey& key, const BlockReadOptions& options,
                        const TableFilter* filter, std::string* value,
                        LookupResult* result) const {
  *result = {};
  const std::size_t i = options.block != kUnknownBlock
                            ? options.block
                            : index_.Find(key.internal());
  if (i == index_.size()) return Status::Ok();
  blocks_->Prefetch(i);
  if (IsRuledOut(i, key, options, filter, result)) return Status::Ok();
  BlockBuffer buffer;
  Status status;
  do {
    Block block;
    status = blocks_->Read(i, options, &buffer, &block);
    if (!status.ok()) return AboutFile(name_, status);
    result->blocks_read = 1;
    status = TakeFound(FindInBlock(block, context_.order, key), value, result);
    // If a page was lost meanwhile, the result is void.  The next attempt does
    // not use the mapping.
  } while (buffer.is_mapped && blocks_->faulted());
  return status;
}

// Asks the filter of the i-th block: ours if there is one, or LevelDB's, or a
// custom policy's.
bool TableReader::IsRuledOut(std::size_t i, const LookupKey& key,
                             const BlockReadOptions& options,
                             const TableFilter* filter,
                             LookupResult* result) const noexcept {
  using BlockLayer = LookupResult::BlockLayer;
  if (options.block_filter != nullptr) {
    result->block_layer = BlockLayer::kOwn;
    result->block_layer_absent =
        !options.block_filter->MayContain(i, options.block_filter_hash);
    return result->block_layer_absent && !options.only_counts_block_filter;
  }
  if (filter != nullptr && filter->kind() == TableFilter::Kind::kLevelDbBlock) {
    result->block_layer = BlockLayer::kLevelDb;
    result->block_layer_absent =
        !filter->leveldb_block().MayContain(index_.block(i).offset, key.user());
  } else if (custom_.has_value()) {
    result->block_layer = BlockLayer::kLevelDb;
    result->block_layer_absent =
        !custom_->MayContain(index_.block(i).offset, key.user());
  }
  return result->block_layer_absent;
}

Status TableReader::TakeFound(const BlockFind& found, std::string* value,
                              LookupResult* result) const {
  result->state = LookupResult::State::kAbsent;
  if (found.state == BlockFind::State::kAbsent) return Status::Ok();
  const std::uint64_t type = found.trailer & 0xff;
  if (found.state == BlockFind::State::kDamaged ||
      type > static_cast<std::uint64_t>(ValueType::kValue)) {
    return Status::Corruption(name_ + ": a block has an entry that is damaged");
  }
  if (type == static_cast<std::uint64_t>(ValueType::kDeletion)) {
    result->state = LookupResult::State::kDeletion;
    return Status::Ok();
  }
  result->state = LookupResult::State::kValue;
  if (value != nullptr) value->assign(found.value);
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<Table>> Table::Open(
    const TableReadContext& context, std::shared_ptr<const ReadableFile> file,
    const std::string& name, const KeyBounds& bounds) {
  auto table =
      std::make_unique<TableReader>(context, std::move(file), name, bounds);
  Status loaded = table->Load();
  if (!loaded.ok()) return AboutFile(name, loaded);
  return std::unique_ptr<Table>(std::move(table));
}

}  // namespace tamis
