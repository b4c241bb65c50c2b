// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/rocksdb_sst.h"

#include <algorithm>
#include <utility>

#include "base/coding.h"

namespace tamis::testing {
namespace {

constexpr std::size_t kVersionAt = 41;
constexpr std::size_t kMagicAt = 45;
constexpr std::uint64_t kSstMagic = 0x88e241b785f4cff7;
constexpr std::uint32_t kOldestVersion = 2;
constexpr std::uint32_t kContextVersion = 6;
constexpr std::uint32_t kNewestVersion = 7;

// From version 6 on.
constexpr std::uint32_t kExtendedMagic = 0x007a003e;
constexpr std::size_t kExtendedMagicAt = 1;
constexpr std::size_t kFooterSumAt = 5;
constexpr std::size_t kContextAt = 9;
constexpr std::size_t kMetaindexSizeAt = 13;

constexpr std::uint32_t kTwoLevelIndex = 2;
constexpr std::size_t kInternalSuffixBytes = 8;

// Reads one file into one table.
class SstParser {
 public:
  explicit SstParser(Slice file) : file_(file) {}

  Result<SstTable> Parse() {
    for (const auto step : {&SstParser::ReadFooter, &SstParser::ReadMetaindex,
                            &SstParser::ReadProperties, &SstParser::ReadFilters,
                            &SstParser::ReadIndexAndData}) {
      if (Status read = (this->*step)(); !read.ok()) return read;
    }
    return std::move(table_);
  }

 private:
  Status ReadFooter();
  Status ReadExtendedFooter(Slice footer);
  Status ReadMetaindex();
  Status ReadProperties();
  Status ReadFilters();
  Status ReadOneFilter(const SstHandle& handle, std::string separator);
  Status ReadIndexAndData();
  Status ReadLeafIndex(const SstHandle& handle);
  Status ReadData(const SstHandle& handle);

  // Rows of an index; none, and it is noted, if it cannot be decompressed.
  Result<std::vector<SstIndexRow>> ReadIndex(const SstHandle& handle) {
    auto contents = ReadBlock(handle);
    if (WasCompressed(contents.status())) return std::vector<SstIndexRow>();
    if (!contents.ok()) return contents.status();
    return ReadIndexRows(*contents, is_delta_coded_);
  }

  Result<std::string> ReadBlock(const SstHandle& handle) {
    table_.blocks.push_back(handle);
    return ReadSstBlock(file_, table_.seal, handle);
  }

  bool WasCompressed(const Status& status) {
    if (status.code() != StatusCode::kNotSupported) return false;
    table_.has_all_rows = false;
    return true;
  }

  Slice file_;
  SstTable table_;
  bool is_delta_coded_ = false;
};

Status SstParser::ReadFooter() {
  if (file_.size() < kSstFooterBytes) {
    return Status::Corruption("sst: shorter than its footer");
  }
  const Slice footer = file_.substr(file_.size() - kSstFooterBytes);
  if (LoadLittle64(&footer[kMagicAt]) != kSstMagic) {
    return Status::Corruption("sst: another magic number");
  }
  table_.format_version = LoadLittle32(&footer[kVersionAt]);
  if (table_.format_version < kOldestVersion ||
      table_.format_version > kNewestVersion) {
    return Status::Corruption("sst: unknown format_version");
  }
  const auto kind = static_cast<unsigned char>(footer[0]);
  if (kind > static_cast<unsigned char>(SstChecksum::kXxh3)) {
    return Status::Corruption("sst: unknown kind of checksum");
  }
  table_.seal.kind = SstChecksum{kind};
  if (table_.format_version >= kContextVersion) {
    return ReadExtendedFooter(footer);
  }
  Slice handles = footer.substr(1, kVersionAt - 1);
  const auto metaindex = TakeHandle(&handles);
  if (!metaindex.ok()) return metaindex.status();
  const auto index = TakeHandle(&handles);
  if (!index.ok()) return index.status();
  table_.metaindex = *metaindex;
  table_.index = *index;
  return Status::Ok();
}

Status SstParser::ReadExtendedFooter(Slice footer) {
  if (LoadLittle32(&footer[kExtendedMagicAt]) != kExtendedMagic) {
    return Status::Corruption("sst: no extended magic number");
  }
  table_.seal.context = LoadLittle32(&footer[kContextAt]);
  const std::uint64_t offset = file_.size() - kSstFooterBytes;
  std::string summed(footer);
  StoreLittle(&summed[kFooterSumAt], std::uint32_t{0});
  if (LoadLittle32(&footer[kFooterSumAt]) != table_.seal.Sum(summed, offset)) {
    return Status::Corruption("sst: the footer's checksum is wrong");
  }
  const std::uint64_t size = LoadLittle32(&footer[kMetaindexSizeAt]);
  if (size + kSstTrailerBytes > offset) {
    return Status::Corruption("sst: the metaindex lies outside the file");
  }
  table_.metaindex = {offset - kSstTrailerBytes - size, size};
  return Status::Ok();
}

Status SstParser::ReadMetaindex() {
  const auto contents = ReadBlock(table_.metaindex);
  if (!contents.ok()) return contents.status();
  const auto rows = ReadIndexRows(*contents, false);
  if (!rows.ok()) return rows.status();
  for (const SstIndexRow& row : *rows) {
    table_.metaindex_rows[row.key] = row.handle;
  }
  if (table_.format_version < kContextVersion) return Status::Ok();
  const auto index = table_.metaindex_rows.find("rocksdb.index");
  if (index == table_.metaindex_rows.end()) {
    return Status::Corruption("sst: the metaindex has no index");
  }
  table_.index = index->second;
  return Status::Ok();
}

Status SstParser::ReadProperties() {
  const auto place = table_.metaindex_rows.find("rocksdb.properties");
  if (place == table_.metaindex_rows.end()) {
    return Status::Corruption("sst: no properties");
  }
  const auto contents = ReadBlock(place->second);
  if (!contents.ok()) return contents.status();
  auto rows = ReadRows(*contents);
  if (!rows.ok()) return rows.status();
  for (SstRow& row : *rows) {
    table_.properties[row.key] = std::move(row.value);
  }
  is_delta_coded_ =
      table_.NumberProperty("rocksdb.index.value.is.delta.encoded") != 0;
  table_.has_user_key_separators =
      table_.NumberProperty("rocksdb.index.key.is.user.key") != 0;
  return Status::Ok();
}

Status SstParser::ReadFilters() {
  for (const auto& [name, handle] : table_.metaindex_rows) {
    if (name.starts_with("fullfilter.")) return ReadOneFilter(handle, "");
    if (!name.starts_with("partitionedfilter.")) continue;
    table_.is_partitioned = true;
    const auto rows = ReadIndex(handle);
    if (!rows.ok()) return rows.status();
    for (const SstIndexRow& row : *rows) {
      Status read = ReadOneFilter(row.handle, row.key);
      if (!read.ok()) return read;
    }
  }
  return Status::Ok();
}

Status SstParser::ReadOneFilter(const SstHandle& handle,
                                std::string separator) {
  auto contents = ReadBlock(handle);
  if (!contents.ok()) return contents.status();
  table_.filters.push_back({.handle = handle,
                            .bytes = *std::move(contents),
                            .separator = std::move(separator)});
  return Status::Ok();
}

Status SstParser::ReadIndexAndData() {
  const auto type =
      table_.properties.find("rocksdb.block.based.table.index.type");
  if (type == table_.properties.end() || type->second.size() != 4) {
    return Status::Corruption("sst: no type of index");
  }
  if (LoadLittle32(type->second.data()) != kTwoLevelIndex) {
    return ReadLeafIndex(table_.index);
  }
  const auto parts = ReadIndex(table_.index);
  if (!parts.ok()) return parts.status();
  for (const SstIndexRow& part : *parts) {
    if (Status read = ReadLeafIndex(part.handle); !read.ok()) return read;
  }
  return Status::Ok();
}

Status SstParser::ReadLeafIndex(const SstHandle& handle) {
  const auto rows = ReadIndex(handle);
  if (!rows.ok()) return rows.status();
  for (const SstIndexRow& row : *rows) {
    if (Status read = ReadData(row.handle); !read.ok()) return read;
  }
  return Status::Ok();
}

Status SstParser::ReadData(const SstHandle& handle) {
  const auto contents = ReadBlock(handle);
  if (WasCompressed(contents.status())) return Status::Ok();
  if (!contents.ok()) return contents.status();
  auto rows = ReadRows(*contents);
  if (!rows.ok()) return rows.status();
  for (SstRow& row : *rows) {
    if (row.key.size() < kInternalSuffixBytes) {
      return Status::Corruption("sst: a key without sequence number");
    }
    table_.internal_keys.push_back(std::move(row.key));
  }
  return Status::Ok();
}

}  // namespace

std::uint64_t SstTable::NumberProperty(const std::string& name) const {
  const auto found = properties.find(name);
  if (found == properties.end()) return 0;
  Slice value = found->second;
  const auto number = TakeVarint(&value);
  return number.ok() ? *number : 0;
}

const SstFilter& SstTable::FilterFor(Slice user_key) const {
  if (!is_partitioned) return filters.front();
  for (const SstFilter& filter : filters) {
    const Slice separator = filter.separator;
    if (user_key <=
        (has_user_key_separators ? separator : UserKeyOf(separator))) {
      return filter;
    }
  }
  return filters.back();
}

bool IsInternalKeyAbove(Slice a, Slice b) {
  if (const int order = UserKeyOf(a).compare(UserKeyOf(b)); order != 0) {
    return order > 0;
  }
  return LoadLittle64(&a[a.size() - kInternalSuffixBytes]) <
         LoadLittle64(&b[b.size() - kInternalSuffixBytes]);
}

Result<SstTable> ParseSst(Slice file) { return SstParser(file).Parse(); }

std::string WithFilter(Slice file, const SstTable& table, std::size_t which,
                       Slice bytes) {
  const SstHandle& place = table.filters[which].handle;
  std::string out(file);
  std::copy(bytes.begin(), bytes.end(),
            out.begin() + static_cast<std::ptrdiff_t>(place.offset));
  const Slice summed = Slice(out).substr(place.offset, place.size + 1);
  StoreLittle(&out[place.offset + place.size + 1],
              table.seal.Sum(summed, place.offset));
  return out;
}

}  // namespace tamis::testing
