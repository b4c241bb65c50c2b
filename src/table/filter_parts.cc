// SPDX-License-Identifier: Apache-2.0
#include "table/filter_parts.h"

#include <cstring>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/damage.h"
#include "formats/tamis/container.h"

namespace tamis {
namespace {

constexpr std::uint16_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 48;

Status Damaged(const char* what) {
  return Status::Corruption(std::string("the filter in parts: ").append(what));
}

}  // namespace

bool FilterPartsTop::IsPart(std::uint64_t part, Slice bytes) const noexcept {
  const std::uint32_t stored =
      LoadLittle32(checksums.data() + static_cast<std::size_t>(part) * 4);
  return bytes.size() == SizeOf(part) && Crc32c(bytes) == UnmaskCrc32c(stored);
}

void AppendPartsTop(std::string* dst, const LineView& lines,
                    std::uint64_t offset, std::uint32_t lines_per_part) {
  char start[4];
  StoreLittle(start, kVersion);
  StoreLittle(start + 2, static_cast<std::uint16_t>(TamisHash::kXxh3));
  dst->append(start, sizeof(start));
  AppendFixed32(dst, lines.probes.count);
  AppendFixed64(dst, lines.seed);
  AppendFixed64(dst, lines.keys != 0 ? lines.keys : kTamisKeysUnknown);
  AppendFixed64(dst, lines.count);
  AppendFixed64(dst, offset);
  AppendFixed32(dst, lines_per_part);
  AppendFixed32(dst, 0);  // reserved
  for (std::uint64_t first = 0; first < lines.count; first += lines_per_part) {
    const std::uint64_t count =
        std::min<std::uint64_t>(lines_per_part, lines.count - first);
    const Slice part(
        reinterpret_cast<const char*>(lines.lines + first * kLineBytes),
        static_cast<std::size_t>(count) * kLineBytes);
    AppendFixed32(dst, MaskCrc32c(Crc32c(part)));
  }
}

Result<FilterPartsTop> ParsePartsTop(Slice bytes, std::uint64_t file_bytes) {
  if (bytes.size() < kHeaderBytes) return Damaged("its top block is cut off");
  const char* const at = bytes.data();
  if (LoadLittle<std::uint16_t>(at) != kVersion ||
      LoadLittle<std::uint16_t>(at + 2) !=
          static_cast<std::uint16_t>(TamisHash::kXxh3) ||
      LoadLittle32(at + 44) != 0) {
    return Damaged("its top block is of an unknown version");
  }
  FilterPartsTop top;
  top.probes = LoadLittle32(at + 4);
  top.seed = LoadLittle64(at + 8);
  top.keys = LoadLittle64(at + 16);
  if (top.keys == kTamisKeysUnknown) top.keys = 0;
  top.lines = LoadLittle64(at + 24);
  top.offset = LoadLittle64(at + 32);
  top.lines_per_part = LoadLittle32(at + 40);
  if (top.probes == 0 || top.probes > kMaxLineProbes) {
    return Damaged("a number of probes that is not valid");
  }
  if (top.lines_per_part == 0 || top.lines_per_part > kLinesPerPart) {
    return Damaged("a size of parts that is not valid");
  }
  if (top.lines == 0 || top.lines > file_bytes / kLineBytes ||
      top.offset > file_bytes - top.bytes()) {
    return Damaged("its parts are not within the file");
  }
  const std::uint64_t parts = (top.lines - 1) / top.lines_per_part + 1;
  top.checksums = bytes.substr(kHeaderBytes);
  if (top.checksums.size() != parts * 4) {
    return Damaged("its top block does not have a checksum for each part");
  }
  return top;
}

namespace {

// Reads some parts, in one request.  Sets *damaged to how many are.
Status ReadParts(const FilterPartsTop& top, const ReadableFile& file,
                 std::uint64_t first, std::uint64_t count, unsigned char* lines,
                 std::string* scratch, std::uint64_t* damaged) {
  const std::uint64_t offset = top.OffsetOf(first);
  const std::uint64_t end =
      top.OffsetOf(first + count - 1) + top.SizeOf(first + count - 1);
  const Result<Slice> read =
      file.Read(offset, static_cast<std::size_t>(end - offset), scratch);
  if (!read.ok()) {
    if (!IsDamage(read.status())) return read.status();
    // What else was requested may be readable.
    if (count > 1) {
      for (std::uint64_t i = 0; i < count; ++i) {
        Status one = ReadParts(top, file, first + i, 1,
                               lines + (top.OffsetOf(first + i) - offset),
                               scratch, damaged);
        if (!one.ok()) return one;
      }
      return Status::Ok();
    }
    std::memset(lines, 0xff, top.SizeOf(first));
    ++*damaged;
    return Status::Ok();
  }
  Slice rest = *read;
  for (std::uint64_t i = first; i < first + count; ++i) {
    const Slice part = rest.substr(0, top.SizeOf(i));
    rest.remove_prefix(part.size());
    if (top.IsPart(i, part)) {
      std::memcpy(lines, part.data(), part.size());
    } else {
      std::memset(lines, 0xff, part.size());
      ++*damaged;
    }
    lines += part.size();
  }
  return Status::Ok();
}

}  // namespace

Result<std::uint64_t> ReadAllParts(const FilterPartsTop& top,
                                   const ReadableFile& file,
                                   unsigned char* lines) {
  constexpr std::uint64_t kAtOnce = 256;  // a MiB
  std::uint64_t damaged = 0;
  std::string scratch;
  for (std::uint64_t i = 0; i < top.part_count(); i += kAtOnce) {
    Status read =
        ReadParts(top, file, i, std::min(kAtOnce, top.part_count() - i),
                  lines + (top.OffsetOf(i) - top.offset), &scratch, &damaged);
    if (!read.ok()) return read;
  }
  return damaged;
}

}  // namespace tamis
