// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/ldb_file.h"

#include <optional>
#include <utility>

#include <snappy-c.h>

#include "base/coding.h"
#include "base/crc32c.h"

namespace tamis::testing {
namespace {

constexpr std::size_t kLdbFooterBytes = 48;
constexpr std::size_t kLdbFooterHandleBytes = 40;
constexpr std::uint64_t kLdbMagic = 0xdb4775248b80fb57;
constexpr std::size_t kLdbSuffixBytes = 8;  // sequence number and type
constexpr char kLdbRaw = 0;
constexpr char kLdbSnappy = 1;

struct LdbBlock {
  std::string contents;
  bool is_compressed = false;
};

struct LdbEntry {
  std::string key;
  std::string value;
};

// Takes a varint from the front of *in; nothing if there is none.
std::optional<std::uint64_t> TakeLdbVarint(Slice* in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !in->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in->front());
    in->remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<LdbHandle> TakeLdbHandle(Slice* in) {
  const auto offset = TakeLdbVarint(in);
  const auto size = TakeLdbVarint(in);
  if (!offset || !size) return std::nullopt;
  return LdbHandle{*offset, *size};
}

std::optional<Slice> TakeLdbBytes(Slice* in, std::uint64_t count) {
  if (count > in->size()) return std::nullopt;
  const Slice taken = in->substr(0, static_cast<std::size_t>(count));
  in->remove_prefix(taken.size());
  return taken;
}

void PutVarint(std::string* out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    out->push_back(static_cast<char>(value | 0x80));
  }
  out->push_back(static_cast<char>(value));
}

void PutHandle(std::string* out, const LdbHandle& handle) {
  PutVarint(out, handle.offset);
  PutVarint(out, handle.size);
}

template <typename T>
void PutLittle(std::string* out, T value) {
  char bytes[sizeof(value)];
  StoreLittle(bytes, value);
  out->append(bytes, sizeof(bytes));
}

Result<std::string> UnsnapLdb(Slice stored) {
  std::size_t size = 0;
  if (snappy_uncompressed_length(stored.data(), stored.size(), &size) !=
      SNAPPY_OK) {
    return Status::Corruption("ldb: a compressed block has no length");
  }
  std::string out(size, '\0');
  if (snappy_uncompress(stored.data(), stored.size(), out.data(), &size) !=
      SNAPPY_OK) {
    return Status::Corruption("ldb: a compressed block is damaged");
  }
  return out;
}

Result<LdbBlock> ReadLdbBlock(Slice file, const LdbHandle& handle) {
  if (handle.size > file.size() || handle.offset > file.size() - handle.size ||
      file.size() - handle.size - handle.offset < kLdbTrailerBytes) {
    return Status::Corruption("ldb: a block lies outside the file");
  }
  const Slice contents = file.substr(handle.offset, handle.size);
  const Slice summed = file.substr(handle.offset, handle.size + 1);
  const std::uint32_t stored =
      LoadLittle32(file.data() + handle.offset + handle.size + 1);
  if (UnmaskCrc32c(stored) != Crc32c(summed)) {
    return Status::Corruption("ldb: a block's checksum is wrong");
  }
  if (summed.back() == kLdbRaw) return LdbBlock{std::string(contents), false};
  if (summed.back() != kLdbSnappy) {
    return Status::Corruption("ldb: unknown compression");
  }
  auto plain = UnsnapLdb(contents);
  if (!plain.ok()) return plain.status();
  return LdbBlock{*std::move(plain), true};
}

Result<std::vector<LdbEntry>> ReadEntries(Slice block) {
  const Status damaged = Status::Corruption("ldb: a block's entries are cut");
  if (block.size() < 4) return damaged;
  const std::uint64_t restarts = LoadLittle32(&block[block.size() - 4]);
  if (restarts * 4 + 4 > block.size()) return damaged;
  Slice rest = block.substr(0, block.size() - 4 - restarts * 4);
  std::vector<LdbEntry> entries;
  std::string key;
  while (!rest.empty()) {
    const auto shared = TakeLdbVarint(&rest);
    const auto unshared = TakeLdbVarint(&rest);
    const auto value_size = TakeLdbVarint(&rest);
    if (!shared || !unshared || !value_size || *shared > key.size()) {
      return damaged;
    }
    const auto suffix = TakeLdbBytes(&rest, *unshared);
    const auto value = TakeLdbBytes(&rest, *value_size);
    if (!suffix || !value) return damaged;
    key.resize(*shared);
    key.append(*suffix);
    entries.push_back({key, std::string(*value)});
  }
  return entries;
}

Result<std::vector<LdbEntry>> ReadEntriesAt(Slice file,
                                            const LdbHandle& handle) {
  auto block = ReadLdbBlock(file, handle);
  if (!block.ok()) return block.status();
  return ReadEntries(block->contents);
}

Status ReadLdbFooter(Slice file, LdbTable* table) {
  if (file.size() < kLdbFooterBytes) {
    return Status::Corruption("ldb: shorter than its footer");
  }
  Slice footer = file.substr(file.size() - kLdbFooterBytes);
  if (LoadLittle64(footer.data() + kLdbFooterHandleBytes) != kLdbMagic) {
    return Status::Corruption("ldb: another magic number");
  }
  const auto metaindex = TakeLdbHandle(&footer);
  const auto index = TakeLdbHandle(&footer);
  if (!metaindex || !index) return Status::Corruption("ldb: no handles");
  table->metaindex = *metaindex;
  table->index = *index;
  return Status::Ok();
}

Status ReadFilterBlock(Slice file, LdbTable* table) {
  auto entries = ReadEntriesAt(file, table->metaindex);
  if (!entries.ok()) return entries.status();
  if (entries->size() != 1) return Status::Corruption("ldb: not one filter");
  table->filter_entry = entries->front().key;
  Slice value = entries->front().value;
  const auto handle = TakeLdbHandle(&value);
  if (!handle) return Status::Corruption("ldb: the filter has no handle");
  table->filter = *handle;
  auto block = ReadLdbBlock(file, *handle);
  if (!block.ok()) return block.status();
  if (block->is_compressed) {
    return Status::Corruption("ldb: filter blocks are never compressed");
  }
  table->filter_block = std::move(block->contents);
  return Status::Ok();
}

Result<LdbDataBlock> ReadDataBlock(Slice file, const LdbHandle& handle) {
  auto block = ReadLdbBlock(file, handle);
  if (!block.ok()) return block.status();
  auto entries = ReadEntries(block->contents);
  if (!entries.ok()) return entries.status();
  LdbDataBlock data{
      .handle = handle, .is_compressed = block->is_compressed, .user_keys = {}};
  for (LdbEntry& entry : *entries) {
    if (entry.key.size() < kLdbSuffixBytes) {
      return Status::Corruption("ldb: a key without sequence number");
    }
    entry.key.resize(entry.key.size() - kLdbSuffixBytes);
    data.user_keys.push_back(std::move(entry.key));
  }
  return data;
}

// Appends a block and its trailer.  Returns where it lies.
LdbHandle PutBlock(std::string* file, Slice contents) {
  const LdbHandle handle{file->size(), contents.size()};
  file->append(contents);
  file->push_back(kLdbRaw);
  const Slice summed = Slice(*file).substr(handle.offset);
  PutLittle(file, MaskCrc32c(Crc32c(summed)));
  return handle;
}

}  // namespace

std::uint64_t LdbTable::data_end() const {
  if (blocks.empty()) return 0;
  const LdbHandle& last = blocks.back().handle;
  return last.offset + last.size + kLdbTrailerBytes;
}

std::uint64_t LdbTable::entry_count() const {
  std::uint64_t count = 0;
  for (const LdbDataBlock& block : blocks) count += block.user_keys.size();
  return count;
}

Result<LdbTable> ParseLdb(Slice file) {
  LdbTable table;
  if (Status read = ReadLdbFooter(file, &table); !read.ok()) return read;
  if (Status read = ReadFilterBlock(file, &table); !read.ok()) return read;
  auto index = ReadEntriesAt(file, table.index);
  if (!index.ok()) return index.status();
  for (const LdbEntry& entry : *index) {
    Slice value = entry.value;
    const auto handle = TakeLdbHandle(&value);
    if (!handle) return Status::Corruption("ldb: a data block has no handle");
    auto block = ReadDataBlock(file, *handle);
    if (!block.ok()) return block.status();
    table.blocks.push_back(*std::move(block));
  }
  return table;
}

std::string WithFilterBlock(Slice file, const LdbTable& table,
                            Slice filter_block) {
  std::string out(file.substr(0, table.filter.offset));
  const LdbHandle filter = PutBlock(&out, filter_block);

  std::string handle_text;
  PutHandle(&handle_text, filter);
  std::string metaindex;
  PutVarint(&metaindex, 0);  // bytes shared with the entry before
  PutVarint(&metaindex, table.filter_entry.size());
  PutVarint(&metaindex, handle_text.size());
  metaindex += table.filter_entry + handle_text;
  PutLittle(&metaindex, std::uint32_t{0});  // the only restart
  PutLittle(&metaindex, std::uint32_t{1});  // how many
  const LdbHandle metaindex_handle = PutBlock(&out, metaindex);

  const LdbHandle index{out.size(), table.index.size};
  out.append(
      file.substr(table.index.offset, table.index.size + kLdbTrailerBytes));

  std::string footer;
  PutHandle(&footer, metaindex_handle);
  PutHandle(&footer, index);
  footer.resize(kLdbFooterHandleBytes);
  PutLittle(&footer, kLdbMagic);
  return out + footer;
}

}  // namespace tamis::testing
