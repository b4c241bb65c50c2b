// Filters that live: from their text, and from their bytes.

#include <string>
#include <utility>

#include "base/no_throw.h"
#include "formats/tamis_container.h"
#include "formats/tamis_counting.h"
#include "formats/tamis_cuckoo.h"
#include "formats/tamis_reload.h"
#include "formats/tamis_rotating.h"
#include "formats/tamis_scalable.h"
#include "policy/kind_settings.h"
#include "policy/settings.h"
#include "policy/spec.h"
#include "tamis/living_filter.h"

namespace tamis {
namespace {

TamisKind KindOf(Slice bytes) noexcept {
  return static_cast<TamisKind>(PeekTamisKind(bytes));
}

// Why bytes that none of the kinds in question takes are refused: damage
// first, then that it is another kind.
Status RefuseToLoad(Slice bytes, std::string_view what) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  return Status::NotSupported("filter kind " +
                              std::to_string(contents->header.kind) + " " +
                              std::string(what));
}

// The settings of a text that MakePolicy() takes.
Result<Settings> SettingsOf(std::string_view text, std::string* name) {
  Result<PolicySpec> spec = ParseSpec(text);
  if (!spec.ok()) return spec.status();
  if (auto policy = MakePolicy(text); !policy.ok()) return policy.status();
  *name = std::string(spec->name);
  return ReadSettings(*spec);
}

template <typename Filter>
Result<std::unique_ptr<MutableFilter>> AsMutable(
    Result<std::unique_ptr<Filter>> filter) {
  if (!filter.ok()) return filter.status();
  return std::unique_ptr<MutableFilter>(*std::move(filter));
}

Result<std::unique_ptr<ErasableFilter>> MakeErasable(
    std::string_view text, std::uint64_t planned_keys) {
  std::string name;
  Result<Settings> settings = SettingsOf(text, &name);
  if (!settings.ok()) return settings.status();
  BloomSizing sizing = settings->sizing;
  const std::uint64_t seed = settings->seed.value_or(0);
  if (name == "counting") {
    if (!HasSize(sizing)) sizing.bits_per_key = kUsualCountingBits;
    return NewTamisCounting(sizing, seed, planned_keys);
  }
  if (name == "cuckoo") {
    if (!HasSize(sizing)) sizing.bits_per_key = kUsualCuckooBits;
    return NewTamisCuckoo(sizing, seed, planned_keys);
  }
  return Status::NotSupported(
      name + ": keys cannot be erased from this kind; counting and cuckoo can");
}

Result<std::unique_ptr<RotatingFilter>> MakeRotating(
    std::string_view text, std::uint64_t planned_keys) {
  std::string name;
  Result<Settings> settings = SettingsOf(text, &name);
  if (!settings.ok()) return settings.status();
  if (name != "rotating") {
    return Status::NotSupported(name + ": this kind has no generations");
  }
  if (!HasSize(settings->sizing)) {
    settings->sizing.bits_per_key = kUsualRotatingBits;
  }
  return NewTamisRotating(RotatingFrom(*settings), settings->seed.value_or(0),
                          planned_keys);
}

Result<std::unique_ptr<MutableFilter>> LoadGrowing(Slice bytes) {
  switch (KindOf(bytes)) {
    case TamisKind::kClassicBloom:
    case TamisKind::kLineBloom:
    case TamisKind::kSplitBlock:
      return LoadTamisBloom(bytes);
    case TamisKind::kCounting:
      return AsMutable(LoadTamisCounting(bytes));
    case TamisKind::kCuckoo:
      return AsMutable(LoadTamisCuckoo(bytes));
    case TamisKind::kScalable:
      return LoadTamisScalable(bytes);
    case TamisKind::kRotating:
      return AsMutable(LoadTamisRotating(bytes));
    case TamisKind::kRibbon:
    case TamisKind::kFuse:
      break;
  }
  return RefuseToLoad(bytes, "needs all its keys at once, and cannot grow");
}

Result<std::unique_ptr<ErasableFilter>> LoadShrinking(Slice bytes) {
  if (KindOf(bytes) == TamisKind::kCounting) return LoadTamisCounting(bytes);
  if (KindOf(bytes) == TamisKind::kCuckoo) return LoadTamisCuckoo(bytes);
  return RefuseToLoad(bytes, "cannot erase keys; counting and cuckoo can");
}

Result<std::unique_ptr<RotatingFilter>> LoadExpiring(Slice bytes) {
  if (KindOf(bytes) == TamisKind::kRotating) return LoadTamisRotating(bytes);
  return RefuseToLoad(bytes, "has no generations");
}

}  // namespace

Result<std::unique_ptr<ErasableFilter>> NewErasable(
    std::string_view text, std::uint64_t planned_keys) {
  return NoThrow([&] { return MakeErasable(text, planned_keys); });
}

Result<std::unique_ptr<RotatingFilter>> NewRotating(
    std::string_view text, std::uint64_t planned_keys) {
  return NoThrow([&] { return MakeRotating(text, planned_keys); });
}

Result<std::unique_ptr<MutableFilter>> LoadMutable(Slice bytes) {
  return NoThrow([&] { return LoadGrowing(bytes); });
}

Result<std::unique_ptr<ErasableFilter>> LoadErasable(Slice bytes) {
  return NoThrow([&] { return LoadShrinking(bytes); });
}

Result<std::unique_ptr<RotatingFilter>> LoadRotating(Slice bytes) {
  return NoThrow([&] { return LoadExpiring(bytes); });
}

}  // namespace tamis
