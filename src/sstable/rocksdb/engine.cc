// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/engine.h"

#include <utility>

#include "base/coding.h"
#include "base/no_throw.h"
#include "sstable/key_batch.h"
#include "sstable/level_listing.h"
#include "sstable/rocksdb/features.h"
#include "sstable/rocksdb/filter.h"
#include "sstable/rocksdb/lookup.h"
#include "sstable/rocksdb/table.h"
#include "sstable/windowed_file.h"
#include "table/block_file.h"
#include "table/internal_key.h"
#include "tamis/env.h"

namespace tamis {
namespace {

constexpr std::string_view kFilterEntries = "rocksdb.num.filter_entries";

class RocksDbSstable final : public Sstable {
 public:
  RocksDbSstable(const FoundSstable& found, std::unique_ptr<ReadableFile> file,
                 RocksDbTable table)
      : info_(InfoOf(found)), file_(std::move(file)), table_(std::move(table)) {
    Describe();
  }

  const SstableInfo& info() const noexcept override { return info_; }
  bool MayContain(Slice user_key) const override {
    return filter_->MayContain(user_key);
  }
  Result<SstableWalk> Walk(SstableVisitor& visitor) const override;
  Result<StoredEntry> Find(Slice user_key) const override;

 private:
  void Describe();
  void NoteFeatures();
  void NotePrefixes();
  RocksDbOrder Order() const noexcept {
    return info_.comparator == kRocksDbReverse ? RocksDbOrder::kReverse
                                               : RocksDbOrder::kBytewise;
  }

  // These return false to end the walk.
  bool WalkIndex(const ReadableFile& file, const BlockHandle& index,
                 bool is_top, WalkReport* report) const;
  bool WalkData(const ReadableFile& file, const BlockHandle& handle,
                RocksDbBuffer* buffer, WalkReport* report) const;
  bool GiveBatch(std::uint64_t offset, bool are_neighbours,
                 WalkReport* report) const;

  SstableInfo info_;
  std::unique_ptr<ReadableFile> file_;
  RocksDbTable table_;
  std::unique_ptr<const RocksDbTableFilter> filter_;
};

void RocksDbSstable::NoteFeatures() {
  std::string why = table_.WhyNotReadable();
  if (!info_.comparator.empty()) {
    const std::string order = WhyNotComparable(info_.comparator);
    if (!order.empty()) why = order;
  }
  info_.why_not_verifiable = why;
  if (!why.empty()) info_.remarks.push_back(why);
  for (const auto& [name, handle] : table_.blocks()) {
    if (!name.starts_with(kRocksDbUserIndex)) continue;
    info_.remarks.push_back("it has a user-defined index (" +
                            name.substr(kRocksDbUserIndex.size()) +
                            "), which is left alone");
  }
}

// What is not known of the prefixes cannot be checked.
void RocksDbSstable::NotePrefixes() {
  const SstableFilterInfo& filter = info_.filter;
  if (filter.prefix_extractor.empty() ||
      RocksDbPrefix::Named(filter.prefix_extractor).has_value()) {
    return;
  }
  const std::string of = "of the prefix extractor " + filter.prefix_extractor +
                         ", which is not known";
  info_.remarks.push_back("the filter has prefixes " + of);
  if (!filter.has_whole_keys && info_.why_not_verifiable.empty()) {
    info_.why_not_verifiable = "the filter has only prefixes, " + of;
  }
}

void RocksDbSstable::Describe() {
  info_.version = std::to_string(table_.footer().version);
  info_.bytes = file_->size();
  info_.entries = table_.NumberProperty("rocksdb.num.entries");
  info_.compression = std::string(table_.Property("rocksdb.compression"));
  if (const Slice name = table_.Property("rocksdb.comparator"); !name.empty()) {
    info_.comparator = std::string(name);
  }
  NoteFeatures();
  const std::uint64_t keys = table_.NumberProperty(std::string(kFilterEntries));
  info_.filter.keys_are_stored = keys != 0;
  info_.filter.keys = static_cast<double>(keys);
  FilterSum sum;
  filter_ = RocksDbTableFilter::Read(table_, *file_, Order(), &sum, &info_);
  sum.Finish(&info_.filter);
  // Range deletions alone get no filter.
  const bool has_keys =
      info_.entries > table_.NumberProperty("rocksdb.num.range-deletions");
  NotePrefixes();
  Judge(sum, {.expects_filter = has_keys}, &info_);
}

Result<SstableWalk> RocksDbSstable::Walk(SstableVisitor& visitor) const {
  if (!info_.why_not_verifiable.empty()) {
    return Status::NotSupported(info_.path + ": " + info_.why_not_verifiable);
  }
  return NoThrow([&]() -> Result<SstableWalk> {
    WalkReport report(info_.path, visitor);
    const WindowedFile file(*file_);
    WalkIndex(file, table_.footer().index, table_.has_two_level_index(),
              &report);
    return report.walk();
  });
}

Result<StoredEntry> RocksDbSstable::Find(Slice user_key) const {
  if (!info_.why_not_verifiable.empty()) {
    return Status::NotSupported(info_.path + ": " + info_.why_not_verifiable);
  }
  return NoThrow([&]() -> Result<StoredEntry> {
    auto found = FindInRocksDbTable(table_, *file_, Order(), user_key);
    if (found.ok()) return found;
    return AboutFile(info_.path, found.status());
  });
}

bool RocksDbSstable::WalkIndex(const ReadableFile& file,
                               const BlockHandle& index, bool is_top,
                               WalkReport* report) const {
  // Read around the window, which is where the data blocks are.
  RocksDbBuffer buffer;
  RocksDbBuffer data_buffer;
  RocksDbBlockParts parts;
  const Status read = table_.ReadParts(*file_, index, false, &buffer, &parts);
  if (!read.ok()) {
    report->AddProblem("keys cannot be found without this index: " +
                       read.message());
    return true;
  }
  report->AddBlock(index.size);
  RocksDbIndexEntries entries(parts, table_.index_coding());
  std::uint64_t next = 0;  // where the next partition of a top may begin
  while (entries.Next()) {
    // So no walk reads more than the file.
    if (is_top && entries.handle().offset < next) {
      report->AddProblem("offset " + std::to_string(index.offset) +
                         ": this index leads back to " +
                         std::to_string(entries.handle().offset));
      continue;
    }
    next = entries.handle().offset + 1;
    const bool goes_on =
        is_top ? WalkIndex(file, entries.handle(), false, report)
               : WalkData(file, entries.handle(), &data_buffer, report);
    if (!goes_on) return false;
  }
  if (entries.damaged()) {
    report->AddProblem("offset " + std::to_string(index.offset) +
                       ": the rest of this index is damaged");
  }
  return true;
}

bool RocksDbSstable::WalkData(const ReadableFile& file,
                              const BlockHandle& handle, RocksDbBuffer* buffer,
                              WalkReport* report) const {
  if (!report->Advance(handle.offset, handle.size)) return true;
  RocksDbBlockParts parts;
  const Status read = table_.ReadParts(file, handle, true, buffer, &parts);
  if (!read.ok()) {
    report->AddProblem(read.message());
    return true;
  }
  report->AddBlock(handle.size);
  KeyBatch& batch = report->batch();
  batch.Clear();
  RocksDbEntries entries(parts);
  while (entries.Next()) {
    if (entries.key().size() < kTrailerBytes) break;
    const Slice key = UserKeyOf(entries.key());
    if (batch.IsFullFor(key) && !GiveBatch(handle.offset, true, report)) {
      return false;
    }
    batch.Add(key);
  }
  const bool is_whole = entries.is_at_end();
  if (!is_whole) {
    report->AddProblem("offset " + std::to_string(handle.offset) +
                       ": the rest of this block is damaged");
  }
  return batch.size() == 0 || GiveBatch(handle.offset, is_whole, report);
}

// Queries the filter for the keys of the batch, and clears it.
bool RocksDbSstable::GiveBatch(std::uint64_t offset, bool are_neighbours,
                               WalkReport* report) const {
  KeyBatch& batch = report->batch();
  const std::span<const Slice> keys = batch.Keys();
  const std::span<bool> answers = batch.Answers();
  filter_->CheckStored(keys, answers);
  const bool goes_on = report->Give(keys, answers, offset, are_neighbours);
  batch.Clear();
  return goes_on;
}

bool Recognises(std::string_view /*file_name*/, Slice tail) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  return tail.size() >= kWord &&
         LoadLittle64(tail.data() + tail.size() - kWord) == kRocksDbTableMagic;
}

void List(const DirectoryFiles& files, SstableListing* listing) {
  ListLevels(files, "rocksdb", Recognises, listing);
}

Result<std::unique_ptr<const Sstable>> Open(Env& env,
                                            const FoundSstable& found) {
  auto file = env.OpenReadable(found.path, false);
  if (!file.ok()) {
    return NewUnreadableSstable(found, file.status().message());
  }
  Result<RocksDbTable> table = RocksDbTable::Open(**file);
  if (!table.ok()) {
    return NewUnreadableSstable(
        found, AboutFile(found.path, table.status()).message());
  }
  return std::unique_ptr<const Sstable>(std::make_unique<RocksDbSstable>(
      found, *std::move(file), *std::move(table)));
}

}  // namespace

SstableEngineRow RocksDbEngine() {
  return {
      .name = "rocksdb", .recognises = Recognises, .list = List, .open = Open};
}

}  // namespace tamis
