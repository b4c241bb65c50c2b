#include "formats/tamis_reload.h"

#include <string>
#include <utility>

#include "formats/tamis_blocked.h"
#include "formats/tamis_classic.h"

namespace tamis {
namespace {

TamisKind KindOf(Slice bytes) noexcept {
  return static_cast<TamisKind>(PeekTamisKind(bytes));
}

bool IsBloom(TamisKind kind) noexcept {
  return kind == TamisKind::kClassicBloom || kind == TamisKind::kLineBloom ||
         kind == TamisKind::kSplitBlock;
}

// Bytes of another kind, or of none, are for the classic one to judge.
Result<ParsedBloom> Parse(Slice bytes) {
  if (KindOf(bytes) == TamisKind::kLineBloom) return ParseTamisLine(bytes);
  if (KindOf(bytes) == TamisKind::kSplitBlock) {
    return ParseTamisSplitBlock(bytes);
  }
  return ParseTamisClassic(bytes);
}

}  // namespace

Result<std::unique_ptr<MutableFilter>> LoadTamisBloom(Slice bytes) {
  if (KindOf(bytes) == TamisKind::kLineBloom) return LoadTamisLine(bytes);
  if (KindOf(bytes) == TamisKind::kSplitBlock) {
    return LoadTamisSplitBlock(bytes);
  }
  return LoadTamisClassic(bytes);
}

Result<TamisBloom> ParseTamisBloom(Slice bytes) {
  Result<ParsedBloom> parsed = Parse(bytes);
  if (!parsed.ok()) return parsed.status();
  TamisBloom bloom;
  bloom.kind = KindOf(bytes);
  if (!IsBloom(bloom.kind)) {
    return Status::NotSupported(
        "tamis: only for classic, cache-local and split-block filters");
  }
  if (!parsed->always_maybe.empty()) {
    return Status::NotSupported("tamis: " + parsed->always_maybe);
  }
  bloom.parsed = *std::move(parsed);
  return bloom;
}

}  // namespace tamis
