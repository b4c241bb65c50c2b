// SPDX-License-Identifier: Apache-2.0
#include "table/quick_table.h"

#include <algorithm>
#include <utility>

#include "base/file_mapping.h"
#include "table/block_cursor.h"
#include "table/block_search.h"
#include "table/table_blocks.h"
#include "table/table_index.h"

namespace tamis {
namespace {

// The first sixteen bytes of a user key, as numbers that order like them.
struct LongPrefix {
  std::uint64_t high;
  std::uint64_t low;

  bool operator<(const LongPrefix& other) const noexcept {
    return high != other.high ? high < other.high : low < other.low;
  }
};

// Eight bytes from `p` on, of which `size` count.  REQUIRES: all are readable
std::uint64_t LoadSome(const char* p, std::size_t size) noexcept {
  const std::uint64_t word = LoadBig<std::uint64_t>(p);
  if (size >= 8) return word;
  return size == 0 ? 0 : word >> (64 - 8 * size) << (64 - 8 * size);
}

// The trailer follows the user key, so eight bytes can always be loaded.
LongPrefix LongPrefixOf(Slice internal_key) noexcept {
  const Slice user = UserKeyOf(internal_key);
  return {LoadSome(user.data(), user.size()),
          user.size() > 8 ? LoadSome(user.data() + 8, user.size() - 8) : 0};
}

// Whether the block has an entry that is not after the key, and one that is not
// before it.  REQUIRES: it is in order
bool Spans(const Block& block, const KeyOrder& order, Slice internal_key) {
  if (block.begin() == block.end() || block.Restart(0) != block.begin() ||
      order.Compare(block.RestartKey(0), internal_key) > 0) {
    return false;
  }
  BlockCursor cursor;
  cursor.Reset(block);
  cursor.SeekToLast();
  return cursor.valid() && order.Compare(cursor.key(), internal_key) >= 0;
}

}  // namespace

std::unique_ptr<const QuickTable> QuickTable::Open(
    const TableReadContext& context, std::shared_ptr<const ReadableFile> file,
    const std::string& name, const KeyBounds& bounds) {
  if (file->mapped().size() < file->size()) return nullptr;
  const Result<Footer> footer = ReadFooter(*file);
  if (!footer.ok() || !LiesBefore(footer->index, file->size())) return nullptr;
  std::unique_ptr<QuickTable> table(
      new QuickTable(context, std::move(file), name, bounds));
  if (!table->ParseIndex(footer->index) || table->HasFaulted()) return nullptr;
  return table;
}

bool QuickTable::ParseIndex(const BlockHandle& handle) {
  const auto bytes = static_cast<std::size_t>(handle.size) + kBlockTrailerBytes;
  stored_.bytes = {file_->mapped().data() + handle.offset, bytes};
  pages_ = ReadablePages(*file_, handle.offset, bytes);
  // The number of restarts, and how the block is compressed.
  const std::size_t end =
      std::min(bytes, kBlockTrailerBytes + sizeof(std::uint32_t));
  if (!pages_.Make(stored_.bytes.data() + bytes - end, end)) return false;
  if (stored_.codec() != static_cast<unsigned>(Compression::kNone)) {
    return Unpack();
  }
  return Block::Parse(stored_.contents(), &index_);
}

bool QuickTable::Unpack() {
  if (!pages_.MakeAll() || !stored_.ChecksumHolds() ||
      !Decompress(stored_.codec(), stored_.contents(), &raw_, context_.unpack)
           .ok()) {
    return false;
  }
  pages_ = {};
  return Block::Parse(raw_, &index_);
}

bool QuickTable::HasFaulted() const noexcept {
  const std::atomic<bool>* const flag = file_->fault_flag();
  return flag != nullptr && FileMapping::HasFaulted(*flag);
}

// Makes the entry readable first.  False: it is not, or it is damaged.
// REQUIRES: i < index_.restart_count()
bool QuickTable::ReadEntry(std::uint32_t i, Entry* entry) const noexcept {
  constexpr std::ptrdiff_t kMaxHead = 15;  // three varints of five bytes
  constexpr std::size_t kWord = sizeof(std::uint32_t);
  if (!pages_.Make(index_.end() + std::size_t{i} * kWord, kWord)) return false;
  const char* const start = index_.Restart(i);
  if (start == nullptr) return false;
  const std::ptrdiff_t rest = index_.end() - start;
  if (!pages_.Make(start, static_cast<std::size_t>(std::min(kMaxHead, rest)))) {
    return false;
  }
  *entry = EntryAt(i);
  return entry->end != nullptr &&
         pages_.Make(start, static_cast<std::size_t>(entry->end - start));
}

// REQUIRES: i < index_.restart_count()
[[gnu::always_inline]] inline QuickTable::Entry QuickTable::EntryAt(
    std::uint32_t i) const noexcept {
  const char* const start = index_.Restart(i);
  if (start == nullptr) return {};
  EntryHead head;
  const char* const key = DecodeEntry(start, index_.end(), &head);
  if (key == nullptr || head.shared != 0 || head.unshared < kTrailerBytes) {
    return {};
  }
  const char* const value = key + head.unshared;
  return {.key = {key, head.unshared},
          .value = {value, head.value_bytes},
          .end = value + head.value_bytes};
}

// Finds the first entry that is not before the key, or the number of entries.
// False: damaged, or there are entries between the restarts around it.
bool QuickTable::FindBlock(Slice internal_key,
                           std::uint32_t* found) const noexcept {
  const std::uint32_t count = index_.restart_count();
  std::uint32_t first = 0;
  std::uint32_t last = count;
  Entry entry;
  while (first < last) {
    const std::uint32_t middle = first + (last - first) / 2;
    if (!ReadEntry(middle, &entry)) return false;
    if (context_.order.Compare(entry.key, internal_key) < 0) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  *found = first;
  const char* start = index_.end();
  if (first < count) {
    if (!ReadEntry(first, &entry)) return false;
    start = index_.Restart(first);
  }
  if (first == 0) return start == index_.begin();
  return ReadEntry(first - 1, &entry) && entry.end == start;
}

// A key can be called absent from all blocks only if the index is as it was
// written, and in order.
bool QuickTable::IsIndexSound() const noexcept {
  if (is_sound_.load(std::memory_order_relaxed)) return true;
  // What was decompressed is verified.
  const bool is_raw = !raw_.empty();
  const bool is_sound = pages_.MakeAll() &&
                        (is_raw || stored_.ChecksumHolds()) &&
                        CheckIndexOrder();
  if (is_sound) is_sound_.store(true, std::memory_order_relaxed);
  return is_sound;
}

bool QuickTable::CheckIndexOrder() const noexcept {
  const bool is_bytewise = context_.order.is_bytewise();
  const char* expected = index_.begin();
  Entry previous;
  LongPrefix previous_prefix{};
  for (std::uint32_t i = 0; i < index_.restart_count(); ++i) {
    const Entry entry = EntryAt(i);
    if (entry.end == nullptr || index_.Restart(i) != expected) return false;
    const LongPrefix prefix = LongPrefixOf(entry.key);
    const bool is_after = is_bytewise && previous_prefix < prefix;
    if (i > 0 && !is_after &&
        context_.order.Compare(previous.key, entry.key) >= 0) {
      return false;
    }
    previous = entry;
    previous_prefix = prefix;
    expected = entry.end;
  }
  return expected == index_.end();
}

// Reads the block as the only one of an index, between its neighbours.  False:
// the table must be loaded, or, without trust in the index, the block does not
// tell whether the key is elsewhere.
bool QuickTable::GetFromBlock(std::uint32_t i, Trust trust,
                              const LookupKey& key, std::string* value,
                              LookupResult* result) const {
  Entry entry;
  Entry previous;
  if (!ReadEntry(i, &entry) || (i > 0 && !ReadEntry(i - 1, &previous))) {
    return false;
  }
  TableIndex index;
  index.SetBounds(i > 0 ? previous.key : bounds_.smallest,
                  i + 1 < index_.restart_count() ? Slice() : bounds_.largest);
  if (!index
           .LoadOne(context_.order, entry.key, entry.value,
                    file_->size() - kFooterBytes)
           .ok()) {
    return false;
  }
  const TableBlocks blocks(*file_, index, /*cache=*/nullptr, context_.unpack);
  BlockBuffer buffer;
  Block block;
  if (!blocks.Read(0, {}, &buffer, &block).ok()) return false;
  if (trust == Trust::kBlockThatSpansIt &&
      !Spans(block, context_.order, key.internal())) {
    return false;
  }
  result->blocks_read = 1;
  const BlockFind found = FindInBlock(block, context_.order, key);
  if (found.state == BlockFind::State::kDamaged) return false;
  if (found.state == BlockFind::State::kAbsent) return true;
  const std::uint64_t type = found.trailer & 0xff;
  if (type > static_cast<std::uint64_t>(ValueType::kValue)) return false;
  result->state = type == static_cast<std::uint64_t>(ValueType::kValue)
                      ? LookupResult::State::kValue
                      : LookupResult::State::kDeletion;
  if (result->state == LookupResult::State::kValue && value != nullptr) {
    value->assign(found.value);
  }
  return true;
}

bool QuickTable::Find(Trust trust, const LookupKey& key, std::string* value,
                      LookupResult* result) const {
  *result = {};
  std::uint32_t i = 0;
  if (!FindBlock(key.internal(), &i)) return false;
  if (i < index_.restart_count()) {
    return GetFromBlock(i, trust, key, value, result);
  }
  return trust == Trust::kIndex;
}

bool QuickTable::Get(const LookupKey& key, std::string* value,
                     LookupResult* result) const {
  const bool is_found =
      (!is_sound_.load(std::memory_order_relaxed) &&
       Find(Trust::kBlockThatSpansIt, key, value, result)) ||
      (IsIndexSound() && Find(Trust::kIndex, key, value, result));
  // If a page was lost meanwhile, the result is void.
  return is_found && !HasFaulted();
}

}  // namespace tamis
