#include "formats/tamis_filter.h"

#include <cassert>
#include <utility>

#include "formats/dispatching_policy.h"
#include "formats/tamis_blocked.h"
#include "formats/tamis_classic.h"
#include "formats/tamis_counting.h"
#include "formats/tamis_cuckoo.h"
#include "formats/tamis_fuse.h"
#include "formats/tamis_ribbon.h"
#include "formats/tamis_rotating.h"
#include "formats/tamis_scalable.h"

namespace tamis {
namespace {

using PolicyResult = Result<std::unique_ptr<const FilterPolicy>>;

PolicyResult NewKind(TamisKind kind, const BloomSizing& sizing,
                     std::uint64_t seed) {
  switch (kind) {
    case TamisKind::kLineBloom:
      return NewTamisLinePolicy(sizing, seed);
    case TamisKind::kSplitBlock:
      return NewTamisSplitBlockPolicy(sizing, seed);
    case TamisKind::kRibbon:
      return NewTamisRibbonPolicy(sizing, seed);
    case TamisKind::kCounting:
      return NewTamisCountingPolicy(sizing, seed);
    case TamisKind::kCuckoo:
      return NewTamisCuckooPolicy(sizing, seed);
    case TamisKind::kScalable:
      return NewTamisScalablePolicy(sizing, seed);
    case TamisKind::kFuse:
      return NewTamisFusePolicy({}, seed);
    case TamisKind::kRotating:
      return NewTamisRotatingPolicy({.sizing = sizing}, seed);
    case TamisKind::kClassicBloom:
      break;
  }
  return NewTamisClassicPolicy(sizing, seed);
}

// Reading does not depend on any setting.
template <TamisKind kKind>
const FilterPolicy& ReaderOfKind() {
  static const std::unique_ptr<const FilterPolicy> policy =
      *NewKind(kKind, {.bits_per_key = 10}, 0);
  return *policy;
}

// Bytes of an unknown kind, or of none, are for the classic one to judge.
const FilterPolicy& ReaderOf(Slice bytes) {
  switch (static_cast<TamisKind>(PeekTamisKind(bytes))) {
    case TamisKind::kLineBloom:
      return ReaderOfKind<TamisKind::kLineBloom>();
    case TamisKind::kSplitBlock:
      return ReaderOfKind<TamisKind::kSplitBlock>();
    case TamisKind::kRibbon:
      return ReaderOfKind<TamisKind::kRibbon>();
    case TamisKind::kFuse:
      return ReaderOfKind<TamisKind::kFuse>();
    case TamisKind::kCounting:
      return ReaderOfKind<TamisKind::kCounting>();
    case TamisKind::kCuckoo:
      return ReaderOfKind<TamisKind::kCuckoo>();
    case TamisKind::kScalable:
      return ReaderOfKind<TamisKind::kScalable>();
    case TamisKind::kRotating:
      return ReaderOfKind<TamisKind::kRotating>();
    case TamisKind::kClassicBloom:
      break;
  }
  return ReaderOfKind<TamisKind::kClassicBloom>();
}

}  // namespace

PolicyResult ReadingEveryKind(PolicyResult policy) {
  if (!policy.ok()) return policy.status();
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<DispatchingPolicy>(*std::move(policy), ReaderOf));
}

PolicyResult NewTamisPolicy(TamisKind kind, const BloomSizing& sizing,
                            std::uint64_t seed) {
  return ReadingEveryKind(NewKind(kind, sizing, seed));
}

}  // namespace tamis
