// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/rocksdb_block.h"

#include <utility>

#include <snappy-c.h>

#include "base/coding.h"
#include "base/crc32c.h"
#include "hash/xxhash.h"

namespace tamis::testing {
namespace {

constexpr char kRaw = 0;
constexpr char kSnappy = 1;
constexpr std::uint32_t kLastByteFactor = 0x6b9083d9;
// The count of restarts keeps flags in its highest bits.
constexpr std::uint32_t kRestartCountMask = 0x0fffffff;

Status CutRows() { return Status::Corruption("sst: a block's rows are cut"); }

// XXH3 of all but the last byte, which is mixed in by itself.
std::uint32_t Xxh3Sum(Slice summed) {
  if (summed.empty()) return 0;
  const auto last = static_cast<unsigned char>(summed.back());
  return static_cast<std::uint32_t>(Xxh3(summed.substr(0, summed.size() - 1))) ^
         last * kLastByteFactor;
}

std::uint32_t PlainSum(SstChecksum kind, Slice summed) {
  switch (kind) {
    case SstChecksum::kNone:
      return 0;
    case SstChecksum::kCrc32c:
      return MaskCrc32c(Crc32c(summed));
    case SstChecksum::kXxh32:
      return Xxh32(summed);
    case SstChecksum::kXxh64:
      return static_cast<std::uint32_t>(Xxh64(summed));
    case SstChecksum::kXxh3:
      return Xxh3Sum(summed);
  }
  return 0;
}

Result<Slice> TakeBytes(Slice* in, std::uint64_t count) {
  if (count > in->size()) return CutRows();
  const Slice taken = in->substr(0, static_cast<std::size_t>(count));
  in->remove_prefix(taken.size());
  return taken;
}

Result<std::string> Unsnap(Slice stored) {
  const Status damaged = Status::Corruption("sst: Snappy data is damaged");
  std::size_t size = 0;
  if (snappy_uncompressed_length(stored.data(), stored.size(), &size) !=
      SNAPPY_OK) {
    return damaged;
  }
  std::string plain(size, '\0');
  if (snappy_uncompress(stored.data(), stored.size(), plain.data(), &size) !=
      SNAPPY_OK) {
    return damaged;
  }
  return plain;
}

// The rows without the restarts behind them.
Result<Slice> RowsOf(Slice contents) {
  if (contents.size() < 4) return CutRows();
  const std::uint64_t restarts =
      LoadLittle32(&contents[contents.size() - 4]) & kRestartCountMask;
  if (restarts * 4 + 4 > contents.size()) return CutRows();
  return contents.substr(0, contents.size() - 4 - restarts * 4);
}

// Takes the bytes that differ from the key before, and puts them there.
Status TakeKey(Slice* rows, std::uint64_t shared, std::uint64_t unshared,
               std::string* key) {
  if (shared > key->size()) return CutRows();
  const auto suffix = TakeBytes(rows, unshared);
  if (!suffix.ok()) return suffix.status();
  key->resize(static_cast<std::size_t>(shared));
  key->append(*suffix);
  return Status::Ok();
}

// A difference to the size before; the block itself follows the one before.
Result<SstHandle> TakeNextHandle(Slice* rows, const SstHandle& before) {
  const auto zigzag = TakeVarint(rows);
  if (!zigzag.ok()) return zigzag.status();
  const std::uint64_t difference = (*zigzag >> 1) ^ (0 - (*zigzag & 1));
  return SstHandle{before.offset + before.size + kSstTrailerBytes,
                   before.size + difference};
}

// A row without a length of its value.
Result<SstIndexRow> TakeDeltaRow(Slice* rows, const SstIndexRow& before) {
  const auto shared = TakeVarint(rows);
  if (!shared.ok()) return shared.status();
  const auto unshared = TakeVarint(rows);
  if (!unshared.ok()) return unshared.status();
  SstIndexRow row{.key = before.key, .handle = {}};
  Status key = TakeKey(rows, *shared, *unshared, &row.key);
  if (!key.ok()) return key;
  const auto handle =
      *shared == 0 ? TakeHandle(rows) : TakeNextHandle(rows, before.handle);
  if (!handle.ok()) return handle.status();
  row.handle = *handle;
  return row;
}

}  // namespace

std::uint32_t SstSeal::Sum(Slice summed, std::uint64_t offset) const {
  const std::uint32_t plain = PlainSum(kind, summed);
  if (context == 0) return plain;
  const auto place = static_cast<std::uint32_t>(offset) +
                     static_cast<std::uint32_t>(offset >> 32);
  return plain + (context ^ place);
}

Result<std::uint64_t> TakeVarint(Slice* in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !in->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in->front());
    in->remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return Status::Corruption("sst: a varint is cut");
}

Result<SstHandle> TakeHandle(Slice* in) {
  const auto offset = TakeVarint(in);
  if (!offset.ok()) return offset.status();
  const auto size = TakeVarint(in);
  if (!size.ok()) return size.status();
  return SstHandle{*offset, *size};
}

Result<std::string> ReadSstBlock(Slice file, const SstSeal& seal,
                                 const SstHandle& handle) {
  if (handle.size > file.size() || handle.offset > file.size() - handle.size ||
      file.size() - handle.size - handle.offset < kSstTrailerBytes) {
    return Status::Corruption("sst: a block lies outside the file");
  }
  const Slice contents = file.substr(handle.offset, handle.size);
  const Slice summed = file.substr(handle.offset, handle.size + 1);
  if (LoadLittle32(file.data() + handle.offset + handle.size + 1) !=
      seal.Sum(summed, handle.offset)) {
    return Status::Corruption("sst: a block's checksum is wrong");
  }
  if (summed.back() == kRaw) return std::string(contents);
  if (summed.back() == kSnappy) return Unsnap(contents);
  return Status::NotSupported("sst: compressed by other means than Snappy");
}

Result<std::vector<SstRow>> ReadRows(Slice contents) {
  auto rows = RowsOf(contents);
  if (!rows.ok()) return rows.status();
  std::vector<SstRow> all;
  std::string key;
  while (!rows->empty()) {
    const auto shared = TakeVarint(&*rows);
    if (!shared.ok()) return shared.status();
    const auto unshared = TakeVarint(&*rows);
    if (!unshared.ok()) return unshared.status();
    const auto value_size = TakeVarint(&*rows);
    if (!value_size.ok()) return value_size.status();
    Status taken = TakeKey(&*rows, *shared, *unshared, &key);
    if (!taken.ok()) return taken;
    const auto value = TakeBytes(&*rows, *value_size);
    if (!value.ok()) return value.status();
    all.push_back({key, std::string(*value)});
  }
  return all;
}

Result<std::vector<SstIndexRow>> ReadIndexRows(Slice contents,
                                               bool is_delta_coded) {
  std::vector<SstIndexRow> all;
  if (is_delta_coded) {
    auto rows = RowsOf(contents);
    if (!rows.ok()) return rows.status();
    SstIndexRow before;
    while (!rows->empty()) {
      auto row = TakeDeltaRow(&*rows, before);
      if (!row.ok()) return row.status();
      before = *row;
      all.push_back(*std::move(row));
    }
    return all;
  }
  auto rows = ReadRows(contents);
  if (!rows.ok()) return rows.status();
  for (SstRow& row : *rows) {
    Slice value = row.value;
    const auto handle = TakeHandle(&value);
    if (!handle.ok()) return handle.status();
    all.push_back({std::move(row.key), *handle});
  }
  return all;
}

}  // namespace tamis::testing
