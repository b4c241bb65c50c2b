// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/range.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/append_zeros.h"
#include "base/no_throw.h"
#include "filters/range/build.h"
#include "filters/range/code_groups.h"
#include "filters/range/key_code.h"
#include "filters/range/new_keys.h"
#include "formats/always_maybe.h"
#include "formats/tamis/container.h"

namespace tamis {
namespace {

constexpr double kMinBits = 3;
constexpr double kMaxBits = 32;
constexpr std::uint64_t kMaxKeys = 0xffffffff;

// A filter with a higher rate is not worth its memory, and is not written.  Of
// fewer keys, too little is known.
constexpr double kMaxRate = 0.5;
constexpr std::size_t kMinJudgedKeys = 1024;

// What the record of few keys takes beside their bits.
constexpr double kFewKeysBits = 8.0 * (kGroupBytes + 16) + 1;

// size_parameter: codes in the lower half, groups in the upper.
// parameter a, from its lowest bit on: low bits (8), high values (16).
// parameter b: the rate times 2^32 - 1.
constexpr unsigned kLowBitsBits = 8;
constexpr double kRateUnits = 4294967295.0;

CodeGroups::Layout LayoutIn(const TamisHeader& header) noexcept {
  return {.shape = {.low_bits = header.parameter_a & 0xff,
                    .highs = header.parameter_a >> kLowBitsBits},
          .groups = header.size_parameter >> 32,
          .codes = header.size_parameter & 0xffffffff};
}

// The bits of a code: the low ones, and the one that is set for the high ones.
unsigned ProbesOf(const CellShape& shape) noexcept {
  return shape.low_bits + 1;
}

// Returns whether no writer of this version writes such a header.
bool IsReserved(const TamisHeader& header, Slice payload) noexcept {
  const CodeGroups::Layout layout = LayoutIn(header);
  return layout.shape.low_bits > kMaxLowBits || layout.shape.highs > 0xffff ||
         header.seed != 0 || KeyCode::IsReserved(payload);
}

class RangeReader final : public FilterReader {
 public:
  RangeReader(const TamisHeader& header, Slice payload, const KeyCode& code,
              CodeGroups groups)
      : header_(header),
        payload_(payload),
        code_(code),
        groups_(std::move(groups)) {}

  bool MayContain(Slice key) const noexcept override {
    return MayContainRange(key, key);
  }
  bool MayContainRange(Slice lo, Slice hi) const noexcept override {
    // Ends in the wrong order are a mistake, which must not hide a key.
    if (hi < lo) return true;
    const KeyCode::Ends ends = code_.EndsOf(lo, hi);
    return !ends.empty && groups_.MayContain(ends.lo, ends.hi);
  }

  bool SkipForward(Slice from, std::string* to) const override {
    const std::optional<std::uint64_t> code = code_.LowEndOf(from);
    if (!code) return false;
    const std::optional<std::uint64_t> next = groups_.SkipForward(*code);
    if (!next) return false;
    // The common case, which is tested first, has a cell with a key here.
    if ((*next == *code && *code != 0) ||
        !code_.FirstKeyWith(*next, KeyCode::Rounding::kDown, to) ||
        Slice(*to) < from) {
      to->assign(from);
    }
    return true;
  }
  bool SkipBackward(Slice from, std::string* to) const override {
    const std::optional<std::uint64_t> code = code_.HighEndOf(from);
    if (!code) return false;
    const std::optional<std::uint64_t> last = groups_.SkipBackward(*code);
    if (!last) return false;
    // The first string of a greater code is greater than these keys.
    if (*last == *code ||
        !code_.FirstKeyWith(*last + 1, KeyCode::Rounding::kUp, to) ||
        from < Slice(*to)) {
      to->assign(from);
    }
    return true;
  }

  FilterInfo Describe() const override {
    FilterInfo info;
    info.format = "tamis";
    info.kind = "range";
    info.hash = "none";
    info.bits = 8 * payload_.size();
    for (const char c : payload_) {
      info.set_bits +=
          static_cast<unsigned>(std::popcount(static_cast<unsigned char>(c)));
    }
    if (LayoutIn(header_).codes == 0) info.kind = "empty";
    info.probes = ProbesOf(LayoutIn(header_).shape);
    info.rate = header_.parameter_b / kRateUnits;
    if (header_.keys != kTamisKeysUnknown) info.keys = header_.keys;
    return info;
  }

 private:
  TamisHeader header_;
  Slice payload_;
  KeyCode code_;
  CodeGroups groups_;
};

// Keeps all keys: their order must be known before the first is written.
class RangeBuilder final : public FilterBuilder {
 public:
  RangeBuilder(double bits_per_key, const BuildOptions& options)
      : bits_per_key_(bits_per_key), options_(options) {}

  void Add(Slice key) override {
    if (!status_.ok()) return;
    status_ = NoThrow([&] { return Keep(key); });
    if (!status_.ok()) Forget();
  }

  Status Finish(std::string* dst) override {
    if (!status_.ok()) return std::move(status_);
    Status appended = NoThrowAppending(dst, [&] { return Append(dst); });
    Forget();
    return appended;
  }

  std::optional<std::uint64_t> counted_keys() const override {
    return counted_;
  }

 private:
  // What a key takes beside its bytes: its end, and in Finish() its Slice and
  // its code.
  static constexpr std::uint64_t kBytesPerKey = 8 + sizeof(Slice) + 8;

  Status Keep(Slice key) {
    const std::uint64_t bytes =
        bytes_.size() + key.size() + (ends_.size() + 1) * kBytesPerKey;
    if (options_.memory_bytes != 0 && bytes > options_.memory_bytes) {
      return Status::ResourceExhausted(
          "range: all keys must be in memory, which exceeds the limit of " +
          std::to_string(options_.memory_bytes) + " bytes; raise it");
    }
    if (ascending_ && !ends_.empty()) {
      const int order = KeyAt(ends_.size() - 1).compare(key);
      if (order == 0) return Status::Ok();
      ascending_ = order < 0;
    }
    bytes_.append(key);
    ends_.push_back(bytes_.size());
    return Status::Ok();
  }

  Slice KeyAt(std::size_t i) const noexcept {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return Slice(bytes_).substr(begin, ends_[i] - begin);
  }

  void Forget() noexcept {
    bytes_ = {};
    ends_ = {};
  }

  std::vector<Slice> SortedKeys() const {
    std::vector<Slice> keys;
    keys.reserve(ends_.size());
    for (std::size_t i = 0; i < ends_.size(); ++i) keys.push_back(KeyAt(i));
    if (ascending_) return keys;
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
  }

  void Report(double done) const {
    if (options_.progress) options_.progress(done);
  }

  Status Append(std::string* dst) {
    Report(0);
    const std::vector<Slice> keys = SortedKeys();
    if (keys.size() > kMaxKeys) {
      return Status::InvalidArgument("range: more than 2^32 - 1 keys");
    }
    Report(0.5);
    RangeParts parts = BuildRange(keys, bits_per_key_);
    const std::size_t start = dst->size();
    const std::uint64_t groups =
        CodeGroupsBytes(parts.shape, parts.starts.size(), parts.codes.size());
    Status room =
        AppendZeros(dst, kTamisHeaderBytes + parts.code.size() + groups);
    if (!room.ok()) return room;
    char* payload = dst->data() + start + kTamisHeaderBytes;
    std::copy(parts.code.begin(), parts.code.end(), payload);
    WriteCodeGroups(parts.shape, parts.codes, parts.starts,
                    payload + parts.code.size());
    parts.rate = std::max(
        parts.rate,
        TriedRate(parts, keys, Slice(payload + parts.code.size(), groups)));
    if (keys.size() >= kMinJudgedKeys && parts.rate > kMaxRate) {
      return Status::NotSupported(
          "range: at this size the filter would answer \"maybe\" to " +
          std::to_string(std::lround(100 * parts.rate)) +
          " % of the ranges between these keys; take more bits per key, or "
          "another kind");
    }
    SealTamis({dst->data() + start, dst->size() - start},
              HeaderOf(parts, keys.size()));
    counted_ = keys.size();
    Report(1);
    return Status::Ok();
  }

  static double TriedRate(const RangeParts& parts, std::span<const Slice> keys,
                          Slice groups) {
    const std::optional<KeyCode> code = KeyCode::Parse(parts.code);
    const std::optional<CodeGroups> opened = CodeGroups::Parse(
        {parts.shape, parts.starts.size(), parts.codes.size()}, groups);
    return code && opened ? RateBetween(keys, *code, *opened) : 1;
  }

  static TamisHeader HeaderOf(const RangeParts& parts, std::uint64_t keys) {
    TamisHeader header = NewTamisHeader(TamisKind::kRange, 0, keys);
    header.size_parameter =
        std::uint64_t{parts.starts.size()} << 32 | parts.codes.size();
    header.parameter_a = parts.shape.low_bits | parts.shape.highs
                                                    << kLowBitsBits;
    header.parameter_b =
        static_cast<std::uint32_t>(std::llround(parts.rate * kRateUnits));
    return header;
  }

  double bits_per_key_;
  BuildOptions options_;
  std::string bytes_;
  std::vector<std::uint64_t> ends_;
  bool ascending_ = true;  // without repeats
  Status status_;
  std::optional<std::uint64_t> counted_;
};

class TamisRangePolicy final : public FilterPolicy {
 public:
  explicit TamisRangePolicy(double bits_per_key)
      : bits_per_key_(bits_per_key) {}

  std::string_view name() const noexcept override { return kTamisFilterName; }

  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options) const override {
    return std::make_unique<RangeBuilder>(bits_per_key_, options);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return OpenTamisRange(bytes);
  }

  // For keys that the code spreads evenly: others need more, or err more.
  Estimate Predict(std::uint64_t keys) const noexcept override {
    try {
      return PredictOrThrow(keys);
    } catch (const std::bad_alloc&) {
      return {.status = OutOfMemory()};
    }
  }
  double RateAt(std::uint64_t /*planned_keys*/,
                std::uint64_t keys) const noexcept override {
    if (keys == 0) return 0;
    // A key of even spread is in the cell of another with this chance.
    return 1 - std::exp(-1 / ShapeFor(keys).cells_per_code());
  }

 private:
  Estimate PredictOrThrow(std::uint64_t keys) const {
    if (keys > kMaxKeys) {
      return {.status =
                  Status::InvalidArgument("range: more than 2^32 - 1 keys")};
    }
    const double bits = bits_per_key_ * static_cast<double>(keys);
    Estimate estimate;
    estimate.bits = static_cast<std::uint64_t>(std::ceil(bits));
    estimate.bytes = kTamisHeaderBytes + (estimate.bits + 7) / 8;
    estimate.probes = ProbesOf(ShapeFor(keys));
    estimate.false_positive_rate = RateAt(keys, keys);
    return estimate;
  }

  CellShape ShapeFor(std::uint64_t keys) const noexcept {
    const std::uint64_t groups = (keys + kMaxGroupCodes - 1) / kMaxGroupCodes;
    double bits = bits_per_key_ * static_cast<double>(keys);
    if (keys < kMaxGroupCodes) bits += kFewKeysBits;
    return CellsFor(bits, groups, keys);
  }

  double bits_per_key_;
};

}  // namespace

Result<std::unique_ptr<const FilterReader>> OpenTamisRange(Slice bytes) {
  std::uint64_t prepared_bytes = 0;
  return OpenTamisRange(bytes, &prepared_bytes);
}

Result<std::unique_ptr<const FilterReader>> OpenTamisRange(
    Slice bytes, std::uint64_t* prepared_bytes) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  const TamisHeader& header = contents->header;
  std::string reason = WhyUnreadable(header, TamisKind::kRange);
  if (reason.empty() && IsReserved(header, contents->payload)) {
    reason = "its parameters are reserved";
  }
  if (!reason.empty()) return NewAlwaysMaybe("tamis", reason);
  const Status wrong =
      Status::Corruption("tamis: its payload is not that of a range filter");
  const std::optional<KeyCode> code = KeyCode::Parse(contents->payload);
  if (!code) return wrong;
  std::optional<CodeGroups> groups = CodeGroups::Parse(
      LayoutIn(header), contents->payload.substr(code->size()));
  if (!groups) return wrong;
  *prepared_bytes = code->prepared_bytes() + groups->prepared_bytes();
  return std::unique_ptr<const FilterReader>(std::make_unique<RangeReader>(
      header, contents->payload, *code, *std::move(groups)));
}

Result<std::unique_ptr<const FilterPolicy>> NewTamisRangePolicy(
    const BloomSizing& sizing) {
  const double bits = sizing.bits_per_key;
  if (sizing.bits != 0 || sizing.probes != 0 || sizing.rate > 0 ||
      !(bits >= kMinBits) || !(bits <= kMaxBits)) {
    return Status::InvalidArgument(
        "range: takes 3 to 32 bits per key and no other size: its rate depends "
        "on the keys");
  }
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<TamisRangePolicy>(bits));
}

}  // namespace tamis
