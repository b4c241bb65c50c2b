// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/scalable.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/no_throw.h"
#include "filters/batch_loop.h"
#include "filters/bloom/line_bloom.h"
#include "filters/bloom/line_filter.h"
#include "formats/always_maybe.h"
#include "formats/bloom_mutable.h"
#include "formats/tamis/container.h"
#include "formats/tamis/line_parts_policy.h"
#include "formats/tamis/line_view.h"
#include "math/blocked_bloom.h"

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

std::size_t PartTableBytes(std::size_t parts) noexcept {
  const std::size_t used = kRowsAt + parts * kRowBytes;
  return (used + kLineBytes - 1) / kLineBytes * kLineBytes;
}

std::string WhyScalableIsReserved(const TamisHeader& header) {
  std::string reason = WhyUnreadable(header, TamisKind::kScalable);
  if (!reason.empty()) return reason;
  if (header.parameter_a == 0 || header.parameter_a > kMaxScalableParts ||
      header.parameter_b != 0) {
    return "its parameters are reserved";
  }
  return {};
}

struct ParsedScalable {
  ScalableParameters parameters;
  std::vector<Slice> lines;  // of each part, according to its parameters
  std::string always_maybe;  // not empty: reserved (says why); nothing else is
                             // set
};

// REQUIRES: `table` is as long as PartTableBytes() says
std::string WhyTableIsReserved(Slice table, std::size_t parts) {
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

// Reads the table, and assigns the lines to parts.  REQUIRES: nothing is
// reserved
Status ReadTable(const TamisContents& contents, ParsedScalable* parsed) {
  const std::size_t parts = contents.header.parameter_a;
  const char* table = contents.payload.data();
  ScalableParameters& parameters = parsed->parameters;
  parameters.seed = contents.header.seed;
  parameters.start.share =
      std::bit_cast<double>(LoadLittle64(table + kShareAt));
  parameters.start.capacity = LoadLittle64(table + kCapacityAt);
  if (!(parameters.start.share > 0 && parameters.start.share < 1) ||
      parameters.start.capacity == 0) {
    return Status::Corruption("tamis: its first part is not valid");
  }
  Slice rest = contents.payload.substr(PartTableBytes(parts));
  for (std::size_t i = 0; i < parts; ++i) {
    const char* row = table + kRowsAt + i * kRowBytes;
    const ScalablePartParameters part = {
        .lines = LoadLittle64(row + kLinesOfRowAt),
        .keys = LoadLittle64(row + kKeysOfRowAt),
        .probes = LoadLittle32(row + kProbesOfRowAt)};
    if (part.lines == 0 || part.lines > rest.size() / kLineBytes) {
      return Status::Corruption("tamis: its payload does not fit its parts");
    }
    const auto bytes = static_cast<std::size_t>(part.lines) * kLineBytes;
    parameters.parts.push_back(part);
    parsed->lines.push_back(rest.substr(0, bytes));
    rest.remove_prefix(bytes);
  }
  if (!rest.empty() || parameters.lines() != contents.header.size_parameter) {
    return Status::Corruption("tamis: its payload does not fit its parts");
  }
  return Status::Ok();
}

// Corruption: damaged, or not valid in this format.
Result<ParsedScalable> ParseScalable(Slice bytes) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  ParsedScalable parsed;
  parsed.always_maybe = WhyScalableIsReserved(contents->header);
  if (!parsed.always_maybe.empty()) return parsed;
  const std::size_t parts = contents->header.parameter_a;
  if (contents->payload.size() < PartTableBytes(parts)) {
    return Status::Corruption("tamis: its payload does not fit its parts");
  }
  parsed.always_maybe = WhyTableIsReserved(
      contents->payload.substr(0, PartTableBytes(parts)), parts);
  if (!parsed.always_maybe.empty()) return parsed;
  if (Status read = ReadTable(*contents, &parsed); !read.ok()) return read;
  return parsed;
}

class ScalableMutable final : public MutableFilter {
 public:
  ScalableMutable(std::uint64_t seed, const ScalableStart& start) {
    parameters_.seed = seed;
    parameters_.start = start;
    parameters_.parts.reserve(kMaxScalableParts);
    memory_.reserve(kMaxScalableParts);
    parts_.reserve(kMaxScalableParts);
  }

  // Adds the next part.  FilterFull: there can be no more.  ResourceExhausted:
  // no memory.  On error the filter is as before.
  Status Grow() {
    return NoThrow([&] { return GrowOrThrow(); });
  }
  Status GrowOrThrow() {
    const auto i = static_cast<unsigned>(parameters_.parts.size());
    if (i == kMaxScalableParts) {
      return Status::FilterFull("scalable: it has 48 parts already");
    }
    const ScalablePart plan = PlanScalablePart(parameters_.start, i);
    if (plan.lines == 0 || plan.lines > kMaxBloomBits / kLineBits) {
      return Status::FilterFull(
          "scalable: its next part would be of no possible size");
    }
    return AddPart({.lines = plan.lines, .keys = 0, .probes = plan.probes}, {});
  }

  // Adds a part as it was saved, or an empty one if there are no `lines`.
  // REQUIRES: there are fewer than kMaxScalableParts
  Status AddPart(const ScalablePartParameters& parameters, Slice lines) {
    Result<BloomPayload> memory =
        NewBloomPayload(parameters.lines * kLineBytes);
    if (!memory.ok()) return memory.status();
    std::copy(lines.begin(), lines.end(), memory->bytes.get());
    parts_.insert(parts_.begin(), parameters.PartAt(memory->bytes.get()));
    const auto i = static_cast<unsigned>(parameters_.parts.size());
    parameters_.parts.push_back(parameters);
    memory_.push_back(*std::move(memory));
    newest_capacity_ = CapacityOfPart(parameters_.start, i);
    return Status::Ok();
  }

  Status Insert(Slice key) override {
    return InsertHash(LineHash(key, parameters_.seed));
  }
  Status InsertMany(std::span<const Slice> keys) override {
    Status inserted;  // the first failure; keys after it are left out
    ForEachPrepared<kPartsGroup>(
        keys,
        [this](Slice key) {
          return PrepareParts(parts_, parameters_.seed, key);
        },
        [&](std::size_t /*first*/, std::span<const std::uint64_t> hashes) {
          for (std::size_t i = 0; inserted.ok() && i < hashes.size(); ++i) {
            inserted = InsertHash(hashes[i]);
          }
        });
    return inserted;
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
    const auto fill = [&](unsigned char* lines) {
      for (const BloomPayload& part : memory_) {
        part.CopyTo(lines);
        lines += part.size;
      }
    };
    return AppendLineParts(parameters_, fill, dst);
  }

 private:
  Status InsertHash(std::uint64_t hash) {
    if (CheckParts(parts_, hash)) return Status::Ok();
    if (parameters_.parts.back().keys >= newest_capacity_) {
      if (Status grown = Grow(); !grown.ok()) return grown;
    }
    ScalablePartParameters& newest = parameters_.parts.back();
    newest.PartAt(memory_.back().bytes.get()).Mark(hash);
    ++newest.keys;
    return Status::Ok();
  }

  ScalableParameters parameters_;
  std::vector<BloomPayload>
      memory_;                     // the oldest part first, as in parameters_
  std::vector<LineFilter> parts_;  // the newest first
  std::uint64_t newest_capacity_ = 0;
};

class ScalablePolicy final : public LinePartsPolicy<ScalableParameters> {
 public:
  ScalablePolicy(double first_share, std::uint64_t seed)
      : LinePartsPolicy(seed), share_(first_share) {}

  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return OpenTamisScalable(bytes);
  }
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    try {
      return ScalableRate(StartScalable(share_, planned_keys), keys);
    } catch (const std::bad_alloc&) {
      return 1.0;  // nothing is promised
    }
  }

  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    const ScalableParameters parameters = Plan(planned_keys);
    if (Status fits = CheckPlan(parameters); !fits.ok()) return fits;
    auto filter = std::make_unique<ScalableMutable>(seed(), parameters.start);
    if (Status room = filter->Grow(); !room.ok()) return room;
    return std::unique_ptr<MutableFilter>(std::move(filter));
  }

 private:
  ScalableParameters Plan(std::uint64_t planned_keys) const override {
    ScalableParameters parameters;
    parameters.seed = seed();
    parameters.start = StartScalable(share_, planned_keys);
    const ScalablePart plan = PlanScalablePart(parameters.start, 0);
    parameters.parts.push_back({.lines = plan.lines, .probes = plan.probes});
    return parameters;
  }
  Status CheckPlan(const ScalableParameters& parameters) const override {
    if (parameters.lines() <= kMaxBloomBits / kLineBits) return Status::Ok();
    return Status::InvalidArgument(
        "scalable: more than 2^62 bits; plan for fewer keys");
  }

  double share_;
};

// Returns the rate of many lines at that many bits per key.
double RateAtBits(double bits_per_key) noexcept {
  constexpr std::uint64_t kManyLines = std::uint64_t{1} << 32;
  // So many keys set every bit.
  constexpr double kPlentyOfKeys = 1e18;
  const double keys =
      std::min(static_cast<double>(kManyLines * kLineBits) / bits_per_key,
               kPlentyOfKeys);
  return BlockedRate({.kind = BlockKind::kLine,
                      .blocks = kManyLines,
                      .probes = BestLineProbes(bits_per_key)},
                     static_cast<std::uint64_t>(keys));
}

}  // namespace

std::uint64_t ScalableParameters::lines() const noexcept {
  std::uint64_t sum = 0;
  for (const ScalablePartParameters& part : parts) sum += part.lines;
  return sum;
}
std::uint64_t ScalableParameters::all_keys() const noexcept {
  std::uint64_t sum = 0;
  for (const ScalablePartParameters& part : parts) sum += part.keys;
  return sum;
}
std::size_t ScalableParameters::LinesAt() const noexcept {
  return kTamisHeaderBytes + PartTableBytes(parts.size());
}
std::uint64_t ScalableParameters::LineBytes() const noexcept {
  return lines() * kLineBytes;
}
std::uint64_t ScalableParameters::TotalBytes() const noexcept {
  return LinesAt() + LineBytes();
}

void ScalableParameters::Seal(std::span<char> whole) const noexcept {
  char* table = whole.data() + kTamisHeaderBytes;
  StoreLittle(table + kShareAt, std::bit_cast<std::uint64_t>(start.share));
  StoreLittle(table + kCapacityAt, start.capacity);
  char* row = table + kRowsAt;
  for (const ScalablePartParameters& part : parts) {
    StoreLittle(row + kLinesOfRowAt, part.lines);
    StoreLittle(row + kKeysOfRowAt, part.keys);
    StoreLittle(row + kProbesOfRowAt, std::uint32_t{part.probes});
    row += kRowBytes;
  }
  TamisHeader header = NewTamisHeader(TamisKind::kScalable, seed, all_keys());
  header.size_parameter = lines();
  header.parameter_a = static_cast<std::uint32_t>(parts.size());
  SealTamis(whole, header);
}

Result<std::unique_ptr<const FilterPolicy>> NewTamisScalablePolicy(
    const BloomSizing& sizing, std::uint64_t seed) {
  if (sizing.bits != 0 || sizing.probes != 0) {
    return Status::InvalidArgument(
        "scalable: it chooses sizes and probes as it grows; give fpr, or the "
        "bits per key that it starts with");
  }
  const double share = sizing.bits_per_key > 0 ? RateAtBits(sizing.bits_per_key)
                                               : FirstShareOfRate(sizing.rate);
  const double last_share =
      share * std::pow(kScalableTightening, kMaxScalableParts - 1);
  if (!(share < 1) || !(last_share > 0) || !(LineBitsPerKey(last_share) > 0)) {
    return Status::InvalidArgument(
        "scalable: no sizes of its parts have that rate of false positives");
  }
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<ScalablePolicy>(share, seed));
}

Result<std::unique_ptr<const FilterReader>> OpenTamisScalable(Slice bytes) {
  Result<ParsedScalable> parsed = ParseScalable(bytes);
  if (!parsed.ok()) return parsed.status();
  if (!parsed->always_maybe.empty()) {
    return NewAlwaysMaybe("tamis", parsed->always_maybe);
  }
  // The newest first: it may have more keys than all others together.
  std::vector<LineFilter> parts;
  for (std::size_t i = parsed->lines.size(); i-- > 0;) {
    parts.push_back(
        parsed->parameters.parts[i].PartAt(BytesOf(parsed->lines[i])));
  }
  return std::unique_ptr<const FilterReader>(
      std::make_unique<LinePartsReader<ScalableParameters>>(
          std::move(parsed->parameters), std::move(parts)));
}

Result<std::unique_ptr<MutableFilter>> LoadTamisScalable(Slice bytes) {
  Result<ParsedScalable> parsed = ParseScalable(bytes);
  if (!parsed.ok()) return parsed.status();
  if (!parsed->always_maybe.empty()) {
    return Status::NotSupported("scalable: " + parsed->always_maybe);
  }
  const ScalableParameters& parameters = parsed->parameters;
  auto filter =
      std::make_unique<ScalableMutable>(parameters.seed, parameters.start);
  for (std::size_t i = 0; i < parameters.parts.size(); ++i) {
    Status room = filter->AddPart(parameters.parts[i], parsed->lines[i]);
    if (!room.ok()) return room;
  }
  return std::unique_ptr<MutableFilter>(std::move(filter));
}

}  // namespace tamis
