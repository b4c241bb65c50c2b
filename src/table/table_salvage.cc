// SPDX-License-Identifier: Apache-2.0
#include "table/table_salvage.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/damage.h"
#include "base/no_throw.h"
#include "table/block.h"
#include "table/block_cursor.h"
#include "table/block_file.h"
#include "table/block_scan.h"
#include "table/table_index.h"

namespace tamis {
namespace {

constexpr std::size_t kMaxSentences = 20;  // more tell no more
// Longer than any table; searching it would take minutes.
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{64} << 30;

// Returns whether the restarts are at entries, and all entries are valid.
// Calls visit(key, value) for each; if that returns false, so does this.
template <typename Visit>
bool WalkWholeBlock(Slice contents, Visit&& visit) {
  Block block;
  if (!Block::Parse(contents, &block)) return false;
  BlockCursor cursor;
  cursor.Reset(block);
  std::uint32_t restart = 0;
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    if (restart < block.restart_count() &&
        cursor.entry() == block.Restart(restart)) {
      if (!cursor.key_is_whole()) return false;
      ++restart;
    }
    if (!visit(cursor.key(), cursor.value())) return false;
  }
  return !cursor.damaged() &&
         (restart == block.restart_count() || block.begin() == block.end());
}

// Returns whether it can be the key of an entry.  Keys of an index have the
// maximum sequence number, which no entry has.
bool IsKeyOfEntry(Slice key) noexcept {
  return IsInternalKey(key) && SequenceOf(key) < kMaxSequence;
}

class Salvage {
 public:
  Salvage(const TableReadContext& context, const ReadableFile& file,
          const SalvageBounds& bounds, const TakeEntry& take)
      : order_(context.order),
        unpack_(context.unpack),
        file_(file),
        bounds_(bounds),
        take_(take) {}

  Result<SalvageReport> Run() {
    BlockBuffer buffer;
    TableIndex index;
    const Status loaded = LoadIndex(&buffer, &index);
    if (!loaded.ok() && !IsDamage(loaded)) return loaded;
    const Status done = loaded.ok() ? TakeByIndex(index) : TakeByScan();
    if (!done.ok()) return done;
    if (report_.out_of_order > 0) {
      Lose(std::to_string(report_.out_of_order) +
           " entries are out of order and are left out");
    }
    if (unsaid_ > 0) {
      report_.lost.push_back("and " + std::to_string(unsaid_) + " more places");
    }
    report_.largest = last_;
    return std::move(report_);
  }

 private:
  Status LoadIndex(BlockBuffer* buffer, TableIndex* index);
  Status TakeByIndex(const TableIndex& index);
  Status TakeByScan();
  Status TakeScanned(const ScannedBlock& block);
  Status TakeBlock(Slice contents, const Slice* upper);
  Status Offer(Slice key, Slice value, const Slice* upper);
  bool IsInBounds(Slice key) const;
  bool IsKnownToTheManifest(Slice contents) const;
  bool FollowsInOrder(Slice contents) const;
  bool IsOfEntries(Slice contents) const;
  bool IsOfHandles(const BlockHandle& where, Slice contents) const;
  bool MayBeBlock(const BlockHandle& handle) const;
  void SayGaps(const BlockScan& scan);

  void Lose(std::string sentence) {
    if (report_.lost.size() < kMaxSentences) {
      report_.lost.push_back(std::move(sentence));
    } else {
      ++unsaid_;
    }
  }

  const KeyOrder order_;
  const UnpackLimits unpack_;
  const ReadableFile& file_;
  const SalvageBounds& bounds_;
  const TakeEntry& take_;
  SalvageReport report_;
  std::size_t unsaid_ = 0;
  std::string last_;                             // key passed on
  std::map<std::uint64_t, std::uint64_t> seen_;  // blocks: offset, size
  std::vector<std::uint64_t> behind_;            // entries after each gap
};

Status Salvage::LoadIndex(BlockBuffer* buffer, TableIndex* index) {
  const Result<Footer> footer = ReadFooter(file_);
  if (!footer.ok()) return footer.status();
  Slice contents;
  Status read = ReadBlock(file_, footer->index, buffer, &contents, unpack_);
  if (!read.ok()) return read;
  return index->Load(order_, contents, file_.size() - kFooterBytes);
}

Status Salvage::TakeByIndex(const TableIndex& index) {
  BlockBuffer buffer;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const BlockHandle handle = index.block(i);
    Slice contents;
    const Status read = ReadBlock(file_, handle, &buffer, &contents, unpack_);
    const std::string where =
        "the block at offset " + std::to_string(handle.offset);
    if (!read.ok() && !IsDamage(read)) {
      return read.WithMessage(where + ": " + read.message());
    }
    if (!read.ok()) {
      Lose(where + " is lost: " + read.message());
      continue;
    }
    const Slice upper = index.key(i);
    if (Status taken = TakeBlock(contents, &upper); !taken.ok()) return taken;
  }
  return Status::Ok();
}

// Takes the entries of the block, up to the first that makes no sense.  `upper`
// is the index's key for it; null: it was found without the index.
Status Salvage::TakeBlock(Slice contents, const Slice* upper) {
  Block block;
  if (!Block::Parse(contents, &block)) {
    Lose("a block with a right checksum is not valid");
    return Status::Ok();
  }
  ++report_.blocks;
  BlockCursor cursor;
  cursor.Reset(block);
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    if (!IsInternalKey(cursor.key())) {
      Lose("an entry has a key that is not valid");
      continue;
    }
    Status offered = Offer(cursor.key(), cursor.value(), upper);
    if (!offered.ok()) return offered;
  }
  if (cursor.damaged()) Lose("an entry is damaged, with what follows it");
  return Status::Ok();
}

Status Salvage::Offer(Slice key, Slice value, const Slice* upper) {
  const bool is_where_it_belongs =
      upper != nullptr ? order_.Compare(key, *upper) <= 0 : IsInBounds(key);
  if (!is_where_it_belongs ||
      (!last_.empty() && order_.Compare(last_, key) >= 0)) {
    ++report_.out_of_order;
    return Status::Ok();
  }
  if (Status taken = take_(key, value); !taken.ok()) return taken;
  if (report_.entries == 0) report_.smallest = key;
  ++report_.entries;
  report_.largest_sequence =
      std::max(report_.largest_sequence, SequenceOf(key));
  last_.assign(key);
  return Status::Ok();
}

bool Salvage::IsInBounds(Slice key) const {
  return (bounds_.smallest.empty() ||
          order_.Compare(key, bounds_.smallest) >= 0) &&
         (bounds_.largest.empty() || order_.Compare(key, bounds_.largest) <= 0);
}

// Returns whether no entry is newer than the manifest says.  REQUIRES:
// IsOfEntries(contents)
bool Salvage::IsKnownToTheManifest(Slice contents) const {
  return WalkWholeBlock(contents, [&](Slice key, Slice /*value*/) {
    return SequenceOf(key) <= bounds_.last_sequence;
  });
}

// Returns whether all entries come after those passed on so far.
bool Salvage::FollowsInOrder(Slice contents) const {
  std::string last = last_;
  bool any = false;
  return WalkWholeBlock(
             contents,
             [&](Slice key, Slice /*value*/) {
               if (!IsInternalKey(key) || !IsInBounds(key) ||
                   SequenceOf(key) > bounds_.last_sequence ||
                   (!last.empty() && order_.Compare(last, key) >= 0)) {
                 return false;
               }
               last.assign(key);
               any = true;
               return true;
             }) &&
         any;
}

bool Salvage::IsOfEntries(Slice contents) const {
  bool any = false;
  return WalkWholeBlock(contents,
                        [&](Slice key, Slice /*value*/) {
                          any = true;
                          return IsKeyOfEntry(key);
                        }) &&
         any;
}

// Returns true for a block that was seen, or one that is between those that
// were.
bool Salvage::MayBeBlock(const BlockHandle& handle) const {
  auto next = seen_.lower_bound(handle.offset);
  if (next != seen_.end() && next->first == handle.offset) {
    return next->second == handle.size;
  }
  const std::uint64_t end = handle.offset + handle.size + kBlockTrailerBytes;
  if (next != seen_.end() && end > next->first) return false;
  if (next == seen_.begin()) return true;
  --next;
  return next->first + next->second + kBlockTrailerBytes <= handle.offset;
}

// Returns whether it is the index or the metaindex: every value is the handle
// of a block before it, in ascending order.
bool Salvage::IsOfHandles(const BlockHandle& where, Slice contents) const {
  std::uint64_t end = 0;
  bool any = false;
  return WalkWholeBlock(
             contents,
             [&](Slice /*key*/, Slice value) {
               BlockHandle handle;
               if (!ReadHandle(&value, &handle) || !value.empty() ||
                   handle.size == 0 || !LiesBefore(handle, where.offset) ||
                   handle.offset < end || !MayBeBlock(handle)) {
                 return false;
               }
               end = handle.offset + handle.size + kBlockTrailerBytes;
               any = true;
               return true;
             }) &&
         any;
}

Status Salvage::TakeByScan() {
  BlockScan scan(file_, {.unpack = unpack_,
                         .file_bytes = bounds_.file_bytes,
                         .is_block = [this](Slice contents) {
                           return FollowsInOrder(contents);
                         }});
  ScannedBlock block;
  while (scan.Next(&block)) {
    const std::uint64_t before = report_.entries;
    if (Status taken = TakeScanned(block); !taken.ok()) return taken;
    seen_[block.handle.offset] = block.handle.size;
    behind_.resize(scan.gaps().size());
    if (!behind_.empty()) behind_.back() += report_.entries - before;
  }
  if (!scan.status().ok()) return scan.status();
  SayGaps(scan);
  return Status::Ok();
}

Status Salvage::TakeScanned(const ScannedBlock& block) {
  const std::string where =
      "the block at offset " + std::to_string(block.handle.offset);
  if (!block.unpacked.ok()) {
    Lose(where + " is lost: " + block.unpacked.message());
    return Status::Ok();
  }
  if (IsOfHandles(block.handle, block.contents) ||
      !IsOfEntries(block.contents)) {
    return Status::Ok();
  }
  if (block.is_behind_damage && !IsKnownToTheManifest(block.contents)) {
    Lose(where + ", found after damage, has entries that are newer than the " +
         "manifest says, and is left out");
    return Status::Ok();
  }
  return TakeBlock(block.contents, nullptr);
}

void Salvage::SayGaps(const BlockScan& scan) {
  for (std::string& sentence : scan.unreadable().ToSentences()) {
    Lose(std::move(sentence));
  }
  behind_.resize(scan.gaps().size());
  for (std::size_t i = 0; i < behind_.size(); ++i) {
    const auto& [begin, end] = scan.gaps()[i];
    // That may be the footer.
    if (end == file_.size() && end - begin <= kFooterBytes) continue;
    Lose("there is no whole block in bytes " + std::to_string(begin) + " to " +
         std::to_string(end - 1) +
         (behind_[i] == 0 ? ""
                          : "; entries found after this damage: " +
                                std::to_string(behind_[i])));
  }
}

}  // namespace

Result<SalvageReport> SalvageTable(const TableReadContext& context,
                                   const ReadableFile& file,
                                   const SalvageBounds& bounds,
                                   const TakeEntry& take) {
  return NoThrow([&]() -> Result<SalvageReport> {
    if (file.size() > kMaxFileBytes) {
      return Status::ResourceExhausted(
          "it has " + std::to_string(file.size()) +
          " bytes, which no table has: cut it to what the manifest says, or "
          "move it away");
    }
    return Salvage(context, file, bounds, take).Run();
  });
}

}  // namespace tamis
