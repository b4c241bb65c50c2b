// SPDX-License-Identifier: Apache-2.0
// Recognises the format of bytes: with certainty by a magic number or an
// engine's file name; otherwise a guess by matching lengths.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "filters/bloom/line_bloom.h"
#include "formats/cassandra/version.h"
#include "formats/parquet/header.h"
#include "formats/rocksdb/bloom.h"
#include "formats/tamis/container.h"
#include "formats/teaching/lab_layout.h"
#include "policy/foreign_file.h"
#include "tamis/bloom_math.h"
#include "tamis/formats.h"

namespace tamis {
namespace {

bool FitsCassandra(Slice bytes) noexcept {
  if (bytes.size() < 16 || bytes.size() % 8 != 0) return false;
  const auto probes = LoadBig<std::uint32_t>(bytes.data());
  const std::uint64_t words = LoadBig<std::uint32_t>(bytes.data() + 4);
  return probes >= 1 && probes <= kMaxBloomProbes &&
         bytes.size() == 8 + 8 * words;
}

bool FitsLab(Slice bytes) {
  Result<ParsedBloom> parsed = ParseLab("", bytes, kMaxBloomProbes);
  return parsed.ok() && parsed->always_maybe.empty();
}

bool FitsLevelDb(Slice bytes) noexcept {
  if (bytes.size() < 9) return false;  // LevelDB's smallest
  const auto probes = static_cast<unsigned char>(bytes.back());
  return probes >= 1 && probes <= kMaxBloomProbes;
}

// The trailer of RocksDB's newer Bloom filter, after whole lines.
bool FitsFastLocalBloom(Slice data, Slice trailer) noexcept {
  const auto probes = static_cast<unsigned char>(trailer[2]);
  return trailer[0] == '\xff' && trailer[1] == 0 && probes >= 1 &&
         probes <= kMaxBloomProbes && trailer[3] == 0 && trailer[4] == 0 &&
         data.size() >= kLineBytes && data.size() % kLineBytes == 0;
}

// The older one, with an odd number of lines of 64 bytes, or 128 on some
// machines.
bool FitsLegacyBloom(Slice data, Slice trailer) noexcept {
  const auto probes = static_cast<unsigned char>(trailer[0]);
  const std::uint64_t lines = LoadLittle32(trailer.data() + 1);
  return probes >= 1 && probes <= kMaxBloomProbes && lines % 2 == 1 &&
         (data.size() == lines * kLineBytes ||
          data.size() == lines * 2 * kLineBytes);
}

// A Ribbon: whole segments of 16 bytes, at most 32 for each block of slots.
bool FitsRibbon(Slice data, Slice trailer) noexcept {
  constexpr std::uint64_t kSegmentBytes = 16;
  constexpr std::uint64_t kMaxColumns = 32;
  const std::uint64_t blocks = LoadLittle32(trailer.data() + 1) >> 8;
  const std::uint64_t segments = data.size() / kSegmentBytes;
  return trailer[0] == '\xfe' && blocks >= 2 && segments >= 1 &&
         data.size() % kSegmentBytes == 0 && segments <= blocks * kMaxColumns;
}

// Returns which of RocksDB's filters has such an end; "" if none has.
std::string_view FitsRocksDb(Slice bytes) noexcept {
  if (bytes.size() <= kRocksDbTrailerBytes) return "";
  const Slice data = bytes.substr(0, bytes.size() - kRocksDbTrailerBytes);
  const Slice trailer = bytes.substr(data.size());
  if (FitsFastLocalBloom(data, trailer)) return "rocksdb";
  if (FitsRibbon(data, trailer)) return "rocksdb-ribbon";
  return FitsLegacyBloom(data, trailer) ? "rocksdb-legacy" : "";
}

// Far longer than any Parquet header, whatever its encoding.
constexpr std::size_t kEnoughForParquetHeader = 64;
constexpr std::int64_t kTooManyParquetBytes = std::int64_t{1} << 31;

// The header of Parquet's filter in the form that every writer uses, fifteen
// bytes or more: as good as a magic number.
bool HasParquetHeader(Slice bytes) {
  const auto header = ParseParquetHeader(bytes.substr(
      0, std::min<std::size_t>(bytes.size(), kEnoughForParquetHeader)));
  if (!header.ok() || !header->reserved.empty() || header->bitset_bytes <= 0 ||
      header->bitset_bytes >= kTooManyParquetBytes) {
    return false;
  }
  const auto bits = static_cast<std::uint64_t>(header->bitset_bytes);
  std::array<char, kEnoughForParquetHeader> canonical;
  StoreParquetHeader(canonical.data(), bits);
  return bytes.starts_with({canonical.data(), ParquetHeaderBytes(bits)});
}

// Any other form of a header that matches the length.
bool FitsParquet(Slice bytes) {
  const Slice start = bytes.substr(0, kEnoughForParquetHeader);
  const auto header = IsObsoleteParquet(start)
                          ? ParseObsoleteParquetHeader(start)
                          : ParseParquetHeader(start);
  if (!header.ok() || !header->reserved.empty()) return false;
  const std::uint64_t left = bytes.size() - header->header_bytes;
  return CheckParquetBitset(*header, left).ok() &&
         left == static_cast<std::uint64_t>(header->bitset_bytes);
}

RecognisedFormat Certain(std::string spec, std::string reason) {
  return {Certainty::kCertain, std::move(spec), std::move(reason), {}, "", ""};
}

RecognisedFormat ByCassandraName(std::string_view version, Slice bytes) {
  const std::string spec = "cassandra:" + std::string(version);
  if (!CassandraEraOf(version).has_value()) {
    RecognisedFormat unknown;
    unknown.reason = "its name says Cassandra, version " +
                     std::string(version) +
                     ", which is unknown to this library";
    return unknown;
  }
  return Certain(spec, bytes.empty() || FitsCassandra(bytes)
                           ? "its name and its length"
                           : "its name; its content does not fit");
}

RecognisedFormat GuessByContent(Slice bytes) {
  std::vector<std::string> specs;
  std::string reason = "its length fits its header";
  if (FitsCassandra(bytes)) {
    // The four eras share a layout: their bits do not distinguish them.
    specs = {"cassandra:oa", "cassandra:me", "cassandra:ka", "cassandra:hf"};
  }
  if (FitsLab(bytes)) specs.insert(specs.end(), {"lab", "md5"});
  if (FitsParquet(bytes)) specs.emplace_back("parquet");
  if (const std::string_view rocksdb = FitsRocksDb(bytes); !rocksdb.empty()) {
    if (specs.empty()) reason = "its length fits its last five bytes";
    specs.emplace_back(rocksdb);
  }
  if (specs.empty() && FitsLevelDb(bytes)) {
    specs = {"leveldb"};
    reason = "its last byte could be LevelDB's k";
  }
  if (specs.empty()) {
    return {Certainty::kUnknown, "", "no known format fits", {}, "", ""};
  }
  return {Certainty::kGuess,
          specs.front(),
          reason,
          {specs.begin() + 1, specs.end()},
          "",
          ""};
}

RecognisedFormat Foreign(std::string_view what) {
  RecognisedFormat format;
  const std::string name(what);
  if (what == kParquetFile) {
    format.holds_filters = name;
    format.reason =
        "it is " + name + ", whose filters FindParquetFilters() finds";
  } else {
    format.not_a_filter = name;
    format.reason = "it is " + name + ", not a filter";
  }
  return format;
}

RecognisedFormat PartOfAStore(std::string_view what) {
  RecognisedFormat format;
  format.store_file = what;
  format.reason = "its name is that of " + format.store_file;
  return format;
}

RecognisedFormat BySuffix(const FormatEntry& format, Slice bytes) {
  const std::string spec(format.name);
  // An empty file means "no keys" in RocksDB, but may also be left by a crash,
  // and must not be trusted because of its name alone.
  if (spec.starts_with("rocksdb") && bytes.empty()) {
    return {Certainty::kGuess, spec, "its name; it is empty", {}, "", ""};
  }
  return Certain(spec, "its name");
}

}  // namespace

RecognisedFormat RecogniseFormat(std::string_view file_name, Slice bytes) {
  if (bytes.starts_with(kTamisMagic)) {
    return Certain("tamis", "its magic number");
  }
  if (HasParquetHeader(bytes)) return Certain("parquet", "its header");
  const std::string_view foreign = NameForeignFile(bytes);
  if (foreign.empty() || foreign == "text") {
    const std::string_view part = NameStoreFile(file_name, !foreign.empty());
    if (!part.empty()) return PartOfAStore(part);
  }
  if (!foreign.empty()) return Foreign(foreign);
  const std::string_view version = CassandraVersionIn(file_name);
  if (!version.empty()) return ByCassandraName(version, bytes);
  for (const FormatEntry& format : KnownFormats()) {
    if (file_name.size() > format.suffix.size() &&
        file_name.ends_with(format.suffix)) {
      if (format.name == "cassandra") break;  // version unknown
      return BySuffix(format, bytes);
    }
  }

  return GuessByContent(bytes);
}

}  // namespace tamis
