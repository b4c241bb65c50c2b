#include "formats/rocksdb_filter.h"

#include <utility>

#include "formats/dispatching_policy.h"
#include "formats/rocksdb_bloom.h"
#include "formats/rocksdb_ribbon.h"
#include "math/rocksdb_sizing.h"

namespace tamis {
namespace {

using PolicyResult = Result<std::unique_ptr<const FilterPolicy>>;

// The setting in bits per key whose Ribbon errs at most at that rate; 0 where
// there is none.
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

template <RocksDbKind kKind>
const FilterPolicy& ReaderOfKind() {
  static const std::unique_ptr<const FilterPolicy> policy =
      *NewKind(kKind, {.bits_per_key = 10});
  return *policy;
}

// Reserved kinds are for the Bloom reader to name.
const FilterPolicy& ReaderOf(Slice bytes) {
  if (bytes.size() < kRocksDbTrailerBytes) {
    return ReaderOfKind<RocksDbKind::kBloom>();
  }
  const unsigned mark =
      static_cast<unsigned char>(bytes[bytes.size() - kRocksDbTrailerBytes]);
  if (mark == kRocksDbRibbon) return ReaderOfKind<RocksDbKind::kRibbon>();
  if (mark >= 1 && mark <= kMostRocksDbLegacyProbes) {
    return ReaderOfKind<RocksDbKind::kLegacyBloom>();
  }
  return ReaderOfKind<RocksDbKind::kBloom>();
}

}  // namespace

PolicyResult NewRocksDbPolicy(RocksDbKind kind, const BloomSizing& sizing) {
  PolicyResult builder = NewKind(kind, sizing);
  if (!builder.ok()) return builder.status();
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<DispatchingPolicy>(*std::move(builder), ReaderOf));
}

}  // namespace tamis
