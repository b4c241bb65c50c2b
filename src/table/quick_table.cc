// SPDX-License-Identifier: Apache-2.0
#include "table/quick_table.h"

#include <utility>

#include "base/file_mapping.h"
#include "table/block_file.h"
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

}  // namespace

std::unique_ptr<const QuickTable> QuickTable::Open(
    const TableReadContext& context, std::shared_ptr<const ReadableFile> file,
    const std::string& name, const KeyBounds& bounds) {
  if (file->mapped().size() < file->size()) return nullptr;
  const Result<Footer> footer = ReadFooter(*file);
  if (!footer.ok() || !LiesBefore(footer->index, file->size())) return nullptr;
  const auto bytes =
      static_cast<std::size_t>(footer->index.size) + kBlockTrailerBytes;
  if (!file->MakeReadable(footer->index.offset, bytes)) return nullptr;
  const StoredBlock stored{
      {file->mapped().data() + footer->index.offset, bytes}};
  if (!stored.ChecksumHolds()) return nullptr;
  Slice contents = stored.contents();
  auto raw = std::make_unique<std::string>();
  if (stored.codec() != static_cast<unsigned>(Compression::kNone)) {
    if (!Decompress(stored.codec(), contents, raw.get(), context.unpack).ok()) {
      return nullptr;
    }
    contents = *raw;
  }
  Block index;
  if (!Block::Parse(contents, &index)) return nullptr;
  std::unique_ptr<const QuickTable> table(new QuickTable(
      context, std::move(file), name, bounds, std::move(raw), index));
  if (table->HasFaulted()) return nullptr;
  return table;
}

bool QuickTable::HasFaulted() const noexcept {
  const std::atomic<bool>* const flag = file_->fault_flag();
  return flag != nullptr && FileMapping::HasFaulted(*flag);
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
  while (first < last) {
    const std::uint32_t middle = first + (last - first) / 2;
    const Entry entry = EntryAt(middle);
    if (entry.end == nullptr) return false;
    if (context_.order.Compare(entry.key, internal_key) < 0) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  *found = first;
  const char* const start =
      first < count ? index_.Restart(first) : index_.end();
  return start == (first > 0 ? EntryAt(first - 1).end : index_.begin());
}

// A key can be called absent only if all of the index is in order: then it is
// in no other block.
bool QuickTable::IsIndexInOrder() const noexcept {
  if (is_in_order_.load(std::memory_order_relaxed)) return true;
  const bool is_in_order = CheckIndexOrder();
  if (is_in_order) is_in_order_.store(true, std::memory_order_relaxed);
  return is_in_order;
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

// Reads the block as the only one of an index, between its neighbours.
bool QuickTable::GetFromBlock(std::uint32_t i, const LookupKey& key,
                              std::string* value, LookupResult* result) const {
  const Entry entry = EntryAt(i);
  TableIndex index;
  index.SetBounds(i > 0 ? EntryAt(i - 1).key : bounds_.smallest,
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

bool QuickTable::Get(const LookupKey& key, std::string* value,
                     LookupResult* result) const {
  *result = {};
  std::uint32_t i = 0;
  if (!FindBlock(key.internal(), &i)) return false;
  if (i < index_.restart_count() && !GetFromBlock(i, key, value, result)) {
    return false;
  }
  if (result->state == LookupResult::State::kAbsent && !IsIndexInOrder()) {
    return false;
  }
  // If a page was lost meanwhile, the result is void.
  return !HasFaulted();
}

}  // namespace tamis
