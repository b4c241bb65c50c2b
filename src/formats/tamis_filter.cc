#include "formats/tamis_filter.h"

#include <utility>

#include "formats/dispatching_policy.h"
#include "formats/tamis_blocked.h"
#include "formats/tamis_classic.h"

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
    case TamisKind::kClassicBloom:
      break;
  }
  return ReaderOfKind<TamisKind::kClassicBloom>();
}

}  // namespace

PolicyResult NewTamisPolicy(TamisKind kind, const BloomSizing& sizing,
                            std::uint64_t seed) {
  PolicyResult builder = NewKind(kind, sizing, seed);
  if (!builder.ok()) return builder.status();
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<DispatchingPolicy>(*std::move(builder), ReaderOf));
}

}  // namespace tamis
