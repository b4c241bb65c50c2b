// SPDX-License-Identifier: Apache-2.0
// formats/parquet_bytes.h -- Parquet files with nothing in them but filters
// and a footer, for tests.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tamis::testing {

// Writes the fields of a Thrift struct, ids rising, in the compact protocol.
class ThriftFields {
 public:
  ThriftFields& Integer(unsigned id, std::int64_t value) {
    return Append(id, 6, Varint(Zigzag(value)));
  }
  ThriftFields& Text(unsigned id, const std::string& text) {
    return Append(id, 8, TextValue(text));
  }
  ThriftFields& Struct(unsigned id, const std::string& value) {
    return Append(id, 12, value);
  }
  // `type` is that of the elements.
  ThriftFields& List(unsigned id, unsigned type,
                     const std::vector<std::string>& elements) {
    std::string list(1, static_cast<char>(0xf0 | type));
    list += Varint(elements.size());
    for (const std::string& element : elements) list += element;
    return Append(id, 9, list);
  }
  std::string End() const { return bytes_ + '\0'; }

  static std::string TextValue(const std::string& text) {
    return Varint(text.size()) + text;
  }
  static std::string Varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 128; value >>= 7) {
      bytes += static_cast<char>(value | 128);
    }
    return bytes + static_cast<char>(value);
  }

 private:
  static std::uint64_t Zigzag(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return (bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0);
  }
  ThriftFields& Append(unsigned id, unsigned type, const std::string& value) {
    const unsigned step = id - last_id_;
    if (step < 16) {
      bytes_ += static_cast<char>(step << 4 | type);
    } else {
      bytes_ += static_cast<char>(type) + Varint(std::uint64_t{2} * id);
    }
    bytes_ += value;
    last_id_ = id;
    return *this;
  }

  std::string bytes_;
  unsigned last_id_ = 0;
};

struct ParquetColumn {
  std::vector<std::string> path = {"column"};
  std::int64_t type = 6;
  std::int64_t values = 1;
  std::optional<std::int64_t> filter_offset;
  std::optional<std::int64_t> filter_length;
  std::string file_path;
  bool encrypted = false;
};

inline std::string ParquetColumnBytes(const ParquetColumn& column) {
  std::vector<std::string> path;
  for (const std::string& part : column.path) {
    path.push_back(ThriftFields::TextValue(part));
  }
  ThriftFields metadata;
  metadata.Integer(1, column.type).List(2, 5, {std::string(1, '\0')});
  metadata.List(3, 8, path).Integer(4, 0).Integer(5, column.values);
  if (column.filter_offset) metadata.Integer(14, *column.filter_offset);
  if (column.filter_length) metadata.Integer(15, *column.filter_length);
  ThriftFields chunk;
  if (!column.file_path.empty()) chunk.Text(1, column.file_path);
  chunk.Integer(2, 4).Struct(3, metadata.End());
  if (column.encrypted) chunk.Struct(8, ThriftFields().End());
  return chunk.End();
}

// FileMetaData with these columns, one list per row group.
inline std::string ParquetMetadata(
    const std::vector<std::vector<ParquetColumn>>& row_groups) {
  std::vector<std::string> groups;
  for (const auto& columns : row_groups) {
    std::vector<std::string> chunks;
    for (const ParquetColumn& column : columns) {
      chunks.push_back(ParquetColumnBytes(column));
    }
    groups.push_back(
        ThriftFields().List(1, 12, chunks).Integer(2, 0).Integer(3, 1).End());
  }
  return ThriftFields()
      .Integer(1, 2)
      .List(2, 12, {ThriftFields().Text(4, "schema").End()})
      .Integer(3, 1)
      .List(4, 12, groups)
      .Text(6, "a test")
      .End();
}

// A whole file: the data begins at offset 4.
inline std::string ParquetFile(const std::string& data,
                               const std::string& metadata) {
  std::string file = "PAR1" + data + metadata;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    file += static_cast<char>(metadata.size() >> shift);
  }
  return file + "PAR1";
}

}  // namespace tamis::testing
