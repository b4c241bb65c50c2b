#include "formats/bumped_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/huge_pages.h"
#include "filters/bit_array.h"
#include "filters/bumped_key.h"
#include "filters/bumped_last.h"
#include "filters/bumped_query.h"
#include "hash/xxhash.h"
#include "math/ribbon_sizing.h"

namespace tamis {
namespace {

constexpr std::size_t kGroupKeys = 64;
// Asks for the lines of two segments.
void Prefetch(const unsigned char* words, std::uint64_t bytes) noexcept {
  // From the start of a line on, so that none is asked for twice.
  const std::uint64_t before =
      reinterpret_cast<std::uintptr_t>(words) % kCacheLineBytes;
  for (std::uint64_t at = 0; at < before + bytes; at += kCacheLineBytes) {
    __builtin_prefetch(words - before + at, 0, 2);
  }
}

}  // namespace

struct BumpedReader::Group {
  std::array<WindowQuery, kGroupKeys> queries;
  std::array<std::uint64_t, kGroupKeys> digests;
  std::size_t count = 0;
};

BumpedReader::BumpedReader(BumpedFilter filter, std::uint64_t seed,
                           std::optional<std::uint64_t> keys, Slice payload)
    : filter_(std::move(filter)), seed_(seed), keys_(keys) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(payload.data());
  for (const std::uint64_t buckets : filter_.layers) {
    layers_.push_back({BumpedLayer(filter_.shape, buckets), bytes});
    bytes += layers_.back().layer.bytes();
  }
  last_ = bytes;
  has_windows_ = !layers_.empty() && filter_.shape.window == 64;
  if (has_windows_) {
    finder_ = WindowFinder(layers_.front().layer, layers_.front().bytes);
  }
  levels_ = {.bits = filter_.shape.level_bits,
             .step = filter_.shape.level_step,
             .rows = filter_.shape.bucket_rows()};
}

bool BumpedReader::Check(std::uint64_t digest,
                         std::size_t first) const noexcept {
  for (std::size_t i = first; i < layers_.size(); ++i) {
    const auto& [layer, bytes] = layers_[i];
    const BumpedPlace place = layer.PlaceOf(digest);
    const unsigned level = BumpedLevel(layer, bytes, place.bucket);
    if (place.row >= filter_.shape.Threshold(level)) {
      return filter_.shape.window == 64
                 ? CheckBumpedKey<std::uint64_t>(layer, bytes, digest, place)
                 : CheckBumpedKey<Uint128>(layer, bytes, digest, place);
    }
    digest = NextLayerDigest(digest);
  }
  return CheckBumpedLast(filter_.last, last_, digest);
}

bool BumpedReader::MayContain(Slice key) const noexcept {
  const std::uint64_t digest = Xxh3(key, seed_);
  if (!has_windows_) return Check(digest, 0);
  const WindowQuery query = finder_.QueryOf(digest);
  WindowAnswer answer;
  kernels_.check_windows(&query, 1, levels_, &answer);
  return answer == WindowAnswer::kBumped ? Check(NextLayerDigest(digest), 1)
                                         : answer == WindowAnswer::kMaybe;
}

// As BlockedEngine::CheckMany(): the lines of the next group are asked for
// before this one is looked at, so that memory is busy all the time.
void BumpedReader::MayContainMany(std::span<const Slice> keys,
                                  std::span<bool> out) const noexcept {
  std::array<Group, 2> groups;
  unsigned current = 0;
  std::size_t asked = std::min(kGroupKeys, keys.size());
  Ask(keys.first(asked), groups.data());
  for (std::size_t done = 0; done < keys.size();) {
    const std::size_t next = std::min(kGroupKeys, keys.size() - asked);
    Ask(keys.subspan(asked, next), &groups[1 - current]);
    Answer(groups[current], out.data() + done);
    done = asked;
    asked += next;
    current = 1 - current;
  }
}

void BumpedReader::Ask(std::span<const Slice> keys,
                       Group* group) const noexcept {
  group->count = keys.size();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t digest = Xxh3(keys[i], seed_);
    group->digests[i] = digest;
    if (!has_windows_) continue;
    group->queries[i] = finder_.QueryOf(digest);
    Prefetch(group->queries[i].words,
             std::uint64_t{2} * group->queries[i].stride);
  }
}

void BumpedReader::Answer(const Group& group, bool* out) const noexcept {
  if (!has_windows_) {
    for (std::size_t i = 0; i < group.count; ++i) {
      out[i] = Check(group.digests[i], 0);
    }
    return;
  }
  std::array<WindowAnswer, kGroupKeys> answers;
  kernels_.check_windows(group.queries.data(), group.count, levels_,
                         answers.data());
  for (std::size_t i = 0; i < group.count; ++i) {
    out[i] = answers[i] == WindowAnswer::kBumped
                 ? Check(NextLayerDigest(group.digests[i]), 1)
                 : answers[i] == WindowAnswer::kMaybe;
  }
}

FilterInfo BumpedReader::Describe() const {
  FilterInfo info;
  info.format = "tamis";
  info.kind = "ribbon";
  info.hash = "xxh3";
  info.bits = 8 * filter_.bytes();
  const auto* bytes = layers_.empty() ? last_ : layers_.front().bytes;
  info.set_bits =
      CountSetBits({bytes, static_cast<std::size_t>(filter_.bytes())});
  info.probes = filter_.shape.most_columns();
  info.keys = keys_;
  info.seed = seed_;
  info.rate = RibbonRate(
      (filter_.shape.columns << kColumnFractionBits) | filter_.shape.wide,
      keys_.value_or(1));
  return info;
}

}  // namespace tamis
