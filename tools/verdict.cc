// SPDX-License-Identifier: Apache-2.0
#include "verdict.h"

#include "tamis/bloom_math.h"
#include "tamis/filter_health.h"
#include "tamis/formats.h"

namespace tamis::tools {
namespace {

std::string_view WordFor(BloomHealth health) {
  switch (health) {
    case BloomHealth::kEmpty:
      return "empty";
    case BloomHealth::kSaturated:
      return "saturated";
    case BloomHealth::kOversized:
      return "oversized";
    case BloomHealth::kOk:
      break;
  }
  return "ok";
}

// A slot that is full can take no key; one in twenty should be free.
BloomHealth CuckooHealth(double fill) {
  constexpr double kSaturatedFill = 0.97;
  if (fill == 0) return BloomHealth::kEmpty;
  return fill > kSaturatedFill ? BloomHealth::kSaturated : BloomHealth::kOk;
}

// For filters that are not meant to be full yet: scalable and rotating ones.
BloomHealth GrowingHealth(BloomHealth health) {
  return health == BloomHealth::kOversized ? BloomHealth::kOk : health;
}

// Returns the default for unknown kinds.
KindEntry KindOf(const FilterInfo& info) {
  const KindEntry* kind = FindKind(info.kind);
  return kind != nullptr ? *kind : KnownKinds().front();
}

BloomHealth HealthOf(const FilterInfo& info, std::uint64_t places,
                     double fill) {
  const KindEntry kind = KindOf(info);
  if (kind.fixed_probes != 0) {
    return SplitBlockHealthOf(info.bits, info.set_bits);
  }
  if (kind.storage == KindStorage::kSlots) return CuckooHealth(fill);
  const BloomHealth health = BloomHealthOf(places, info.set_bits);
  return kind.unbounded || kind.expires ? GrowingHealth(health) : health;
}

// Returns the bits of each item that set_bits counts.
std::uint64_t BitsPerPlace(const FilterInfo& info) {
  constexpr std::uint64_t kCounterBits = 4;
  const KindStorage storage = KindOf(info).storage;
  if (storage == KindStorage::kCounters) return kCounterBits;
  return storage == KindStorage::kSlots ? info.probes : 1;
}

}  // namespace

Verdict VerdictOf(const FilterInfo& info) {
  Verdict verdict;
  if (!info.always_maybe.empty()) {
    verdict.word = "unknown";
    return verdict;
  }
  // In some formats a filter without keys has no bits at all.
  verdict.rate = 0;
  verdict.word = "empty";
  if (info.bits == 0) return verdict;

  const auto bits = static_cast<double>(info.bits);
  verdict.rate = info.rate;
  verdict.keys = info.keys.has_value() ? static_cast<double>(*info.keys)
                                       : info.keys_by_fill;
  if (verdict.keys > 0) verdict.bits_per_key = bits / verdict.keys;
  if (IsSolution(info)) {
    verdict.word = "ok";
    return verdict;
  }
  const std::uint64_t places = info.bits / BitsPerPlace(info);
  verdict.fill =
      static_cast<double>(info.set_bits) / static_cast<double>(places);
  verdict.word = WordFor(HealthOf(info, places, verdict.fill));
  return verdict;
}

bool IsSolution(const FilterInfo& info) {
  const KindStorage storage = KindOf(info).storage;
  return storage == KindStorage::kColumns || storage == KindStorage::kCells ||
         storage == KindStorage::kCodes;
}

ProbesName ProbesNameOf(const FilterInfo& info) {
  switch (KindOf(info).storage) {
    case KindStorage::kColumns:
      return {"columns", "columns"};
    case KindStorage::kCells:
      return {"cells per key", "cells_per_key"};
    case KindStorage::kCodes:
      return {"bits per code", "bits_per_code"};
    case KindStorage::kSlots:
      return {"fingerprint", "fingerprint_bits"};
    case KindStorage::kBits:
    case KindStorage::kCounters:
      break;
  }
  return {"k", "probes"};
}

}  // namespace tamis::tools
