#include "foreign_file.h"

#include <cstddef>

namespace tamis::tools {
namespace {

struct Magic {
  std::string_view name;
  std::string_view bytes;
  bool at_end = false;  // else at the beginning
};

// The string_views carry their lengths, for some magics contain '\0'.
template <std::size_t N>
constexpr std::string_view Bytes(const char (&text)[N]) {
  return {text, N - 1};
}

constexpr Magic kMagics[] = {
    // Sorted tables end in a little-endian magic number.
    {"a LevelDB table", Bytes("\x57\xfb\x80\x8b\x24\x75\x47\xdb"), true},
    {"a RocksDB table", Bytes("\xf7\xcf\xf4\x85\xb7\x41\xe2\x88"), true},
    {"a Parquet file", Bytes("PAR1"), true},
    {"a Parquet file", Bytes("PAR1")},
    {"an ORC file", Bytes("ORC")},
    {"an Avro file", Bytes("Obj\x01")},
    {"an SQLite database", Bytes("SQLite format 3\0")},
    {"gzip data", Bytes("\x1f\x8b\x08")},
    {"zstd data", Bytes("\x28\xb5\x2f\xfd")},
    {"xz data", Bytes("\xfd"
                      "7zXZ\0")},
    {"bzip2 data", Bytes("BZh")},
    {"LZ4 data", Bytes("\x04\x22\x4d\x18")},
    {"a zip archive", Bytes("PK\x03\x04")},
    {"a PDF document", Bytes("%PDF-")},
    {"a PNG image", Bytes("\x89PNG\r\n\x1a\n")},
    {"an executable", Bytes("\x7f"
                            "ELF")},
    {"a script", Bytes("#!/")},
    {"a Redis dump", Bytes("REDIS0")},
};

}  // namespace

std::string_view NameForeignFile(Slice bytes) {
  for (const Magic& magic : kMagics) {
    if (magic.at_end ? bytes.ends_with(magic.bytes)
                     : bytes.starts_with(magic.bytes)) {
      return magic.name;
    }
  }
  return {};
}

}  // namespace tamis::tools
