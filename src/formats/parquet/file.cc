// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/coding.h"
#include "base/no_throw.h"
#include "base/thrift_compact.h"
#include "formats/parquet/header.h"
#include "tamis/parquet.h"

namespace tamis {
namespace {

struct ParquetFooter {
  Slice before;    // everything before the metadata
  Slice metadata;  // the Thrift struct FileMetaData
};

constexpr std::string_view kMagic = "PAR1";
constexpr std::string_view kEncryptedMagic = "PARE";
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kTailBytes = kLengthBytes + kMagic.size();

// Field ids of Parquet's Thrift definition.
enum FileField : std::int16_t { kRowGroups = 4 };
enum RowGroupField : std::int16_t { kColumns = 1 };
enum ColumnField : std::int16_t {
  kFilePath = 1,
  kColumnMetadata = 3,
  kCrypto = 8
};
enum MetadataField : std::int16_t {
  kType = 1,
  kPath = 3,
  kNumValues = 5,
  kFilterOffset = 14,
  kFilterLength = 15,
};

constexpr std::array<std::string_view, 8> kTypeNames = {
    "BOOLEAN", "INT32",  "INT64",      "INT96",
    "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};

bool IsInteger(ThriftType type) {
  return type >= ThriftType::kI8 && type <= ThriftType::kI64;
}

// One column of one row group, as the footer has it.
struct Column {
  bool elsewhere = false;  // its data is in another file
  bool encrypted = false;
  bool has_metadata = false;
  std::optional<std::int64_t> type;
  std::optional<std::int64_t> values;
  std::optional<std::int64_t> filter_offset;
  std::optional<std::int64_t> filter_length;
  bool has_path = false;
  std::string path;
};

class MetadataReader {
 public:
  explicit MetadataReader(const ParquetFooter& footer)
      : footer_(footer), in_(footer.metadata) {}

  Result<std::vector<ParquetFilterPlace>> Read() {
    bool has_row_groups = false;
    in_.ReadStruct([&](ThriftField field) {
      if (field.id != kRowGroups || field.type != ThriftType::kList) {
        return false;
      }
      has_row_groups = true;
      return ReadRowGroups();
    });
    if (!in_.ok()) {
      return Status::Corruption("parquet: the file's footer is damaged");
    }
    if (!has_row_groups || lacks_fields_) {
      return Status::Corruption("parquet: the file's footer lacks a field");
    }
    return std::move(places_);
  }

 private:
  bool ReadRowGroups() {
    std::uint64_t row_group = 0;
    in_.ReadList([&](ThriftType element) {
      if (element != ThriftType::kStruct) return false;
      ReadRowGroup(row_group++);
      return true;
    });
    return true;
  }

  void ReadRowGroup(std::uint64_t row_group) {
    bool has_columns = false;
    in_.ReadStruct([&](ThriftField field) {
      if (field.id != kColumns || field.type != ThriftType::kList) return false;
      has_columns = true;
      in_.ReadList([&](ThriftType element) {
        if (element != ThriftType::kStruct) return false;
        TakeColumn(row_group, ReadColumn());
        return true;
      });
      return true;
    });
    if (!has_columns) lacks_fields_ = true;
  }

  Column ReadColumn() {
    Column column;
    in_.ReadStruct([&](ThriftField field) {
      if (field.id == kFilePath && field.type == ThriftType::kBinary) {
        column.elsewhere = !in_.ReadBinary().empty();
        return true;
      }
      if (field.id == kColumnMetadata && field.type == ThriftType::kStruct) {
        column.has_metadata = true;
        ReadColumnMetadata(&column);
        return true;
      }
      if (field.id == kCrypto) column.encrypted = true;
      return false;
    });
    return column;
  }

  void ReadColumnMetadata(Column* column) {
    in_.ReadStruct([&](ThriftField field) {
      if (field.id == kPath && field.type == ThriftType::kList) {
        ReadPath(column);
        return true;
      }
      std::optional<std::int64_t>* number = NumberOf(column, field.id);
      if (number == nullptr || !IsInteger(field.type)) return false;
      *number = in_.ReadInteger(field.type);
      return true;
    });
  }

  static std::optional<std::int64_t>* NumberOf(Column* column,
                                               std::int16_t id) {
    switch (id) {
      case kType:
        return &column->type;
      case kNumValues:
        return &column->values;
      case kFilterOffset:
        return &column->filter_offset;
      case kFilterLength:
        return &column->filter_length;
      default:
        return nullptr;
    }
  }

  void ReadPath(Column* column) {
    column->path.clear();
    column->has_path = false;
    in_.ReadList([&](ThriftType element) {
      if (element != ThriftType::kBinary) return false;
      if (column->has_path) column->path += '.';
      column->path += in_.ReadBinary();
      column->has_path = true;
      return true;
    });
  }

  void TakeColumn(std::uint64_t row_group, Column column) {
    if (!in_.ok() || !column.has_metadata) return;
    if (!column.type || !column.has_path || column.values.value_or(-1) < 0) {
      lacks_fields_ = true;
      return;
    }
    if (!column.filter_offset) return;
    ParquetFilterPlace place;
    place.row_group = row_group;
    place.physical_type = TypeName(*column.type);
    place.values = static_cast<std::uint64_t>(*column.values);
    place.offset = *column.filter_offset;
    place.status = Locate(column, &place);
    place.column = std::move(column.path);
    places_.push_back(std::move(place));
  }

  static std::string_view TypeName(std::int64_t type) {
    if (type < 0 || static_cast<std::uint64_t>(type) >= kTypeNames.size()) {
      return "unknown";
    }
    return kTypeNames[static_cast<std::size_t>(type)];
  }

  // Fills in the sizes and the bytes of a complete filter.
  Status Locate(const Column& column, ParquetFilterPlace* place) const {
    if (column.elsewhere) {
      return Status::NotSupported("parquet: the column is in another file");
    }
    if (column.encrypted) {
      return Status::NotSupported("parquet: the column is encrypted");
    }
    const std::int64_t offset = *column.filter_offset;
    if (offset < static_cast<std::int64_t>(kMagic.size()) ||
        static_cast<std::uint64_t>(offset) >= footer_.before.size()) {
      return Status::Corruption(
          "parquet: the filter's offset is outside the data");
    }
    const Slice rest = footer_.before.substr(static_cast<std::size_t>(offset));
    const Result<ParquetHeader> header = ParseParquetHeader(rest);
    if (!header.ok()) return header.status();
    return Measure(*header, column.filter_length, rest, place);
  }

  static Status Measure(const ParquetHeader& header,
                        std::optional<std::int64_t> length, Slice rest,
                        ParquetFilterPlace* place) {
    const std::uint64_t available = rest.size() - header.header_bytes;
    if (!header.reserved.empty() &&
        (header.bitset_bytes < 0 ||
         static_cast<std::uint64_t>(header.bitset_bytes) > available)) {
      // The size may mean something else if a member is unknown.
      return Status::NotSupported("parquet: " + header.reserved);
    }
    if (header.reserved.empty()) {
      Status fits = CheckParquetBitset(header, available);
      if (!fits.ok()) return fits;
    }
    const auto bitset = static_cast<std::uint64_t>(header.bitset_bytes);
    const std::uint64_t whole = header.header_bytes + bitset;
    if (length &&
        (*length < 0 || static_cast<std::uint64_t>(*length) != whole)) {
      return Status::Corruption(
          "parquet: the filter has " + std::to_string(whole) +
          " bytes, the footer says " + std::to_string(*length));
    }
    place->header_bytes = header.header_bytes;
    place->bitset_bytes = bitset;
    place->filter = rest.substr(0, static_cast<std::size_t>(whole));
    return Status::Ok();
  }

  ParquetFooter footer_;
  ThriftCompactReader in_;
  std::vector<ParquetFilterPlace> places_;
  bool lacks_fields_ = false;
};

Result<ParquetFooter> SplitParquetFile(Slice file) {
  if (file.size() < kMagic.size() + kTailBytes) {
    return Status::Corruption("parquet: too short for a Parquet file");
  }
  if (file.ends_with(kEncryptedMagic)) {
    return Status::NotSupported("parquet: the file's footer is encrypted");
  }
  if (!file.starts_with(kMagic) || !file.ends_with(kMagic)) {
    return Status::Corruption(
        "parquet: not a Parquet file, which begins and ends with PAR1");
  }
  const std::uint32_t length =
      LoadLittle32(file.data() + file.size() - kTailBytes);
  const Slice body = file.substr(0, file.size() - kTailBytes);
  if (length > body.size() - kMagic.size()) {
    return Status::Corruption("parquet: the footer is longer than the file");
  }
  const std::size_t start = body.size() - length;
  return ParquetFooter{.before = body.substr(0, start),
                       .metadata = body.substr(start)};
}

}  // namespace

Result<std::vector<ParquetFilterPlace>> FindParquetFilters(Slice file) {
  // An item takes some twenty times the memory of the bytes that describe it,
  // and the list may grow to twice its size.
  return NoThrow([&]() -> Result<std::vector<ParquetFilterPlace>> {
    const Result<ParquetFooter> footer = SplitParquetFile(file);
    if (!footer.ok()) return footer.status();
    return MetadataReader(*footer).Read();
  });
}

}  // namespace tamis
