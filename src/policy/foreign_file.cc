// SPDX-License-Identifier: Apache-2.0
#include "policy/foreign_file.h"

#include <algorithm>
#include <cstddef>

#include "formats/leveldb/filter_block.h"

namespace tamis {
namespace {

struct Magic {
  std::string_view name;
  std::string_view bytes;
  bool at_end = false;  // else at the start
};

// The string_views carry their lengths, because some magic numbers contain
// '\0'.
template <std::size_t N>
constexpr std::string_view Bytes(const char (&text)[N]) {
  return {text, N - 1};
}

constexpr std::string_view kStoreSettings = "a file of settings of a store";

constexpr Magic kMagics[] = {
    // Sorted tables end in a little-endian magic number.
    {"a LevelDB table", Bytes("\x57\xfb\x80\x8b\x24\x75\x47\xdb"), true},
    {"a RocksDB table", Bytes("\xf7\xcf\xf4\x85\xb7\x41\xe2\x88"), true},
    {"an encrypted Parquet file", Bytes("PARE"), true},
    {kParquetFile, Bytes("PAR1"), true},
    {kParquetFile, Bytes("PAR1")},
    {"an Avro file", Bytes("Obj\x01")},
    {"an SQLite database", Bytes("SQLite format 3\0")},
    {"gzip data", Bytes("\x1f\x8b\x08")},
    {"zstd data", Bytes("\x28\xb5\x2f\xfd")},
    {"xz data", Bytes("\xfd"
                      "7zXZ\0")},
    {"LZ4 data", Bytes("\x04\x22\x4d\x18")},
    {"a zip archive", Bytes("PK\x03\x04")},
    {"a PDF document", Bytes("%PDF-")},
    {"a PNG image", Bytes("\x89PNG\r\n\x1a\n")},
    {"an executable", Bytes("\x7f"
                            "ELF")},
    {"a Redis dump", Bytes("REDIS0")},
    {kStoreSettings, Bytes("tamis settings ")},
};

// Filters have bytes of every value; a long text does not.
bool IsText(Slice bytes) noexcept {
  constexpr std::size_t kTooShortToTell = 16;
  constexpr std::size_t kEnough = 512;
  if (bytes.size() < kTooShortToTell) return false;
  const Slice start = bytes.substr(0, kEnough);
  return std::all_of(start.begin(), start.end(), [](char c) {
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
  });
}

// Its last byte, 11, could be the k of a single filter of 16 bits per key; but
// a filter's bits are never a list of ascending offsets from 0.
bool IsFilterBlock(Slice bytes) noexcept {
  constexpr char kBaseLg = 11;
  if (bytes.empty() || bytes.back() != kBaseLg) return false;
  const LevelDbFilterBlockReader block(bytes);
  return block.damage().empty() && block.filter_count() > 0;
}

}  // namespace

std::string_view NameForeignFile(Slice bytes) noexcept {
  if (IsFilterBlock(bytes)) return "the filter block of a LevelDB table";
  for (const Magic& magic : kMagics) {
    if (magic.at_end ? bytes.ends_with(magic.bytes)
                     : bytes.starts_with(magic.bytes)) {
      return magic.name;
    }
  }
  return IsText(bytes) ? "text" : "";
}

std::string_view NameStoreFile(std::string_view file_name,
                               bool is_text) noexcept {
  if (file_name.starts_with("MANIFEST-")) return "the manifest of a store";
  if (file_name == "CURRENT") return "a store's file that names its manifest";
  if (file_name == "LOCK") return "the lock of a store";
  if (file_name == "TAMIS" || file_name == "TAMIS.damaged") {
    return kStoreSettings;
  }
  if (file_name == "LOG" || file_name == "LOG.old") {
    return "the info log of a store";
  }
  if (is_text) return "";
  if (file_name.ends_with(".log")) return "the log of a store";
  if (file_name.ends_with(".ldb") || file_name.ends_with(".sst")) {
    return "a table of a store";
  }
  return "";
}

}  // namespace tamis
