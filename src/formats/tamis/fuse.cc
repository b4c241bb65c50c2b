// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/fuse.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/append_zeros.h"
#include "base/no_throw.h"
#include "filters/batch_loop.h"
#include "filters/bloom/bit_array.h"
#include "filters/fuse/binary_fuse.h"
#include "formats/always_maybe.h"
#include "formats/taken_hash.h"
#include "formats/tamis/container.h"
#include "formats/tamis/fuse_payload.h"
#include "math/fuse_sizing.h"
#include "sort/hash_set.h"

namespace tamis {
namespace {

constexpr std::string_view kSpec = "tamis";

// So that no size in bits exceeds 64 bits.
constexpr std::uint64_t kMaxFuseKeys = std::uint64_t{1} << 56;

bool TakesCellBits(std::uint64_t bits) noexcept {
  return bits == 8 || bits == 16 || bits == 32;
}
bool TakesArity(std::uint64_t arity) noexcept {
  return arity == 3 || arity == 4;
}

template <typename Cell, unsigned kArity>
class FuseReader final : public FilterReader {
 public:
  // REQUIRES: `directory` comes from ParseFuseParts(), has parts, and may be
  // probed
  FuseReader(const TamisHeader& header, FuseDirectory directory)
      : header_(header),
        parts_(directory.offsets.size()),
        directory_(std::move(directory)) {}

  bool MayContain(Slice key) const noexcept override {
    return Check(QueryFor(key));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    CheckMany(keys, out);
  }
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return header_.seed;
  }
  bool MayContainHash(KeyHash hash) const noexcept override {
    return hash.seed != header_.seed || Check(QueryFor(hash.value));
  }
  void MayContainHashes(KeyHashes hashes,
                        std::span<bool> out) const noexcept override {
    if (hashes.seed == header_.seed) {
      CheckMany(hashes.values, out);
    } else {
      std::fill(out.begin(), out.end(), true);
    }
  }
  FilterInfo Describe() const override;

 private:
  static constexpr std::size_t kGroup = 32;

  // A key whose cells are being prefetched.
  struct Query {
    const unsigned char* cells;  // of its part; null: the part is a list
    std::uint64_t hash;
    FuseProbe<kArity> probe;
  };

  FusePart PartOf(std::uint64_t hash) const noexcept {
    return directory_.PartAt(
        static_cast<std::size_t>(FusePartOf(hash, parts_)));
  }
  // Key is a Slice, or the hash of one.
  template <typename Key>
  void CheckMany(std::span<const Key> keys,
                 std::span<bool> out) const noexcept {
    CheckBatch<kGroup>(
        keys, out.data(),
        [this](const Key& key) {
          const Query query = QueryFor(key);
          Prefetch(query);
          return query;
        },
        [this](const Query& query) { return Check(query); });
  }
  template <typename Key>
  Query QueryFor(const Key& key) const noexcept {
    Query query;
    query.hash = HashOrTake(key, header_.seed);
    const FusePart part = PartOf(query.hash);
    query.cells = part.is_list() ? nullptr : part.content;
    query.probe = FuseProbeFor<kArity>(FusePositionOf(query.hash, parts_),
                                       part.shape, part.seed);
    return query;
  }
  // A list is not worth prefetching: it exists only if hashes were forged.
  [[gnu::always_inline]] static void Prefetch(const Query& query) noexcept {
    if (query.cells == nullptr) return;
    for (const std::uint64_t slot : query.probe.slots) {
      __builtin_prefetch(query.cells + slot * sizeof(Cell), 0, 2);
    }
  }
  bool Check(const Query& query) const noexcept {
    if (query.cells == nullptr) {
      return FuseListHas(PartOf(query.hash), query.hash);
    }
    return FuseDifference<Cell>(query.cells, query.probe) == 0;
  }

  TamisHeader header_;
  std::uint64_t parts_;
  FuseDirectory directory_;
};

template <typename Cell, unsigned kArity>
FilterInfo FuseReader<Cell, kArity>::Describe() const {
  const Slice content = directory_.payload.substr(
      static_cast<std::size_t>(parts_) * kFuseEntryBytes);
  std::uint64_t lists = 0;
  for (std::size_t i = 0; i < parts_; ++i) {
    lists += directory_.PartAt(i).is_list() ? 1u : 0u;
  }
  FilterInfo info;
  info.format = kSpec;
  info.kind = "fuse" + std::to_string(header_.parameter_a);
  info.hash = "xxh3";
  info.bits = content.size() * 8;
  info.set_bits = CountSetBits(
      {reinterpret_cast<const unsigned char*>(content.data()), content.size()});
  info.probes = kArity;
  // A list gives a false positive only for an absent key of equal hash.
  info.rate = FuseRate(header_.parameter_a) *
              (1 - static_cast<double>(lists) / static_cast<double>(parts_));
  if (header_.keys != kTamisKeysUnknown) info.keys = header_.keys;
  info.seed = header_.seed;
  return info;
}

template <typename Cell>
std::unique_ptr<const FilterReader> NewReaderOf(const TamisHeader& header,
                                                FuseDirectory directory) {
  if (header.parameter_b == 3) {
    return std::make_unique<FuseReader<Cell, 3>>(header, std::move(directory));
  }
  return std::make_unique<FuseReader<Cell, 4>>(header, std::move(directory));
}

std::unique_ptr<const FilterReader> NewReader(const TamisHeader& header,
                                              FuseDirectory directory) {
  switch (header.parameter_a) {
    case 8:
      return NewReaderOf<std::uint8_t>(header, std::move(directory));
    case 16:
      return NewReaderOf<std::uint16_t>(header, std::move(directory));
    default:
      return NewReaderOf<std::uint32_t>(header, std::move(directory));
  }
}

std::string WhyAlwaysMaybe(const TamisHeader& header) {
  std::string reason = WhyUnreadable(header, TamisKind::kFuse);
  if (!reason.empty()) return reason;
  if (!TakesCellBits(header.parameter_a) || !TakesArity(header.parameter_b)) {
    return "its parameters are reserved";
  }
  return {};
}

// Each thread that solves a part takes up to some 50 MB: uses fewer threads if
// memory is short, and leaves the rest to the hashes.
BuildOptions OptionsFor(BuildOptions options) {
  constexpr std::uint64_t kPerThread = std::uint64_t{48} << 20;
  options.threads = std::max(1u, options.threads);
  if (options.memory_bytes == 0) return options;
  const std::uint64_t fit = options.memory_bytes / (2 * kPerThread);
  options.threads = static_cast<unsigned>(
      std::clamp<std::uint64_t>(options.threads, 1, fit + 1));
  const std::uint64_t solving = options.threads * kPerThread;
  options.memory_bytes =
      options.memory_bytes > solving ? options.memory_bytes - solving : 1;
  return options;
}

class FusePolicy final : public FilterPolicy {
 public:
  FusePolicy(const FuseSettings& settings, std::uint64_t seed)
      : settings_(settings), seed_(seed) {}

  std::string_view name() const noexcept override { return kTamisFilterName; }

  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options) const override {
    return std::make_unique<SolvedFilterBuilder>(
        seed_, OptionsFor(options),
        [settings = settings_](const HashedKeys& keys,
                               const BuildOptions& building, std::string* dst) {
          return AppendTamisFuse(keys, settings, building, dst);
        });
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return OpenTamisFuse(bytes);
  }

  Estimate Predict(std::uint64_t keys) const noexcept override {
    Estimate estimate;
    estimate.bytes = kTamisHeaderBytes;
    estimate.probes = settings_.arity;
    estimate.false_positive_rate = RateAt(keys, keys);
    if (keys == 0) return estimate;
    if (keys > kMaxFuseKeys) {
      estimate.status = NoThrow([] {
        return Status::InvalidArgument(
            "fuse: more than 2^56 keys; no filter can be so large");
      });
      keys = kMaxFuseKeys;
    }
    const std::uint64_t parts = FuseParts(keys);
    const std::uint64_t cells =
        parts *
        FuseCells(FusePartShape(keys, parts, settings_.arity), settings_.arity);
    estimate.bits = cells * settings_.cell_bits;
    estimate.bytes += parts * kFuseEntryBytes + estimate.bits / 8;
    return estimate;
  }

  // The rate is the same with few keys as with many.
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    if (planned_keys == 0 && keys == 0) return 0.0;
    return FuseRate(settings_.cell_bits);
  }

 private:
  FuseSettings settings_;
  std::uint64_t seed_;
};

}  // namespace

unsigned FuseCellBits(double rate) noexcept {
  for (const unsigned bits : {8u, 16u, 32u}) {
    if (FuseRate(bits) <= rate) return bits;
  }
  return 0;
}

unsigned FuseCellsFor(const BloomSizing& sizing) noexcept {
  if (sizing.rate > 0) return FuseCellBits(sizing.rate);
  const auto bits = static_cast<unsigned>(sizing.bits_per_key);
  return static_cast<double>(bits) == sizing.bits_per_key ? bits : 0;
}

Result<std::unique_ptr<const FilterReader>> OpenTamisFuse(Slice bytes) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  const TamisHeader& header = contents->header;
  if (std::string reason = WhyAlwaysMaybe(header); !reason.empty()) {
    return NewAlwaysMaybe(std::string(kSpec), std::move(reason));
  }
  if (header.size_parameter == 0) {
    if (header.keys == 0 && contents->payload.empty()) {
      return NewNoKeys(std::string(kSpec));
    }
    return Status::Corruption("tamis: it has keys, but no parts");
  }
  Result<FuseDirectory> directory = ParseFuseParts(
      contents->payload, header.size_parameter,
      {.cell_bits = header.parameter_a, .arity = header.parameter_b});
  if (!directory.ok()) return directory.status();
  if (!directory->always_maybe.empty()) {
    return NewAlwaysMaybe(std::string(kSpec), directory->always_maybe);
  }
  return NewReader(header, *std::move(directory));
}

Status AppendTamisFuse(const HashedKeys& keys, const FuseSettings& settings,
                       const BuildOptions& options, std::string* dst) {
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, kTamisHeaderBytes);
  if (!room.ok()) return room;
  FuseBuild build;
  build.settings = settings;
  build.progress = options.progress;
  build.threads = options.threads;
  Status written = AppendFusePayload(keys.hashes, build, dst);
  if (!written.ok()) return written;
  TamisHeader header =
      NewTamisHeader(TamisKind::kFuse, keys.seed, keys.hashes->size());
  header.size_parameter = FuseParts(keys.hashes->size());
  header.parameter_a = settings.cell_bits;
  header.parameter_b = settings.arity;
  SealTamis({dst->data() + start, dst->size() - start}, header);
  return Status::Ok();
}

Result<std::unique_ptr<const FilterPolicy>> NewTamisFusePolicy(
    const FuseSettings& settings, std::uint64_t seed) {
  if (!TakesCellBits(settings.cell_bits)) {
    return Status::InvalidArgument("fuse: cells have 8, 16 or 32 bits, not " +
                                   std::to_string(settings.cell_bits));
  }
  if (!TakesArity(settings.arity)) {
    return Status::InvalidArgument("fuse: a key has 3 or 4 cells, not " +
                                   std::to_string(settings.arity));
  }
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<FusePolicy>(settings, seed));
}

}  // namespace tamis
