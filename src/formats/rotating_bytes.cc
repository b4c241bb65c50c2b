#include "formats/rotating_bytes.h"

#include <numeric>

#include "base/coding.h"
#include "filters/line_bloom.h"
#include "formats/tamis_container.h"
#include "formats/tamis_rotating.h"

namespace tamis {
namespace {

// Offsets of docs/formats/tamis-rotating.md, within the payload.
constexpr std::size_t kRotationsAt = 0;
constexpr std::size_t kKeysAt = 8;

// More than anybody gets to; beyond, counting on would come to its end.
constexpr std::uint64_t kMostRotations = std::uint64_t{1} << 62;

std::size_t KeysEnd(std::size_t generations) noexcept {
  return kKeysAt + generations * sizeof(std::uint64_t);
}
std::size_t TableBytes(std::size_t generations) noexcept {
  return (KeysEnd(generations) + kLineBytes - 1) / kLineBytes * kLineBytes;
}

std::string WhyReserved(const TamisHeader& header) {
  if (std::string reason = WhyTooNew(header); !reason.empty()) return reason;
  if (header.kind != static_cast<std::uint16_t>(TamisKind::kRotating)) {
    return WhyUnknownKind(header);
  }
  if (header.parameter_a == 0 || header.parameter_a > kMaxLineProbes ||
      header.parameter_b < kLeastGenerations ||
      header.parameter_b > kMostGenerations) {
    return "its parameters are reserved";
  }
  return {};
}

// REQUIRES: nothing is reserved, and `table` is as long as TableBytes() says
RotatingFacts ReadFacts(const TamisHeader& header, const char* table) {
  RotatingFacts facts;
  facts.seed = header.seed;
  facts.lines = header.size_parameter;
  facts.probes = header.parameter_a;
  facts.rotations = LoadLittle64(table + kRotationsAt);
  for (std::size_t i = 0; i < header.parameter_b; ++i) {
    facts.keys.push_back(
        LoadLittle64(table + kKeysAt + i * sizeof(std::uint64_t)));
  }
  return facts;
}

}  // namespace

std::uint64_t RotatingFacts::all_keys() const noexcept {
  return std::accumulate(keys.begin(), keys.end(), std::uint64_t{0});
}
std::size_t RotatingFacts::LinesAt() const noexcept {
  return kTamisHeaderBytes + TableBytes(keys.size());
}
std::uint64_t RotatingFacts::LineBytes() const noexcept {
  return lines * generations() * kLineBytes;
}
std::uint64_t RotatingFacts::TotalBytes() const noexcept {
  return LinesAt() + LineBytes();
}

std::vector<LineFilter> GenerationsOf(const RotatingFacts& facts,
                                      const unsigned char* lines) {
  std::vector<LineFilter> parts;
  const std::size_t count = facts.generations();
  for (std::size_t age = 0; age < count; ++age) {
    const std::size_t place = (facts.newest() + count - age) % count;
    parts.push_back(GenerationAt(facts, lines, place));
  }
  return parts;
}

void SealRotating(std::span<char> whole, const RotatingFacts& facts) noexcept {
  char* table = whole.data() + kTamisHeaderBytes;
  StoreLittle(table + kRotationsAt, facts.rotations);
  char* at = table + kKeysAt;
  for (const std::uint64_t keys : facts.keys) {
    StoreLittle(at, keys);
    at += sizeof(keys);
  }
  TamisHeader header;
  header.kind = static_cast<std::uint16_t>(TamisKind::kRotating);
  header.hash = static_cast<std::uint16_t>(TamisHash::kXxh3);
  header.seed = facts.seed;
  header.keys = facts.all_keys();
  header.size_parameter = facts.lines;
  header.parameter_a = facts.probes;
  header.parameter_b = facts.generations();
  SealTamis(whole, header);
}

Result<ParsedRotating> ParseRotating(Slice bytes) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  const TamisHeader& header = contents->header;
  ParsedRotating parsed;
  parsed.always_maybe = WhyReserved(header);
  if (!parsed.always_maybe.empty()) return parsed;

  const Slice payload = contents->payload;
  const std::size_t generations = header.parameter_b;
  const std::size_t table = TableBytes(generations);
  const std::size_t lines_of_all = generations * kLineBytes;
  if (payload.size() <= table || (payload.size() - table) % lines_of_all != 0 ||
      header.size_parameter != (payload.size() - table) / lines_of_all) {
    return Status::Corruption("tamis: its payload does not fit its lines");
  }
  const Slice padding = payload.substr(0, table).substr(KeysEnd(generations));
  if (padding.find_first_not_of('\0') != Slice::npos ||
      LoadLittle64(payload.data() + kRotationsAt) > kMostRotations) {
    parsed.always_maybe = "its table has values that are reserved";
    return parsed;
  }
  parsed.facts = ReadFacts(header, payload.data());
  parsed.lines = payload.substr(table);
  return parsed;
}

}  // namespace tamis
