#include "formats/tamis_fuse.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/append_zeros.h"
#include "base/no_throw.h"
#include "filters/binary_fuse.h"
#include "filters/bit_array.h"
#include "filters/digest_set.h"
#include "formats/always_maybe.h"
#include "formats/digest_builder.h"
#include "formats/fuse_payload.h"
#include "formats/taken_hash.h"
#include "formats/tamis_container.h"
#include "formats/tamis_from_digests.h"
#include "math/fuse_sizing.h"

namespace tamis {
namespace {

constexpr std::string_view kSpec = "tamis";

// So that no size, in bits, exceeds 64 of them.
constexpr std::uint64_t kMostKeys = std::uint64_t{1} << 56;

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

  // A key on its way.
  struct Query {
    FusePart part;
    std::uint64_t digest;
    FuseProbe<kArity> probe;
  };

  // Key is a Slice, or the hash of one.
  template <typename Key>
  void CheckMany(std::span<const Key> keys, std::span<bool> out) const noexcept;
  template <typename Key>
  Query QueryFor(const Key& key) const noexcept {
    Query query;
    query.digest = HashOrTake(key, header_.seed);
    query.part = directory_.PartAt(
        static_cast<std::size_t>(FusePartOf(query.digest, parts_)));
    query.probe = FuseProbeFor<kArity>(FusePositionOf(query.digest, parts_),
                                       query.part.shape, query.part.seed);
    return query;
  }
  // A list is not worth it: there is one only where somebody forged digests.
  [[gnu::always_inline]] static void Prefetch(const Query& query) noexcept {
    if (query.part.is_list()) return;
    for (const std::uint64_t slot : query.probe.slots) {
      __builtin_prefetch(query.part.content + slot * sizeof(Cell), 0, 2);
    }
  }
  static bool Check(const Query& query) noexcept {
    if (query.part.is_list()) return FuseListHas(query.part, query.digest);
    return FuseDifference<Cell>(query.part.content, query.probe) == 0;
  }
  template <typename Key>
  void Ask(std::span<const Key> keys, Query* queries) const noexcept {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      queries[i] = QueryFor(keys[i]);
      Prefetch(queries[i]);
    }
  }

  TamisHeader header_;
  std::uint64_t parts_;
  FuseDirectory directory_;
};

// The next group is asked for before the last is checked, so that there are
// always cells on their way.
template <typename Cell, unsigned kArity>
template <typename Key>
void FuseReader<Cell, kArity>::CheckMany(std::span<const Key> keys,
                                         std::span<bool> out) const noexcept {
  std::array<std::array<Query, kGroup>, 2> groups;
  std::size_t asked = std::min(kGroup, keys.size());
  Ask(keys.first(asked), groups[0].data());
  unsigned current = 0;
  for (std::size_t done = 0; done < keys.size();) {
    const std::size_t next = std::min(kGroup, keys.size() - asked);
    Ask(keys.subspan(asked, next), groups[1 - current].data());
    for (std::size_t i = 0; i < asked - done; ++i) {
      out[done + i] = Check(groups[current][i]);
    }
    done = asked;
    asked += next;
    current = 1 - current;
  }
}

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
  // Of what is listed, only a stranger of equal digest is mistaken.
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
  if (std::string reason = WhyTooNew(header); !reason.empty()) return reason;
  if (header.kind != static_cast<std::uint16_t>(TamisKind::kFuse)) {
    return WhyUnknownKind(header);
  }
  if (!TakesCellBits(header.parameter_a) || !TakesArity(header.parameter_b)) {
    return "its parameters are reserved";
  }
  return {};
}

Result<std::unique_ptr<const FilterReader>> OpenFuse(Slice bytes) {
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

// Each thread that solves a part takes up to some 50 MB: fewer threads where
// memory is short, and the rest for the digests.
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

class FuseBuilder final : public DigestBuilder {
 public:
  FuseBuilder(const FuseSettings& settings, std::uint64_t seed,
              const BuildOptions& options)
      : DigestBuilder(seed, OptionsFor(options)), settings_(settings) {}

 private:
  Status Build(DigestSet* digests, std::string* dst) override {
    return AppendTamisFuse({.digests = digests, .seed = seed()}, settings_,
                           options(), dst);
  }

  FuseSettings settings_;
};

class FusePolicy final : public FilterPolicy {
 public:
  FusePolicy(const FuseSettings& settings, std::uint64_t seed)
      : settings_(settings), seed_(seed) {}

  std::string_view name() const noexcept override { return kTamisFilterName; }

  std::unique_ptr<FilterBuilder> NewBuilder(
      std::uint64_t expected_keys) const override {
    BuildOptions options;
    options.expected_keys = expected_keys;
    return NewBuilderWith(options);
  }
  std::unique_ptr<FilterBuilder> NewBuilderWith(
      const BuildOptions& options) const override {
    return std::make_unique<FuseBuilder>(settings_, seed_, options);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return OpenFuse(bytes);
  }

  Estimate Predict(std::uint64_t keys) const noexcept override {
    Estimate estimate;
    estimate.bytes = kTamisHeaderBytes;
    estimate.probes = settings_.arity;
    estimate.false_positive_rate = RateAt(keys, keys);
    if (keys == 0) return estimate;
    if (keys > kMostKeys) {
      estimate.status = NoThrow([] {
        return Status::InvalidArgument(
            "fuse: more than 2^56 keys; no filter can be so large");
      });
      keys = kMostKeys;
    }
    const std::uint64_t parts = FuseParts(keys);
    const std::uint64_t cells =
        parts *
        FuseCells(FusePartShape(keys, parts, settings_.arity), settings_.arity);
    estimate.bits = cells * settings_.cell_bits;
    estimate.bytes += parts * kFuseEntryBytes + estimate.bits / 8;
    return estimate;
  }

  // It errs as often with few keys as with many.
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
