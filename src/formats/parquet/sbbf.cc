// SPDX-License-Identifier: Apache-2.0
#include "formats/parquet/sbbf.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/no_throw.h"
#include "formats/blocked_engine.h"
#include "formats/bloom_policy.h"
#include "formats/parquet/header.h"
#include "hash/murmur3.h"
#include "hash/xxhash.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

constexpr std::string_view kSpecName = "parquet";
constexpr std::uint32_t kObsoleteSeed = 1361930890;
constexpr std::uint64_t kTooManyBits = std::uint64_t{1} << 63;

// Parquet's rule for a rate.  It ignores that some blocks get more keys than
// others; rounding up to a power of two mostly makes up for that.  Truncated,
// not rounded, as Parquet does.
std::uint64_t BitsForRate(std::uint64_t keys, double rate) noexcept {
  const double bits = -8 * static_cast<double>(keys) /
                      std::log1p(-std::pow(rate, 1.0 / kSplitBlockWords));
  if (!(bits < static_cast<double>(kTooManyBits))) return kTooManyBits;
  return static_cast<std::uint64_t>(bits);
}

// The bits alone.  The header has no fixed size, so ParquetPolicy prepends it
// to what the templates make of this.
class ParquetBits {
 public:
  using Hash = std::uint64_t;
  using Engine = BlockedEngine<ParquetBits>;
  using Shape = SplitBlockShape;
  static constexpr std::string_view kKindName = "splitblock";
  static constexpr BlockKind kBlockKind = BlockKind::kSplit;
  static constexpr std::size_t kHeaderBytes = 0;
  static constexpr std::size_t kTrailerBytes = 0;
  // Sized by distinct values.
  static constexpr auto kRepeats = CountedRepeats::kNone;
  static constexpr bool kHasSeed = false;

  ParquetBits() = default;  // for reading, which needs no size
  explicit ParquetBits(const BloomSizing& sizing) : sizing_(sizing) {}

  std::string_view policy_name() const noexcept { return kParquetFilterName; }
  std::string spec_name() const { return std::string(kSpecName); }
  std::string_view hash_name() const noexcept { return "xxh64"; }

  Hash HashOf(Slice key, std::uint64_t /*seed*/) const noexcept {
    return Xxh64(key);
  }
  Shape ShapeOf(const BloomParameters& /*parameters*/) const noexcept {
    return {};
  }
  // REQUIRES: blocks < 2^32
  std::uint64_t BlockOf(Hash hash, std::uint64_t blocks) const noexcept {
    return ((hash >> 32) * blocks) >> 32;
  }

  BloomParameters Plan(std::uint64_t keys) const noexcept {
    BloomParameters parameters;
    parameters.probes = sizing_.probes != 0 ? sizing_.probes : kSplitBlockWords;
    if (sizing_.bits != 0) {
      parameters.bits = (sizing_.bits + kSplitBlockBits - 1) / kSplitBlockBits *
                        kSplitBlockBits;
      return parameters;
    }
    const std::uint64_t least = sizing_.rate > 0
                                    ? BitsForRate(keys, sizing_.rate)
                                    : BloomBitsAt(keys, sizing_.bits_per_key);
    parameters.bits = std::bit_ceil(std::max(least, kSplitBlockBits));
    return parameters;
  }
  Status CheckPlan(const BloomParameters& parameters) const {
    if (parameters.probes != kSplitBlockWords) {
      return Status::InvalidArgument(
          "parquet: a key has 8 probes, no more and no fewer");
    }
    if (PayloadBytes(parameters.bits) > kMaxParquetBytes) {
      return Status::InvalidArgument(
          "parquet: more than 128 MiB, the format's limit; plan for fewer "
          "keys or fewer bits per key");
    }
    return Status::Ok();
  }
  std::uint64_t PayloadBytes(std::uint64_t bits) const noexcept {
    return bits / 8;
  }
  double Rate(const BloomParameters& parameters,
              std::uint64_t keys) const noexcept {
    return BlockedRate({.kind = kBlockKind,
                        .blocks = parameters.bits / kSplitBlockBits,
                        .probes = parameters.probes},
                       keys);
  }

  void Seal(std::span<char> /*whole*/,
            const BloomParameters& /*parameters*/) const noexcept {}

  // REQUIRES: CheckParquetBitset() is ok
  Result<ParsedBloom> Parse(Slice bits) const {
    ParsedBloom parsed;
    parsed.payload = bits;
    parsed.parameters.bits = std::uint64_t{bits.size()} * 8;
    parsed.parameters.probes = kSplitBlockWords;
    return parsed;
  }

 private:
  BloomSizing sizing_;
};

// The format for readers of the obsolete form: another hash, and a mask where
// the later form multiplies.
class ObsoleteParquetBits {
 public:
  using Hash = std::uint64_t;
  using Engine = BlockedEngine<ObsoleteParquetBits>;
  using Shape = SplitBlockShape;
  static constexpr std::string_view kKindName = ParquetBits::kKindName;
  static constexpr BlockKind kBlockKind = ParquetBits::kBlockKind;
  static constexpr bool kHasSeed = false;

  std::string spec_name() const { return std::string(kSpecName); }
  std::string_view hash_name() const noexcept { return "murmur3 (parquet)"; }

  Hash HashOf(Slice key, std::uint64_t /*seed*/) const noexcept {
    return Murmur3(key, kObsoleteSeed).h1;
  }
  Shape ShapeOf(const BloomParameters& /*parameters*/) const noexcept {
    return {};
  }
  // REQUIRES: blocks is a power of two
  std::uint64_t BlockOf(Hash hash, std::uint64_t blocks) const noexcept {
    return (hash >> 32) & (blocks - 1);
  }
};

// A whole filter, parsed and checked.
struct ParsedParquet {
  bool obsolete = false;
  ParsedBloom bloom;
};

Result<ParsedParquet> ParseParquet(Slice bytes) {
  ParsedParquet parsed;
  parsed.obsolete = IsObsoleteParquet(bytes);
  const Result<ParquetHeader> header = parsed.obsolete
                                           ? ParseObsoleteParquetHeader(bytes)
                                           : ParseParquetHeader(bytes);
  if (!header.ok()) return header.status();
  const Slice bits = bytes.substr(header->header_bytes);
  // If a Thrift header has unknown members, nothing else is known, not even the
  // size; the obsolete header is recognised by little more than its size.
  if (header->reserved.empty() || parsed.obsolete) {
    Status fits = CheckParquetBitset(*header, bits.size());
    if (!fits.ok()) return fits;
    if (bits.size() != static_cast<std::uint64_t>(header->bitset_bytes)) {
      return Status::Corruption("parquet: bytes follow the filter");
    }
  }
  Result<ParsedBloom> bloom = ParquetBits().Parse(bits);
  parsed.bloom = *std::move(bloom);
  parsed.bloom.always_maybe = header->reserved;
  return parsed;
}

// Appends space for the header of so many bytes of bits.
Status AppendHeader(std::string* dst, std::uint64_t bitset_bytes) {
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, ParquetHeaderBytes(bitset_bytes));
  if (room.ok()) StoreParquetHeader(dst->data() + start, bitset_bytes);
  return room;
}

class ParquetBuilder final : public FilterBuilder {
 public:
  ParquetBuilder(const ParquetBits& format, std::unique_ptr<FilterBuilder> bits)
      : format_(format), bits_(std::move(bits)) {}

  void Add(Slice key) override {
    bits_->Add(key);
    ++added_;
  }
  void AddMany(std::span<const Slice> keys) override {
    bits_->AddMany(keys);
    added_ += keys.size();
  }

  Status Finish(std::string* dst) override {
    return NoThrowAppending(dst, [&] { return Write(dst); });
  }
  std::optional<std::uint64_t> counted_keys() const override {
    return bits_->counted_keys();
  }

 private:
  Status Write(std::string* dst) {
    const std::size_t start = dst->size();
    // Only the inner builder knows how many of the keys count; if repeats make
    // the filter smaller than expected, the header may be shorter, too.
    const std::uint64_t expected = std::min(
        format_.PayloadBytes(format_.Plan(added_).bits), kMaxParquetBytes);
    Status done = AppendHeader(dst, expected);
    const std::size_t bits_at = dst->size();
    if (done.ok()) done = bits_->Finish(dst);
    if (!done.ok()) return done;
    const std::uint64_t actual = dst->size() - bits_at;
    if (actual != expected) {
      dst->erase(start, bits_at - start - ParquetHeaderBytes(actual));
      StoreParquetHeader(dst->data() + start, actual);
    }
    return Status::Ok();
  }

  ParquetBits format_;
  std::unique_ptr<FilterBuilder> bits_;
  std::uint64_t added_ = 0;
};

// A MutableFilter or ConcurrentFilter of the bits, saved with its header.
template <typename Growing>
class ParquetGrowing final : public Growing {
 public:
  ParquetGrowing(std::unique_ptr<Growing> bits, std::uint64_t bitset_bytes)
      : bits_(std::move(bits)), bitset_bytes_(bitset_bytes) {}

  Status Insert(Slice key) override { return bits_->Insert(key); }
  Status InsertMany(std::span<const Slice> keys) override {
    return bits_->InsertMany(keys);
  }
  bool MayContain(Slice key) const noexcept override {
    return bits_->MayContain(key);
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    bits_->MayContainMany(keys, out);
  }
  FilterInfo Describe() const override { return bits_->Describe(); }

  Status Save(std::string* dst) const override {
    return NoThrowAppending(dst, [&] {
      Status done = AppendHeader(dst, bitset_bytes_);
      return done.ok() ? bits_->Save(dst) : done;
    });
  }

 private:
  std::unique_ptr<Growing> bits_;
  std::uint64_t bitset_bytes_;
};

class ParquetPolicy final : public FilterPolicy {
 public:
  explicit ParquetPolicy(const BloomSizing& sizing)
      : format_(sizing), bits_(format_) {}

  std::string_view name() const noexcept override { return bits_.name(); }

  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options) const override {
    return std::make_unique<ParquetBuilder>(format_, bits_.NewBuilder(options));
  }

  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return OpenParquetFilter(bytes);
  }

  Estimate Predict(std::uint64_t keys) const noexcept override {
    Estimate estimate = bits_.Predict(keys);
    estimate.bytes +=
        ParquetHeaderBytes(std::min(estimate.bytes, kMaxParquetBytes));
    return estimate;
  }
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    return bits_.RateAt(planned_keys, keys);
  }

  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    return WithHeader(bits_.NewMutable(planned_keys), planned_keys);
  }
  Result<std::unique_ptr<ConcurrentFilter>> NewConcurrent(
      std::uint64_t planned_keys) const override {
    return WithHeader(bits_.NewConcurrent(planned_keys), planned_keys);
  }

  Status Combine(std::span<const Slice> filters, SetOperation operation,
                 std::string* dst) const override;

 private:
  template <typename Growing>
  Result<std::unique_ptr<Growing>> WithHeader(
      Result<std::unique_ptr<Growing>> bits, std::uint64_t planned_keys) const {
    if (!bits.ok()) return bits.status();
    // Planned like the bits themselves: for at least one key.
    const std::uint64_t planned = std::max<std::uint64_t>(planned_keys, 1);
    return std::unique_ptr<Growing>(std::make_unique<ParquetGrowing<Growing>>(
        *std::move(bits), bits_.Predict(planned).bytes));
  }

  ParquetBits format_;
  BloomPolicy<ParquetBits> bits_;
};

// Merging does not depend on the hash, so it works for both forms, but not for
// a mixture.
Status ParquetPolicy::Combine(std::span<const Slice> filters,
                              SetOperation operation, std::string* dst) const {
  std::vector<Slice> bits;
  bool obsolete = false;
  for (const Slice filter : filters) {
    const Result<ParsedParquet> parsed = ParseParquet(filter);
    if (!parsed.ok()) return parsed.status();
    Status fits = CheckMergeable(parsed->bloom, parsed->bloom);
    if (!fits.ok()) return fits;
    if (!bits.empty() && parsed->obsolete != obsolete) {
      return Status::InvalidArgument(
          "the filters differ in their hash function: xxh64 and murmur3; only "
          "filters of equal parameters can be combined");
    }
    obsolete = parsed->obsolete;
    bits.push_back(parsed->bloom.payload);
  }
  const std::size_t start = dst->size();
  const std::uint64_t size = bits.empty() ? 0 : bits.front().size();
  Status done = obsolete ? AppendZeros(dst, kObsoleteParquetHeaderBytes)
                         : AppendHeader(dst, size);
  if (done.ok() && obsolete) {
    StoreObsoleteParquetHeader(dst->data() + start, size);
  }
  if (done.ok()) done = bits_.Combine(bits, operation, dst);
  if (!done.ok()) dst->resize(start);
  return done;
}

}  // namespace

std::unique_ptr<const FilterPolicy> NewParquetPolicy(
    const BloomSizing& sizing) {
  return std::make_unique<ParquetPolicy>(sizing);
}

Result<std::unique_ptr<const FilterReader>> OpenParquetFilter(Slice bytes) {
  const Result<ParsedParquet> parsed = ParseParquet(bytes);
  if (!parsed.ok()) return parsed.status();
  const ParsedBloom& bloom = parsed->bloom;
  if (!bloom.always_maybe.empty()) {
    return NewAlwaysMaybe(std::string(kSpecName), bloom.always_maybe);
  }
  if (parsed->obsolete) {
    using Reader = BloomReader<ObsoleteParquetBits>;
    return std::unique_ptr<const FilterReader>(
        std::make_unique<Reader>(ObsoleteParquetBits(), bloom));
  }
  return std::unique_ptr<const FilterReader>(
      std::make_unique<BloomReader<ParquetBits>>(ParquetBits(), bloom));
}

}  // namespace tamis
