// SPDX-License-Identifier: Apache-2.0
#include "formats/rocksdb/filter.h"

#include <memory>

#include "formats/dispatching_policy.h"
#include "formats/rocksdb/bloom.h"
#include "formats/rocksdb/ribbon.h"
#include "math/rocksdb_sizing.h"

namespace tamis {
namespace {

using PolicyResult = Result<std::unique_ptr<const FilterPolicy>>;

// Returns the setting in bits per key whose Ribbon meets that rate; 0 if there
// is none.
double RibbonBitsPerKey(double rate) {
  double too_few = 1;
  double enough = 100;
  if (1 / RocksDbRibbonOneIn(enough) > rate) return 0;
  if (1 / RocksDbRibbonOneIn(too_few) <= rate) return too_few;
  while (enough - too_few > 1e-3) {
    const double middle = (too_few + enough) / 2;
    (1 / RocksDbRibbonOneIn(middle) <= rate ? enough : too_few) = middle;
  }
  return enough;
}

PolicyResult NewRibbon(const BloomSizing& sizing) {
  if (sizing.bits != 0 || sizing.probes != 0) {
    return Status::InvalidArgument(
        "rocksdb-ribbon: its size follows from the keys; leave m and k out");
  }
  const double bits_per_key =
      sizing.rate > 0 ? RibbonBitsPerKey(sizing.rate) : sizing.bits_per_key;
  if (RocksDbMillibits(bits_per_key) == 0) {
    return Status::InvalidArgument(
        sizing.rate > 0 ? "rocksdb-ribbon: no size has so low a rate of false "
                          "positives"
                        : "rocksdb-ribbon: for fewer than 0.5 bits per key "
                          "RocksDB makes no filter");
  }
  return NewRocksDbRibbonPolicy(bits_per_key);
}

PolicyResult NewKind(RocksDbKind kind, const BloomSizing& sizing) {
  switch (kind) {
    case RocksDbKind::kLegacyBloom:
      return NewRocksDbLegacyPolicy(sizing);
    case RocksDbKind::kRibbon:
      return NewRibbon(sizing);
    case RocksDbKind::kBloom:
      break;
  }
  return NewRocksDbBloomPolicy(sizing);
}

// Returns the kind that the trailer states.  Reserved kinds are reported by the
// Bloom reader.
RocksDbKind KindOf(Slice bytes) noexcept {
  if (bytes.size() < kRocksDbTrailerBytes) return RocksDbKind::kBloom;
  const unsigned mark =
      static_cast<unsigned char>(bytes[bytes.size() - kRocksDbTrailerBytes]);
  if (mark == kRocksDbRibbon) return RocksDbKind::kRibbon;
  if (mark >= 1 && mark <= kMaxRocksDbLegacyProbes) {
    return RocksDbKind::kLegacyBloom;
  }
  return RocksDbKind::kBloom;
}

KindReading::Combine CombineOf(Slice bytes) {
  switch (KindOf(bytes)) {
    case RocksDbKind::kLegacyBloom:
      return CombineRocksDbLegacy;
    case RocksDbKind::kRibbon:
      return nullptr;
    case RocksDbKind::kBloom:
      break;
  }
  return CombineRocksDbBloom;
}

}  // namespace

Result<std::unique_ptr<const FilterReader>> OpenRocksDbFilter(Slice bytes) {
  switch (KindOf(bytes)) {
    case RocksDbKind::kLegacyBloom:
      return OpenRocksDbLegacy(bytes);
    case RocksDbKind::kRibbon:
      return OpenRocksDbRibbon(bytes);
    case RocksDbKind::kBloom:
      break;
  }
  return OpenRocksDbBloom(bytes);
}

PolicyResult NewRocksDbPolicy(RocksDbKind kind, const BloomSizing& sizing) {
  return Dispatching(NewKind(kind, sizing), {OpenRocksDbFilter, CombineOf});
}

}  // namespace tamis
