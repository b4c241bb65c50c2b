#include "formats/scalable_bytes.h"

#include <bit>
#include <string>

#include "base/coding.h"
#include "filters/line_bloom.h"
#include "formats/tamis_container.h"

namespace tamis {
namespace {

// Offsets of docs/formats/tamis-scalable.md, within the payload.
constexpr std::size_t kShareAt = 0;
constexpr std::size_t kCapacityAt = 8;
constexpr std::size_t kRowsAt = 16;
constexpr std::size_t kRowBytes = 24;
constexpr std::size_t kLinesOfRowAt = 0;
constexpr std::size_t kKeysOfRowAt = 8;
constexpr std::size_t kProbesOfRowAt = 16;
constexpr std::size_t kZeroOfRowAt = 20;

std::size_t TableBytes(std::size_t parts) noexcept {
  const std::size_t used = kRowsAt + parts * kRowBytes;
  return (used + kLineBytes - 1) / kLineBytes * kLineBytes;
}

std::string WhyReserved(const TamisHeader& header) {
  if (std::string reason = WhyTooNew(header); !reason.empty()) return reason;
  if (header.kind != static_cast<std::uint16_t>(TamisKind::kScalable)) {
    return WhyUnknownKind(header);
  }
  if (header.parameter_a == 0 || header.parameter_a > kMostScalableParts ||
      header.parameter_b != 0) {
    return "its parameters are reserved";
  }
  return {};
}

// REQUIRES: `table` is as long as TableBytes() says
std::string WhyReservedTable(Slice table, std::size_t parts) {
  const std::size_t used = kRowsAt + parts * kRowBytes;
  bool known = table.find_first_not_of('\0', used) == Slice::npos;
  for (const char* row = table.data() + kRowsAt; row < table.data() + used;
       row += kRowBytes) {
    const std::uint32_t probes = LoadLittle32(row + kProbesOfRowAt);
    known &= probes >= 1 && probes <= kMaxLineProbes;
    known &= LoadLittle32(row + kZeroOfRowAt) == 0;
  }
  return known ? std::string() : "its table has values that are reserved";
}

// Reads the table, and deals the lines out.  REQUIRES: nothing is reserved
Status ReadTable(const TamisContents& contents, ParsedScalable* parsed) {
  const std::size_t parts = contents.header.parameter_a;
  const char* table = contents.payload.data();
  ScalableFacts& facts = parsed->facts;
  facts.seed = contents.header.seed;
  facts.start.share = std::bit_cast<double>(LoadLittle64(table + kShareAt));
  facts.start.capacity = LoadLittle64(table + kCapacityAt);
  if (!(facts.start.share > 0 && facts.start.share < 1) ||
      facts.start.capacity == 0) {
    return Status::Corruption("tamis: its first part is none that could be");
  }
  Slice rest = contents.payload.substr(TableBytes(parts));
  for (std::size_t i = 0; i < parts; ++i) {
    const char* row = table + kRowsAt + i * kRowBytes;
    const ScalablePartFacts part = {
        .lines = LoadLittle64(row + kLinesOfRowAt),
        .keys = LoadLittle64(row + kKeysOfRowAt),
        .probes = LoadLittle32(row + kProbesOfRowAt)};
    if (part.lines == 0 || part.lines > rest.size() / kLineBytes) {
      return Status::Corruption("tamis: its payload does not fit its parts");
    }
    const auto bytes = static_cast<std::size_t>(part.lines) * kLineBytes;
    facts.parts.push_back(part);
    parsed->lines.push_back(rest.substr(0, bytes));
    rest.remove_prefix(bytes);
  }
  if (!rest.empty() || facts.lines() != contents.header.size_parameter) {
    return Status::Corruption("tamis: its payload does not fit its parts");
  }
  return Status::Ok();
}

}  // namespace

std::uint64_t ScalableFacts::lines() const noexcept {
  std::uint64_t sum = 0;
  for (const ScalablePartFacts& part : parts) sum += part.lines;
  return sum;
}
std::uint64_t ScalableFacts::keys() const noexcept {
  std::uint64_t sum = 0;
  for (const ScalablePartFacts& part : parts) sum += part.keys;
  return sum;
}
std::size_t ScalableFacts::LinesAt() const noexcept {
  return kTamisHeaderBytes + TableBytes(parts.size());
}
std::uint64_t ScalableFacts::TotalBytes() const noexcept {
  return LinesAt() + lines() * kLineBytes;
}

void SealScalable(std::span<char> whole, const ScalableFacts& facts) noexcept {
  char* table = whole.data() + kTamisHeaderBytes;
  StoreLittle(table + kShareAt,
              std::bit_cast<std::uint64_t>(facts.start.share));
  StoreLittle(table + kCapacityAt, facts.start.capacity);
  char* row = table + kRowsAt;
  for (const ScalablePartFacts& part : facts.parts) {
    StoreLittle(row + kLinesOfRowAt, part.lines);
    StoreLittle(row + kKeysOfRowAt, part.keys);
    StoreLittle(row + kProbesOfRowAt, std::uint32_t{part.probes});
    row += kRowBytes;
  }
  TamisHeader header;
  header.kind = static_cast<std::uint16_t>(TamisKind::kScalable);
  header.hash = static_cast<std::uint16_t>(TamisHash::kXxh3);
  header.seed = facts.seed;
  header.keys = facts.keys();
  header.size_parameter = facts.lines();
  header.parameter_a = static_cast<std::uint32_t>(facts.parts.size());
  SealTamis(whole, header);
}

Result<ParsedScalable> ParseScalable(Slice bytes) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  ParsedScalable parsed;
  parsed.always_maybe = WhyReserved(contents->header);
  if (!parsed.always_maybe.empty()) return parsed;
  const std::size_t parts = contents->header.parameter_a;
  if (contents->payload.size() < TableBytes(parts)) {
    return Status::Corruption("tamis: its payload does not fit its parts");
  }
  parsed.always_maybe =
      WhyReservedTable(contents->payload.substr(0, TableBytes(parts)), parts);
  if (!parsed.always_maybe.empty()) return parsed;
  if (Status read = ReadTable(*contents, &parsed); !read.ok()) return read;
  return parsed;
}

}  // namespace tamis
