// SPDX-License-Identifier: Apache-2.0
#include "table/table_blocks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "table/internal_key.h"

namespace tamis {
namespace {

// For a file that has no flag.
constinit const std::atomic<bool> kNeverFaults{false};

// Consecutive blocks are made readable so many bytes at a time: doing it for
// each alone costs several times as much.
constexpr std::uint64_t kReadableAhead = std::uint64_t{64} << 10;

Status AtOffset(const BlockHandle& handle, std::string_view what) {
  return Status::Corruption(std::string("the block at offset ")
                                .append(std::to_string(handle.offset))
                                .append(" ")
                                .append(what));
}

}  // namespace

std::string_view DamageOf(const BlockCursor& cursor) noexcept {
  return cursor.out_of_order() ? "has keys that are out of order"
                               : "has an entry that is damaged";
}

TableBlocks::TableBlocks(const ReadableFile& file, const TableIndex& index,
                         BlockCache* cache, const UnpackLimits& limits)
    : file_(file),
      index_(index),
      mapped_(file.mapped().size() >= file.size() ? file.mapped().data()
                                                  : nullptr),
      fault_flag_(file.fault_flag() != nullptr ? file.fault_flag()
                                               : &kNeverFaults),
      cache_(cache),
      cache_id_(cache != nullptr ? cache->NewTableId() : 0),
      known_(std::make_unique<std::atomic<std::uint64_t>[]>(
          index.size() / kBlocksPerWord + 1)),
      limits_(limits) {}

TableBlocks::~TableBlocks() {
  if (cache_ != nullptr && any_compressed_.load(std::memory_order_relaxed)) {
    cache_->Forget(cache_id_);
  }
}

// Returns true if the block can be touched in the mapping.  If the reader comes
// from the block before, what follows is made readable with it; if only that
// fails, the block is read from the file, which does no harm.
bool TableBlocks::MakeReadable(const BlockHandle& handle,
                               BlockBuffer* buffer) const noexcept {
  const std::uint64_t end = handle.offset + handle.size + kBlockTrailerBytes;
  const bool goes_on = handle.offset >= buffer->readable_from &&
                       handle.offset <= buffer->readable_to &&
                       buffer->readable_to != 0;
  if (goes_on && end <= buffer->readable_to) return true;
  std::uint64_t to = end;
  if (goes_on) {
    to = std::max(to, std::min(handle.offset + kReadableAhead, file_.size()));
  }
  const bool is_readable = file_.MakeReadable(
      handle.offset, static_cast<std::size_t>(to - handle.offset));
  buffer->readable_from = handle.offset;
  buffer->readable_to = is_readable ? to : 0;
  return is_readable;
}

// As Read(), for the block as stored.  Clears *from_mapping if the mapping
// cannot be used.
Status TableBlocks::ReadVerified(bool* from_mapping, std::size_t i,
                                 bool always_verify, BlockBuffer* buffer,
                                 StoredBlock* stored) const {
  const BlockHandle handle = index_.block(i);
  const bool verify = always_verify || (KnownOf(i) & kVerified) == 0;
  // A block that may have been evicted is loaded as the first time: all of it
  // with one request.  If it is there, that counts as a use of it, which
  // touching a mapping that is read at random does not (Linux, since 6.3).
  if (*from_mapping && (verify || EvictionWatch::OfThisThread().ReadsAgain())) {
    *from_mapping = MakeReadable(handle, buffer);
  }
  if (*from_mapping) {
    stored->bytes = {
        mapped_ + handle.offset,
        static_cast<std::size_t>(handle.size) + kBlockTrailerBytes};
    if (always_verify) {
      // What is verified must be what is used, even if the file is truncated
      // meanwhile.
      buffer->stored.assign(stored->bytes);
      stored->bytes = buffer->stored;
    }
  } else {
    Status read = ReadStored(file_, handle, &buffer->stored, stored);
    if (!read.ok()) return read;
  }
  if (!verify) return Status::Ok();
  if (!stored->ChecksumHolds()) {
    return AtOffset(handle, "does not match its checksum");
  }
  SetKnown(i, kVerified);
  return Status::Ok();
}

bool TableBlocks::FindCached(const BlockHandle& handle, BlockBuffer* buffer,
                             Slice* contents) const {
  if (cache_ == nullptr || !any_compressed_.load(std::memory_order_relaxed)) {
    return false;
  }
  buffer->cached = cache_->Find(cache_id_, handle.offset);
  if (buffer->cached == nullptr) return false;
  *contents = *buffer->cached;
  return true;
}

Status TableBlocks::ReadFrom(bool* from_mapping, std::size_t i,
                             bool always_verify, BlockBuffer* buffer,
                             Slice* contents, bool* is_compressed) const {
  StoredBlock stored;
  Status read = ReadVerified(from_mapping, i, always_verify, buffer, &stored);
  if (!read.ok()) return read;
  *contents = stored.contents();
  *is_compressed = stored.codec() != static_cast<unsigned>(Compression::kNone);
  if (!*is_compressed) return Status::Ok();
  any_compressed_.store(true, std::memory_order_relaxed);
  Status raw = Decompress(stored.codec(), *contents, &buffer->raw, limits_);
  *contents = buffer->raw;
  return raw;
}

void TableBlocks::KeepInCache(const BlockHandle& handle, BlockBuffer* buffer,
                              Slice* contents) const {
  // A copy has no excess capacity, and the buffer keeps its memory.  A large
  // block is not worth copying.
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  buffer->cached =
      buffer->raw.size() > kLarge
          ? std::make_shared<const std::string>(std::move(buffer->raw))
          : std::make_shared<const std::string>(buffer->raw);
  *contents = *buffer->cached;
  cache_->Insert(cache_id_, handle.offset, buffer->cached);
}

Status TableBlocks::Read(std::size_t i, const BlockReadOptions& options,
                         BlockBuffer* buffer, Block* block) const {
  const BlockHandle handle = index_.block(i);
  buffer->is_mapped = false;
  Slice contents;
  if (!FindCached(handle, buffer, &contents)) {
    bool from_mapping = mapped_ != nullptr && !faulted();
    bool is_compressed = false;
    Status read = ReadFrom(&from_mapping, i, options.verify_checksums, buffer,
                           &contents, &is_compressed);
    if (from_mapping && faulted()) {
      // Zeros may have been read, whatever the result.
      from_mapping = false;
      read = ReadFrom(&from_mapping, i, /*always_verify=*/true, buffer,
                      &contents, &is_compressed);
    }
    if (!read.ok()) return read;
    if (is_compressed && cache_ != nullptr && options.fill_cache) {
      KeepInCache(handle, buffer, &contents);
    }
    buffer->is_mapped =
        from_mapping && !is_compressed && !options.verify_checksums;
  }
  Status found = Status::Ok();
  if (!Block::Parse(contents, block)) {
    found = AtOffset(handle, "is not a block");
  } else if (options.check_order) {
    found = CheckOrder(i, *block);
  }
  if (!found.ok() && buffer->is_mapped && faulted()) {
    return Read(i, options, buffer, block);  // not from the mapping
  }
  return found;
}

Status TableBlocks::WalkOver(std::size_t i, const Block& block) const {
  const BlockHandle handle = index_.block(i);
  BlockCursor cursor;
  cursor.Reset(block, &index_.order());
  std::uint32_t restart = 0;
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    if (!IsInternalKey(cursor.key())) {
      return AtOffset(handle, "has an entry that is damaged");
    }
    if (cursor.entry() == block.begin() &&
        !index_.MayBeginWith(i, cursor.key())) {
      return AtOffset(handle, kWrongPlace);
    }
    if (restart < block.restart_count() &&
        cursor.entry() == block.Restart(restart) && cursor.key_is_whole()) {
      ++restart;
    }
  }
  if (cursor.damaged()) return AtOffset(handle, DamageOf(cursor));
  if (block.begin() != block.end()) {
    if (restart != block.restart_count()) {
      return AtOffset(handle, "has restarts that are not where keys begin");
    }
    if (!index_.MayEndWith(i, cursor.key())) {
      return AtOffset(handle, kWrongPlace);
    }
  }
  SetKnown(i, kInOrder);
  return Status::Ok();
}

}  // namespace tamis
