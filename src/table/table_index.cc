// SPDX-License-Identifier: Apache-2.0
#include "table/table_index.h"

#include <algorithm>

#include "table/block.h"
#include "table/block_cursor.h"
#include "table/shared_prefix.h"

namespace tamis {
namespace {

// Assembled keys that share long prefixes could take far more memory than the
// block.  LevelDB's indexes share none.
constexpr std::size_t kMaxGrowth = 64;
constexpr std::size_t kSlack = 1 << 16;

}  // namespace

Status TableIndex::Load(const KeyOrder& order, Slice contents,
                        std::uint64_t limit) {
  order_ = order;
  contents_ = contents;
  Block block;
  if (!Block::Parse(contents, &block)) {
    return Status::Corruption("the index is not a block");
  }
  keys_.reserve(block.restart_count());
  blocks_.reserve(block.restart_count());
  BlockCursor cursor;
  cursor.Reset(block);
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    const Slice key = cursor.key();
    if (cursor.key_is_whole()) {
      keys_.push_back({static_cast<std::uint64_t>(key.data() - block.begin()),
                       static_cast<std::uint32_t>(key.size())});
    } else {
      keys_.push_back({contents.size() + rebuilt_.size(),
                       static_cast<std::uint32_t>(key.size())});
      rebuilt_.append(key);
    }
    Status added = AddEntry(key, cursor.value(), limit);
    if (!added.ok()) return added;
  }
  if (cursor.damaged()) {
    return Status::Corruption("the index has an entry that is damaged");
  }
  if (order.is_bytewise()) MakePrefixes();
  return Status::Ok();
}

Status TableIndex::LoadOne(const KeyOrder& order, Slice key, Slice value,
                           std::uint64_t limit) {
  order_ = order;
  contents_ = key;
  keys_.push_back({0, static_cast<std::uint32_t>(key.size())});
  return AddEntry(key, value, limit);
}

Status TableIndex::AddEntry(Slice entry_key, Slice value, std::uint64_t limit) {
  if (!IsInternalKey(entry_key)) {
    return Status::Corruption("the index has a key that is not valid");
  }
  if (rebuilt_.size() > contents_.size() * kMaxGrowth + kSlack) {
    return Status::Corruption("the index has keys of absurd lengths");
  }
  const std::size_t count = keys_.size();
  if (count > 1 && order_.Compare(key(count - 2), entry_key) >= 0) {
    return Status::Corruption("the index is out of order");
  }
  BlockHandle handle;
  if (!ReadHandle(&value, &handle) || !LiesBefore(handle, limit)) {
    return Status::Corruption("the index names a block outside the table");
  }
  if (!blocks_.empty() && handle.offset < blocks_.back().offset +
                                              blocks_.back().size +
                                              kBlockTrailerBytes) {
    return Status::Corruption("the index names blocks that overlap");
  }
  blocks_.push_back({handle.offset, static_cast<std::uint32_t>(handle.size)});
  return Status::Ok();
}

bool TableIndex::MayBeginWith(std::size_t i,
                              Slice internal_key) const noexcept {
  if (i > 0) return order_.Compare(key(i - 1), internal_key) < 0;
  return smallest_.empty() || order_.Compare(smallest_, internal_key) <= 0;
}

bool TableIndex::MayEndWith(std::size_t i, Slice internal_key) const noexcept {
  if (order_.Compare(internal_key, key(i)) > 0) return false;
  return i + 1 < size() || largest_.empty() ||
         order_.Compare(internal_key, largest_) <= 0;
}

// The common prefix of the first and the last key is that of all between them.
// The very last key is excluded: it is just a short key after the table, and
// has little in common with the others.
void TableIndex::MakePrefixes() {
  if (size() < 2) return;
  const std::size_t count = size() - 1;
  const Slice first = UserKeyOf(key(0));
  const Slice last = UserKeyOf(key(count - 1));
  common_.assign(first.substr(0, SharedPrefix(first, last)));
  std::vector<std::uint64_t> prefixes;
  prefixes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    prefixes.push_back(PrefixOf(UserKeyOf(key(i)).substr(common_.size())));
  }
  prefixes_ = PrefixTree(prefixes);
}

// As Find(), among the blocks from `first` to before `last`.
std::size_t TableIndex::FindAmong(std::size_t first, std::size_t last,
                                  Slice internal_key) const noexcept {
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (order_.Compare(key(middle), internal_key) < 0) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

std::size_t TableIndex::Find(Slice internal_key) const noexcept {
  if (prefixes_.empty()) return FindAmong(0, size(), internal_key);
  const Slice user = UserKeyOf(internal_key);
  const std::size_t count = prefixes_.size();
  if (!user.starts_with(common_)) {
    return user < Slice(common_) ? 0 : FindAmong(count, size(), internal_key);
  }
  const std::uint64_t wanted = PrefixOf(user.substr(common_.size()));
  const std::size_t first =
      prefixes_.LowerBound(wanted, [this](std::size_t line) {
        // Two lines for one of the tree's.
        static_assert(sizeof(BlockPlace) == 16);
        __builtin_prefetch(&blocks_[line]);
        __builtin_prefetch(&blocks_[line] + PrefixTree::kPerLine / 2);
      });
  if (first < count && prefixes_[first] != wanted) return first;
  // Equal prefixes decide nothing.
  std::size_t last = first;
  while (last < count && prefixes_[last] == wanted && last - first < 8) ++last;
  if (last < count && prefixes_[last] == wanted) last = count;
  const std::size_t found = FindAmong(first, last, internal_key);
  return found < last || last < count ? found
                                      : FindAmong(count, size(), internal_key);
}

std::vector<std::string> TableIndex::SampleKeys(std::uint64_t count) const {
  std::uint64_t total = 0;
  for (const BlockPlace& block : blocks_) total += block.size;
  count = std::min<std::uint64_t>(count, size());
  const std::uint64_t piece = total / (count + 1) + 1;
  std::vector<std::string> keys;
  std::uint64_t passed = 0;
  for (std::size_t i = 0; i + 1 < size() && keys.size() < count; ++i) {
    passed += blocks_[i].size;
    if (passed < piece * (keys.size() + 1)) continue;
    const Slice user_key = UserKeyOf(key(i));
    if (keys.empty() || order_.CompareUser(keys.back(), user_key) < 0) {
      keys.emplace_back(user_key);
    }
  }
  return keys;
}

std::size_t TableIndex::memory_bytes() const noexcept {
  return rebuilt_.capacity() + common_.capacity() +
         blocks_.capacity() * sizeof(BlockPlace) +
         keys_.capacity() * sizeof(KeyPlace) + prefixes_.memory_bytes();
}

}  // namespace tamis
