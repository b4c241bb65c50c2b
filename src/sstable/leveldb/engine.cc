// SPDX-License-Identifier: Apache-2.0
#include "sstable/leveldb/engine.h"

#include <charconv>
#include <deque>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/no_throw.h"
#include "formats/leveldb/bloom.h"
#include "formats/leveldb/filter_block.h"
#include "sstable/filter_sum.h"
#include "sstable/find_by_walk.h"
#include "sstable/key_batch.h"
#include "sstable/level_listing.h"
#include "sstable/leveldb/lookup.h"
#include "sstable/windowed_file.h"
#include "store/table_filter_file.h"
#include "table/block.h"
#include "table/block_cursor.h"
#include "table/block_file.h"
#include "table/internal_key.h"
#include "table/table_binding.h"
#include "table/table_filter.h"
#include "table/table_index.h"
#include "table/table_meta.h"
#include "tamis/env.h"

namespace tamis {
namespace {

constexpr std::string_view kBytewise = "leveldb.BytewiseComparator";
constexpr std::string_view kAnyFilter = "filter.";
constexpr std::string_view kRocksDbProperties = "rocksdb.properties";

// All filters of one table.
struct TableFilters {
  std::string block;  // the bytes of LevelDB's
  std::unique_ptr<const LevelDbFilterBlockReader> leveldb;
  struct Whole {
    std::string bytes;
    std::unique_ptr<const FilterReader> reader;
  };
  // Of each policy at most one.  They must not move: a reader's view of a short
  // string would be lost.
  std::deque<Whole> wholes;
  std::shared_ptr<const TableFilter> parts;

  bool MayContain(std::uint64_t block_offset, Slice key) const noexcept {
    return OwnMayContain(key) &&
           (leveldb == nullptr || leveldb->MayContain(block_offset, key));
  }
  // The same without LevelDB's.
  bool OwnMayContain(Slice key) const noexcept {
    for (const Whole& whole : wholes) {
      if (!whole.reader->MayContain(key)) return false;
    }
    return parts == nullptr || parts->MayContain(key);
  }
  // out[i] = MayContain(block_offset, keys[i])
  void CheckMany(std::uint64_t block_offset, std::span<const Slice> keys,
                 std::span<bool> out) const {
    if (wholes.size() == 1 && parts == nullptr && leveldb == nullptr) {
      return wholes.front().reader->MayContainMany(keys, out);
    }
    if (!has_own() && leveldb != nullptr) {
      return leveldb->MayContainMany(block_offset, keys, out);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      out[i] = MayContain(block_offset, keys[i]);
    }
  }
  // Without LevelDB's, which a Tamis store queries only if it is alone.
  bool has_own() const noexcept { return !wholes.empty() || parts != nullptr; }
};

class LevelDbSstable final : public Sstable {
 public:
  LevelDbSstable(Env& env, const FoundSstable& found,
                 std::shared_ptr<ReadableFile> file, const Footer& footer)
      : env_(env),
        info_(InfoOf(found)),
        file_(std::move(file)),
        footer_(footer) {
    info_.bytes = file_->size();
    ReadIndex();
    ReadFilters();
  }

  const SstableInfo& info() const noexcept override { return info_; }
  bool MayContain(Slice user_key) const override;
  Result<SstableWalk> Walk(SstableVisitor& visitor) const override;
  Result<StoredEntry> Find(Slice user_key) const override;

 private:
  void ReadIndex();
  void CountStretches();
  void ReadFilters();
  void ReadLevelDbFilter(const BlockHandle& handle, FilterSum* sum);
  void ReadWholeFilter(const MetaEntry& entry, const FilterOpener& opener,
                       FilterSum* sum);
  void ReadFilterParts(const BlockHandle& handle, FilterSum* sum);
  void UseTableFilter(std::shared_ptr<const TableFilter> filter,
                      FilterSum* sum);
  bool ReadFilterBeside(FilterSum* sum);
  Result<std::uint32_t> ReadBinding(BoundBlocks blocks) const;
  std::string ReadFilterBytes(const BlockHandle& handle, FilterSum* sum,
                              bool* is_read);

  // These return false to end the walk.
  bool WalkAll(WalkReport* report) const;
  bool WalkBlock(const ReadableFile& file, const BlockHandle& handle,
                 BlockBuffer* buffer, WalkReport* report) const;
  bool GiveBatch(std::uint64_t offset, bool are_neighbours,
                 WalkReport* report) const;

  bool has_known_order() const noexcept {
    return info_.comparator.empty() || info_.comparator == kBytewise;
  }

  Env& env_;
  SstableInfo info_;
  std::shared_ptr<ReadableFile> file_;
  Footer footer_;
  BlockBuffer index_buffer_;
  Block index_;
  TableFilters filters_;
};

void LevelDbSstable::ReadIndex() {
  Slice contents;
  Status read = ReadBlock(*file_, footer_.index, &index_buffer_, &contents);
  if (read.ok() && !Block::Parse(contents, &index_)) {
    read = Status::Corruption("the index at offset " +
                              std::to_string(footer_.index.offset) +
                              " is not a block");
  }
  if (read.ok()) return CountStretches();
  index_ = Block();
  info_.why_not_verifiable = read.message();
  info_.remarks.push_back(read.message());
}

void LevelDbSstable::CountStretches() {
  std::uint64_t next = 0;  // the first stretch that was not counted
  BlockCursor cursor;
  cursor.Reset(index_);
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    Slice value = cursor.value();
    BlockHandle handle;
    if (!ReadHandle(&value, &handle)) continue;
    const std::uint64_t stretch = handle.offset >> kLevelDbFilterBaseLog;
    if (stretch < next) continue;
    ++info_.filter_stretches;
    next = stretch + 1;
  }
}

std::string LevelDbSstable::ReadFilterBytes(const BlockHandle& handle,
                                            FilterSum* sum, bool* is_read) {
  BlockBuffer buffer;
  Slice contents;
  const Status read = ReadBlock(*file_, handle, &buffer, &contents);
  *is_read = read.ok();
  if (!read.ok()) {
    sum->AddUnusable(handle.size, 1, true, "cannot be read: " + read.message());
    return "";
  }
  return std::string(contents);
}

void LevelDbSstable::ReadLevelDbFilter(const BlockHandle& handle,
                                       FilterSum* sum) {
  bool is_read;
  filters_.block = ReadFilterBytes(handle, sum, &is_read);
  if (!is_read) return;
  auto reader = std::make_unique<LevelDbFilterBlockReader>(filters_.block);
  if (!reader->damage().empty()) {
    sum->AddUnusable(handle.size, 1, true, std::string(reader->damage()));
    return;
  }
  for (std::size_t i = 0; i < reader->filter_count(); ++i) {
    const Slice filter = reader->filter(i);
    if (filter.empty()) continue;  // no block starts in its range
    const auto opened = OpenLevelDbBloom(filter);
    const auto weight = static_cast<double>(filter.size());
    if (opened.ok()) {
      sum->Add((*opened)->Describe(), filter.size(), weight);
    } else {
      sum->AddUnusable(filter.size(), weight, true, opened.status().message());
    }
  }
  filters_.leveldb = std::move(reader);
}

void LevelDbSstable::ReadWholeFilter(const MetaEntry& entry,
                                     const FilterOpener& opener,
                                     FilterSum* sum) {
  bool is_read;
  TableFilters::Whole& whole = filters_.wholes.emplace_back();
  whole.bytes = ReadFilterBytes(entry.handle, sum, &is_read);
  if (!is_read) return filters_.wholes.pop_back();
  auto reader = opener.Open(whole.bytes);
  if (!reader.ok()) {
    sum->AddUnusable(entry.handle.size, 1, true, reader.status().message());
    return filters_.wholes.pop_back();
  }
  const FilterInfo info = (*reader)->Describe();
  if (info.keys.has_value()) {
    info_.entries = *info.keys;
    info_.filter.keys = static_cast<double>(*info.keys);
    info_.filter.keys_are_stored = true;
  }
  sum->Add(info, entry.handle.size, 1);
  whole.reader = *std::move(reader);
}

void LevelDbSstable::ReadFilterParts(const BlockHandle& handle,
                                     FilterSum* sum) {
  bool is_read;
  const std::string top = ReadFilterBytes(handle, sum, &is_read);
  if (!is_read) return;
  info_.filter.is_partitioned = true;
  UseTableFilter(
      TableFilter::OpenParts(top, {.file = file_}, TableFilter::kWholly), sum);
}

void LevelDbSstable::UseTableFilter(std::shared_ptr<const TableFilter> filter,
                                    FilterSum* sum) {
  if (!filter->damage().ok() || filter->damaged_parts() > 0) {
    sum->AddUnusable(filter->stored().bytes, 1, true,
                     filter->damage().ok() ? "has damaged parts"
                                           : filter->damage().message());
  } else {
    FilterInfo info;
    info.kind = filter->kind_name();
    info.bits = filter->stored().bytes * 8;
    info.probes = filter->stored().probes;
    info.rate = filter->stored().rate;
    info.keys = filter->stored().keys;
    sum->Add(info, filter->stored().bytes, 1);
  }
  filters_.parts = std::move(filter);
}

Result<std::uint32_t> LevelDbSstable::ReadBinding(BoundBlocks blocks) const {
  BlockBuffer buffer;
  Slice contents;
  Status read = ReadBlock(*file_, footer_.index, &buffer, &contents);
  TableIndex index;
  if (read.ok()) {
    read = index.Load(KeyOrder(), contents, file_->size() - kFooterBytes);
  }
  if (!read.ok()) return read;
  return ReadTableBinding(*file_, footer_, index, {}, blocks);
}

// A Tamis store may have given the table a filter in a file beside it, which is
// then used instead of its own.
bool LevelDbSstable::ReadFilterBeside(FilterSum* sum) {
  const std::size_t slash = info_.path.rfind('/');
  const std::string dir =
      slash == std::string::npos ? "." : info_.path.substr(0, slash);
  std::uint64_t number = 0;
  const char* const digits = info_.path.data() + (slash + 1);
  const char* const end = info_.path.data() + info_.path.size();
  if (std::from_chars(digits, end, number).ec != std::errc()) return false;
  const TableReadContext context;
  FilterFileLook look = ReadFilterFile(
      {.env = env_,
       .dir = dir,
       .number = number,
       .table_bytes = file_->size(),
       .table_modified = file_->modified(),
       .binding = [this](BoundBlocks blocks) { return ReadBinding(blocks); },
       .read = context});
  if (!look.problem.empty()) info_.remarks.push_back(look.problem);
  if (look.state != FilterFileState::kUsable) return false;
  info_.remarks.push_back("its filter is in a file beside it");
  UseTableFilter(std::move(look.filter), sum);
  return true;
}

// A Tamis table may have LevelDB's filter besides its own, which is described.
void LevelDbSstable::ReadFilters() {
  std::vector<MetaEntry> entries;
  const Status read = ReadMetaindex(*file_, footer_, &entries);
  FilterSum own;
  FilterSum leveldb;
  bool has_own = false;
  bool has_leveldb = false;
  std::string custom;
  if (!read.ok()) {
    has_leveldb = true;
    leveldb.AddUnusable(0, 1, true, "is not known: " + read.message());
  }
  std::string_view before;
  for (const MetaEntry& entry : entries) {
    // So are all metaindexes.  Each filter is read once.
    const bool is_in_order = before < entry.name;
    before = entry.name;
    if (!is_in_order) {
      has_leveldb = true;
      for (FilterSum* const sum : {&own, &leveldb}) {
        sum->AddUnusable(entry.handle.size, 1, true,
                         "is in a metaindex whose names do not ascend");
      }
    } else if (entry.name == kLevelDbFilterMeta) {
      has_leveldb = true;
      ReadLevelDbFilter(entry.handle, &leveldb);
    } else if (const auto opener = OpenerOfMeta(entry.name, nullptr)) {
      has_own = true;
      info_.filter.name = std::string(opener->name());
      ReadWholeFilter(entry, *opener, &own);
    } else if (entry.name == kFilterPartsMeta) {
      has_own = true;
      info_.filter.name = entry.name;
      ReadFilterParts(entry.handle, &own);
    } else if (entry.name == kRocksDbProperties) {
      MarkUnreadable(
          "it is of RocksDB's format version 0, which RocksDB "
          "itself no longer reads",
          &info_);
      return;
    } else if (entry.name.starts_with(kAnyFilter) ||
               entry.name.starts_with(kWholeFilterMeta)) {
      custom = entry.name;
    }
  }
  if (!has_own && !has_leveldb && !custom.empty()) {
    info_.filter.name = custom;
    leveldb.AddUnusable(0, 1, false,
                        "is of a policy that is not known: " + custom);
  } else if (!has_own && has_leveldb) {
    info_.filter.name = std::string(kLevelDbBloomName);
  }
  FilterSum beside;
  const bool has_beside = ReadFilterBeside(&beside);
  const FilterSum& shown = has_beside ? beside : has_own ? own : leveldb;
  shown.Finish(&info_.filter);
  Judge(shown, {.expects_filter = index_.begin() != index_.end()}, &info_);
  // Whatever its filter is worth.
  if (!info_.why_not_verifiable.empty()) {
    info_.verdict = FilterVerdict::kUnreadable;
  }
}

// The filter is asked about the block that the index leads to, as in LevelDB.
bool LevelDbSstable::MayContain(Slice user_key) const {
  if (filters_.has_own() || filters_.leveldb == nullptr) {
    return filters_.OwnMayContain(user_key);
  }
  if (!has_known_order()) return true;
  BlockCursor cursor;
  cursor.Reset(index_);
  cursor.Seek(KeyOrder(), LookupKey(user_key, kMaxSequence).internal());
  // After the last key there is no block, and no filter is asked.
  if (!cursor.valid()) return cursor.damaged();
  Slice value = cursor.value();
  BlockHandle handle;
  return !ReadHandle(&value, &handle) ||
         filters_.leveldb->MayContain(handle.offset, user_key);
}

Result<SstableWalk> LevelDbSstable::Walk(SstableVisitor& visitor) const {
  if (!info_.why_not_verifiable.empty()) {
    return Status::NotSupported(info_.path + ": " + info_.why_not_verifiable);
  }
  return NoThrow([&]() -> Result<SstableWalk> {
    WalkReport report(info_.path, visitor);
    WalkAll(&report);
    return report.walk();
  });
}

Result<StoredEntry> LevelDbSstable::Find(Slice user_key) const {
  if (!info_.why_not_verifiable.empty()) {
    return Status::NotSupported(info_.path + ": " + info_.why_not_verifiable);
  }
  return NoThrow([&]() -> Result<StoredEntry> {
    if (!has_known_order()) return FindByWalk(*this, user_key);
    auto found = FindInLevelDbTable(*file_, index_, user_key);
    if (found.ok()) return found;
    return AboutFile(info_.path, found.status());
  });
}

bool LevelDbSstable::WalkAll(WalkReport* report) const {
  const WindowedFile file(*file_);
  BlockBuffer buffer;
  BlockCursor cursor;
  cursor.Reset(index_);
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    Slice value = cursor.value();
    BlockHandle handle;
    if (!ReadHandle(&value, &handle)) {
      report->AddProblem("offset " + std::to_string(footer_.index.offset) +
                         ": the index has an entry without a block");
      continue;
    }
    if (!report->Advance(handle.offset, handle.size)) continue;
    if (!WalkBlock(file, handle, &buffer, report)) return false;
  }
  if (cursor.damaged()) {
    report->AddProblem("offset " + std::to_string(footer_.index.offset) +
                       ": the rest of the index is damaged");
  }
  return true;
}

bool LevelDbSstable::WalkBlock(const ReadableFile& file,
                               const BlockHandle& handle, BlockBuffer* buffer,
                               WalkReport* report) const {
  const auto add_problem = [&](const std::string& what) {
    report->AddProblem("offset " + std::to_string(handle.offset) + ": " + what);
  };
  Slice contents;
  Block block;
  Status read = ReadBlock(file, handle, buffer, &contents);
  if (read.ok() && !Block::Parse(contents, &block)) {
    read = Status::Corruption("it is not a block");
  }
  if (!read.ok()) {
    add_problem(read.message());
    return true;
  }
  report->AddBlock(handle.size);
  KeyBatch& batch = report->batch();
  batch.Clear();
  BlockCursor cursor;
  cursor.Reset(block);
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    if (cursor.key().size() < kTrailerBytes) break;
    const Slice key = UserKeyOf(cursor.key());
    if (batch.IsFullFor(key) && !GiveBatch(handle.offset, true, report)) {
      return false;
    }
    batch.Add(key);
  }
  const bool is_whole = !cursor.valid() && !cursor.damaged();
  if (!is_whole) add_problem("the rest of this block is damaged");
  return batch.size() == 0 || GiveBatch(handle.offset, is_whole, report);
}

// Queries the filters for the keys of the batch, and clears it.
bool LevelDbSstable::GiveBatch(std::uint64_t offset, bool are_neighbours,
                               WalkReport* report) const {
  KeyBatch& batch = report->batch();
  const std::span<const Slice> keys = batch.Keys();
  const std::span<bool> answers = batch.Answers();
  filters_.CheckMany(offset, keys, answers);
  const bool goes_on =
      report->Give(keys, answers, offset, are_neighbours && has_known_order());
  batch.Clear();
  return goes_on;
}

bool Recognises(std::string_view /*file_name*/, Slice tail) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  return tail.size() >= kFooterBytes &&
         LoadLittle64(tail.data() + tail.size() - kWord) == kTableMagic;
}

void List(const DirectoryFiles& files, SstableListing* listing) {
  ListLevels(files, "leveldb", Recognises, listing);
}

Result<std::unique_ptr<const Sstable>> Open(Env& env,
                                            const FoundSstable& found) {
  auto file = env.OpenReadable(found.path, false);
  if (!file.ok()) return NewUnreadableSstable(found, file.status().message());
  const Result<Footer> footer = ReadFooter(**file);
  if (!footer.ok()) {
    return NewUnreadableSstable(found,
                                "offset " + std::to_string((*file)->size()) +
                                    ", the end: " + footer.status().message());
  }
  return std::unique_ptr<const Sstable>(std::make_unique<LevelDbSstable>(
      env, found, std::shared_ptr<ReadableFile>(*std::move(file)), *footer));
}

}  // namespace

SstableEngineRow LevelDbEngine() {
  return {
      .name = "leveldb", .recognises = Recognises, .list = List, .open = Open};
}

}  // namespace tamis
