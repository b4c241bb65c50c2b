// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/rotating.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "filters/batch_loop.h"
#include "filters/bloom/line_bloom.h"
#include "filters/bloom/line_filter.h"
#include "formats/always_maybe.h"
#include "formats/bloom_mutable.h"
#include "formats/save_piece.h"
#include "formats/tamis/container.h"
#include "formats/tamis/line_parts.h"
#include "formats/tamis/line_parts_policy.h"
#include "formats/tamis/line_view.h"
#include "math/blocked_bloom.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

// Offsets of docs/formats/tamis-rotating.md, within the payload.
constexpr std::size_t kRotationsAt = 0;
constexpr std::size_t kKeysAt = 8;

// More than any filter reaches; keeps the counter from overflowing.
constexpr std::uint64_t kMaxRotations = std::uint64_t{1} << 62;

std::size_t KeysEnd(std::size_t generations) noexcept {
  return kKeysAt + generations * sizeof(std::uint64_t);
}
std::size_t GenerationTableBytes(std::size_t generations) noexcept {
  return (KeysEnd(generations) + kLineBytes - 1) / kLineBytes * kLineBytes;
}

// What the bytes contain, except the lines.  Generations have fixed places: the
// newest is at rotations mod generations, and the oldest follows it.
struct RotatingParameters {
  static constexpr std::string_view kKindName = "rotating";

  std::uint64_t seed = 0;
  std::uint64_t lines = 0;  // of one generation
  unsigned probes = 0;
  std::uint64_t rotations = 0;
  std::vector<std::uint64_t> keys;  // of each generation, by its place

  unsigned generations() const noexcept {
    return static_cast<unsigned>(keys.size());
  }
  std::size_t newest() const noexcept {
    return static_cast<std::size_t>(rotations % keys.size());
  }
  std::uint64_t all_keys() const noexcept {
    return std::accumulate(keys.begin(), keys.end(), std::uint64_t{0});
  }
  std::size_t LinesAt() const noexcept {  // in the container
    return kTamisHeaderBytes + GenerationTableBytes(keys.size());
  }
  std::uint64_t LineBytes() const noexcept {
    return lines * generations() * kLineBytes;
  }
  std::uint64_t TotalBytes() const noexcept { return LinesAt() + LineBytes(); }

  // The generation at that place, in the lines of all.  A key's line has the
  // same number in every generation, and lines of the same number are adjacent,
  // so a query touches neighbouring lines.
  template <typename Byte>
  BasicLineFilter<Byte> GenerationAt(Byte* all,
                                     std::size_t place) const noexcept {
    return {.lines = all + place * kLineBytes,
            .count = lines,
            .probes = TamisLineProbes(probes),
            .stride = generations() * kLineBytes};
  }
  // Of a filter that was never rotated.
  template <typename Byte>
  BasicLineFilter<Byte> FirstPart(Byte* all) const noexcept {
    return GenerationAt(all, 0);
  }
  std::uint64_t& FirstKeys() noexcept { return keys.front(); }

  TamisHeader Header() const noexcept;
  // REQUIRES: `table` has GenerationTableBytes() bytes, which are zero
  void WriteTable(char* table) const noexcept;
  void Seal(std::span<char> whole) const noexcept;
};

TamisHeader RotatingParameters::Header() const noexcept {
  TamisHeader header = NewTamisHeader(TamisKind::kRotating, seed, all_keys());
  header.size_parameter = lines;
  header.parameter_a = probes;
  header.parameter_b = generations();
  return header;
}

void RotatingParameters::WriteTable(char* table) const noexcept {
  StoreLittle(table + kRotationsAt, rotations);
  char* at = table + kKeysAt;
  for (const std::uint64_t count : keys) {
    StoreLittle(at, count);
    at += sizeof(count);
  }
}

void RotatingParameters::Seal(std::span<char> whole) const noexcept {
  WriteTable(whole.data() + kTamisHeaderBytes);
  SealTamis(whole, Header());
}

// All generations, the newest first.
std::vector<LineFilter> GenerationsOf(const RotatingParameters& parameters,
                                      const unsigned char* lines) {
  std::vector<LineFilter> parts;
  const std::size_t count = parameters.generations();
  for (std::size_t age = 0; age < count; ++age) {
    const std::size_t place = (parameters.newest() + count - age) % count;
    parts.push_back(parameters.GenerationAt(lines, place));
  }
  return parts;
}

std::string WhyRotatingIsReserved(const TamisHeader& header) {
  std::string reason = WhyUnreadable(header, TamisKind::kRotating);
  if (!reason.empty()) return reason;
  if (header.parameter_a == 0 || header.parameter_a > kMaxLineProbes ||
      header.parameter_b < kMinGenerations ||
      header.parameter_b > kMaxGenerations) {
    return "its parameters are reserved";
  }
  return {};
}

// REQUIRES: nothing is reserved, and `table` is as long as
// GenerationTableBytes() says
RotatingParameters ReadParameters(const TamisHeader& header,
                                  const char* table) {
  RotatingParameters parameters;
  parameters.seed = header.seed;
  parameters.lines = header.size_parameter;
  parameters.probes = header.parameter_a;
  parameters.rotations = LoadLittle64(table + kRotationsAt);
  for (std::size_t i = 0; i < header.parameter_b; ++i) {
    parameters.keys.push_back(
        LoadLittle64(table + kKeysAt + i * sizeof(std::uint64_t)));
  }
  return parameters;
}

struct ParsedRotating {
  RotatingParameters parameters;
  Slice lines;               // of all generations
  std::string always_maybe;  // not empty: reserved (says why); nothing else is
                             // set
};

// Corruption: damaged, or not valid in this format.
Result<ParsedRotating> ParseRotating(Slice bytes) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  const TamisHeader& header = contents->header;
  ParsedRotating parsed;
  parsed.always_maybe = WhyRotatingIsReserved(header);
  if (!parsed.always_maybe.empty()) return parsed;

  const Slice payload = contents->payload;
  const std::size_t generations = header.parameter_b;
  const std::size_t table = GenerationTableBytes(generations);
  const std::size_t lines_of_all = generations * kLineBytes;
  if (payload.size() <= table || (payload.size() - table) % lines_of_all != 0 ||
      header.size_parameter != (payload.size() - table) / lines_of_all) {
    return Status::Corruption("tamis: its payload does not fit its lines");
  }
  const Slice padding = payload.substr(0, table).substr(KeysEnd(generations));
  if (padding.find_first_not_of('\0') != Slice::npos ||
      LoadLittle64(payload.data() + kRotationsAt) > kMaxRotations) {
    parsed.always_maybe = "its table has values that are reserved";
    return parsed;
  }
  parsed.parameters = ReadParameters(header, payload.data());
  parsed.lines = payload.substr(table);
  return parsed;
}

class RotatingInMemory final : public RotatingFilter {
 public:
  // REQUIRES: `memory` has parameters.LineBytes() bytes
  RotatingInMemory(RotatingParameters parameters, BloomPayload memory)
      : parameters_(std::move(parameters)),
        memory_(std::move(memory)),
        parts_(GenerationsOf(parameters_, memory_.bytes.get())) {}

  Status Insert(Slice key) override {
    const std::uint64_t hash = LineHash(key, parameters_.seed);
    InsertPrefetched({&hash, 1});
    return Status::Ok();
  }
  Status InsertMany(std::span<const Slice> keys) override {
    ForEachPrepared<kPartsGroup>(
        keys,
        [this](Slice key) {
          return PrepareParts({&parts_.front(), 1}, parameters_.seed, key);
        },
        [this](std::size_t /*first*/, std::span<const std::uint64_t> hashes) {
          InsertPrefetched(hashes);
        });
    return Status::Ok();
  }
  bool MayContain(Slice key) const noexcept override {
    return CheckParts(parts_, LineHash(key, parameters_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    CheckPartsMany(parts_, parameters_.seed, keys, out);
  }
  FilterInfo Describe() const override {
    return DescribeLineParts(parameters_, parts_);
  }
  Status Save(std::string* dst) const override {
    const auto fill = [&](unsigned char* lines) { memory_.CopyTo(lines); };
    return AppendLineParts(parameters_, fill, dst);
  }
  Status SavePiece(std::uint64_t offset, std::span<char> piece,
                   std::size_t* length, std::uint64_t* total) const override {
    // The header and the table, before the lines.
    std::string before(parameters_.LinesAt(), '\0');
    if (offset < before.size()) {
      const std::span<char> bytes(before);
      parameters_.WriteTable(bytes.data() + kTamisHeaderBytes);
      SealTamisApart(bytes.first(kTamisHeaderBytes), parameters_.Header(),
                     Slice(before).substr(kTamisHeaderBytes), memory_.slice());
    }
    *length =
        CopyPiece(before, memory_.slice(), {.offset = offset, .bytes = piece});
    *total = parameters_.TotalBytes();
    return Status::Ok();
  }

  Status Rotate() override {
    ++parameters_.rotations;
    parameters_.keys[parameters_.newest()] = 0;
    // The oldest place is now the newest.
    std::rotate(parts_.begin(), parts_.end() - 1, parts_.end());
    const MutableLineFilter newest = Newest();
    for (std::uint64_t i = 0; i < newest.count; ++i) {
      std::memset(newest.lines + i * newest.stride, 0, kLineBytes);
    }
    return Status::Ok();
  }
  unsigned generations() const noexcept override {
    return parameters_.generations();
  }
  std::uint64_t rotations() const noexcept override {
    return parameters_.rotations;
  }
  std::uint64_t generation_keys(unsigned age) const noexcept override {
    const unsigned count = parameters_.generations();
    if (age >= count) return 0;
    return parameters_.keys[(parameters_.newest() + count - age) % count];
  }
  bool NewestMayContain(Slice key) const noexcept override {
    return CheckParts({&parts_.front(), 1}, LineHash(key, parameters_.seed));
  }

 private:
  MutableLineFilter Newest() noexcept {
    return parameters_.GenerationAt(memory_.bytes.get(), parameters_.newest());
  }
  // Inserts into the newest, even if older ones contain the key: that renews
  // it.
  void InsertPrefetched(std::span<const std::uint64_t> hashes) noexcept {
    parameters_.keys[parameters_.newest()] +=
        MarkNewPrefetched(Newest(), hashes);
  }

  RotatingParameters parameters_;
  BloomPayload memory_;
  std::vector<LineFilter> parts_;  // the newest first
};

class RotatingPolicy final : public LinePartsPolicy<RotatingParameters> {
 public:
  // REQUIRES: `sizing` is that of one generation, and has no rate
  RotatingPolicy(const BloomSizing& sizing, unsigned generations,
                 std::uint64_t seed)
      : LinePartsPolicy(seed), sizing_(sizing), generations_(generations) {}

  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return OpenTamisRotating(bytes);
  }
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    const double of_one = BlockedRate({.kind = BlockKind::kLine,
                                       .blocks = LinesFor(planned_keys),
                                       .probes = Probes()},
                                      keys);
    return -std::expm1(generations_ * std::log1p(-of_one));
  }

  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    Result<std::unique_ptr<RotatingFilter>> filter = NewRotating(planned_keys);
    if (!filter.ok()) return filter.status();
    return std::unique_ptr<MutableFilter>(*std::move(filter));
  }
  Result<std::unique_ptr<RotatingFilter>> NewRotating(
      std::uint64_t planned_keys) const {
    RotatingParameters parameters = Plan(planned_keys);
    if (Status fits = CheckPlan(parameters); !fits.ok()) return fits;
    Result<BloomPayload> memory = NewBloomPayload(parameters.LineBytes());
    if (!memory.ok()) return memory.status();
    return std::unique_ptr<RotatingFilter>(std::make_unique<RotatingInMemory>(
        std::move(parameters), *std::move(memory)));
  }

 private:
  std::uint64_t LinesFor(std::uint64_t keys) const noexcept {
    const std::uint64_t bits =
        sizing_.bits != 0 ? sizing_.bits
                          : BloomBitsAt(std::max<std::uint64_t>(keys, 1),
                                        sizing_.bits_per_key);
    return (bits + kLineBits - 1) / kLineBits;
  }
  unsigned Probes() const noexcept {
    return sizing_.probes != 0 ? sizing_.probes
                               : BestLineProbes(sizing_.bits_per_key);
  }
  RotatingParameters Plan(std::uint64_t keys) const override {
    RotatingParameters parameters;
    parameters.seed = seed();
    parameters.lines = LinesFor(keys);
    parameters.probes = Probes();
    parameters.keys.resize(generations_);
    return parameters;
  }
  Status CheckPlan(const RotatingParameters& parameters) const override {
    if (parameters.lines <=
        kMaxBloomBits / kLineBits / parameters.generations()) {
      return Status::Ok();
    }
    return Status::InvalidArgument(
        "rotating: more than 2^62 bits; plan for fewer keys or fewer bits per "
        "key");
  }

  BloomSizing sizing_;
  unsigned generations_;
};

Result<std::unique_ptr<const RotatingPolicy>> MakeRotatingPolicy(
    const RotatingSettings& settings, std::uint64_t seed) {
  const unsigned generations = settings.generations;
  if (generations < kMinGenerations || generations > kMaxGenerations) {
    return Status::InvalidArgument("rotating: from 2 to 64 generations, not " +
                                   std::to_string(generations));
  }
  BloomSizing sizing = settings.sizing;
  if (sizing.probes > kMaxLineProbes) {
    return Status::InvalidArgument("rotating: cannot make " +
                                   std::to_string(sizing.probes) +
                                   " probes per key");
  }
  if (sizing.rate > 0) {
    // All generations are right with probability 1 - rate: each with the root
    // of that.
    const double share = -std::expm1(std::log1p(-sizing.rate) / generations);
    sizing.rate = 0;
    sizing.bits_per_key = LineBitsPerKey(share);
    if (!(sizing.bits_per_key > 0)) {
      return Status::InvalidArgument(
          "rotating: no size has so low a rate of false positives");
    }
  }
  return std::make_unique<const RotatingPolicy>(sizing, generations, seed);
}

}  // namespace

Result<std::unique_ptr<const FilterPolicy>> NewTamisRotatingPolicy(
    const RotatingSettings& settings, std::uint64_t seed) {
  auto policy = MakeRotatingPolicy(settings, seed);
  if (!policy.ok()) return policy.status();
  return std::unique_ptr<const FilterPolicy>(*std::move(policy));
}

Result<std::unique_ptr<RotatingFilter>> NewTamisRotating(
    const RotatingSettings& settings, std::uint64_t seed,
    std::uint64_t planned_keys) {
  auto policy = MakeRotatingPolicy(settings, seed);
  if (!policy.ok()) return policy.status();
  return policy->NewRotating(planned_keys);
}

Result<std::unique_ptr<const FilterReader>> OpenTamisRotating(Slice bytes) {
  Result<ParsedRotating> parsed = ParseRotating(bytes);
  if (!parsed.ok()) return parsed.status();
  if (!parsed->always_maybe.empty()) {
    return NewAlwaysMaybe("tamis", parsed->always_maybe);
  }
  auto parts = GenerationsOf(parsed->parameters, BytesOf(parsed->lines));
  return std::unique_ptr<const FilterReader>(
      std::make_unique<LinePartsReader<RotatingParameters>>(
          std::move(parsed->parameters), std::move(parts)));
}

Result<std::unique_ptr<RotatingFilter>> LoadTamisRotating(Slice bytes) {
  Result<ParsedRotating> parsed = ParseRotating(bytes);
  if (!parsed.ok()) return parsed.status();
  if (!parsed->always_maybe.empty()) {
    return Status::NotSupported("rotating: " + parsed->always_maybe);
  }
  Result<BloomPayload> memory = CopyBloomPayload(parsed->lines);
  if (!memory.ok()) return memory.status();
  return std::unique_ptr<RotatingFilter>(std::make_unique<RotatingInMemory>(
      std::move(parsed->parameters), *std::move(memory)));
}

}  // namespace tamis
