#include "table/table_blocks.h"

#include <string_view>
#include <utility>

#include "table/internal_key.h"

namespace tamis {
namespace {

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

Status TableBlocks::ReadVerified(std::size_t i, const BlockHandle& handle,
                                 bool again, BlockBuffer* buffer,
                                 StoredBlock* stored) const {
  if (mapped_ != nullptr) {
    stored->bytes = {
        mapped_ + handle.offset,
        static_cast<std::size_t>(handle.size) + kBlockTrailerBytes};
  } else {
    Status read = ReadStored(file_, handle, &buffer->stored, stored);
    if (!read.ok()) return read;
  }
  if ((KnownOf(i) & kVerified) != 0 && !again) return Status::Ok();
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

Status TableBlocks::ReadCompressed(const BlockHandle& handle,
                                   const StoredBlock& stored, bool fill_cache,
                                   BlockBuffer* buffer, Slice* contents) const {
  any_compressed_.store(true, std::memory_order_relaxed);
  Status raw =
      Decompress(stored.codec(), stored.contents(), &buffer->raw, limits_);
  if (!raw.ok()) return raw;
  *contents = buffer->raw;
  if (cache_ == nullptr || !fill_cache) return Status::Ok();
  // A copy: it takes no more room than it needs, and the buffer keeps its own.
  // A large block is not worth having twice.
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  buffer->cached =
      buffer->raw.size() > kLarge
          ? std::make_shared<const std::string>(std::move(buffer->raw))
          : std::make_shared<const std::string>(buffer->raw);
  *contents = *buffer->cached;
  cache_->Insert(cache_id_, handle.offset, buffer->cached);
  return Status::Ok();
}

Status TableBlocks::Read(std::size_t i, const BlockReadOptions& options,
                         BlockBuffer* buffer, Block* block) const {
  const BlockHandle handle = index_.block(i);
  Slice contents;
  if (!FindCached(handle, buffer, &contents)) {
    StoredBlock stored;
    Status read =
        ReadVerified(i, handle, options.verify_checksums, buffer, &stored);
    if (!read.ok()) return read;
    contents = stored.contents();
    if (stored.codec() != static_cast<unsigned>(Compression::kNone)) {
      read =
          ReadCompressed(handle, stored, options.fill_cache, buffer, &contents);
      if (!read.ok()) return read;
    }
  }
  if (!Block::Parse(contents, block)) {
    return AtOffset(handle, "is not a block");
  }
  return options.check_order ? CheckOrder(i, *block) : Status::Ok();
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
