// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/ribbon_reader.h"

#include <array>
#include <bit>
#include <utility>

#include "base/cpu.h"
#include "base/huge_pages.h"
#include "filters/batch_loop.h"
#include "filters/bloom/bit_array.h"
#include "filters/ribbon/coefficients.h"
#include "filters/ribbon/fallback.h"
#include "filters/ribbon/query.h"
#include "formats/taken_hash.h"
#include "hash/xxhash.h"
#include "math/ribbon_sizing.h"

namespace tamis {
namespace {

constexpr std::size_t kGroupKeys = kMaxWindows;
constexpr std::size_t kMaxAhead = 8;

// Prefetches into the second-level cache, which can have more requests in
// flight than the first.
[[gnu::always_inline]] inline void PrefetchLine(
    const unsigned char* line) noexcept {
  __builtin_prefetch(line, 0, 2);
}

// These are always inlined, too: g++ takes a function that only prefetches for
// one without effect, and omits calls of it.
[[gnu::always_inline]] inline void Prefetch(const unsigned char* first,
                                            std::uint64_t bytes) noexcept {
  const unsigned char* const last = first + bytes - 1;
  for (; first < last; first += kCacheLineBytes) PrefetchLine(first);
  // If they start within a line, there is one more; otherwise this repeats the
  // last one, which costs next to nothing.
  PrefetchLine(last);
}

// Prefetches both segments of each window, which have so many bytes together.
[[gnu::always_inline]] inline void Prefetch(const WindowQueries& queries,
                                            std::size_t count,
                                            std::uint64_t bytes) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(queries.words[0]);
  if (bytes == 2 * kCacheLineBytes && first % kCacheLineBytes == 0) {
    for (std::size_t i = 0; i < count; ++i) {  // a line per segment
      PrefetchLine(queries.words[i]);
      PrefetchLine(queries.words[i] + kCacheLineBytes);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) Prefetch(queries.words[i], bytes);
}

}  // namespace

struct BumpedReader::Group {
  WindowQueries queries;
  std::array<std::uint64_t, kGroupKeys> hashes;
};

// Keys that go to the second layer: its lines are prefetched, too, while other
// keys are answered.
class BumpedReader::Late {
 public:
  explicit Late(const BumpedReader& reader) noexcept : reader_(reader) {}

  // *out is set by the next AnswerAll().
  // REQUIRES: the reader has windows
  void Add(std::uint64_t hash, bool* out) noexcept {
    hash = NextLayerHash(hash);
    if (reader_.layers_.size() < 2) {
      *out = reader_.Check(hash, 1);
      return;
    }
    if (count_ == kMaxWindows) AnswerAll();
    FindWindow(hash, reader_.second_, count_, &queries_);
    Prefetch(queries_.words[count_], reader_.window_bytes_);
    keys_[count_++] = {hash, out};
  }

  void AnswerAll() noexcept {
    std::array<bool, kMaxWindows> answers;
    const std::uint64_t bumped = reader_.kernels_.check_windows(
        queries_, count_, reader_.second_, answers.data());
    for (std::size_t i = 0; i < count_; ++i) {
      *keys_[i].out = (bumped >> i & 1) != 0
                          ? reader_.Check(NextLayerHash(keys_[i].hash), 2)
                          : answers[i];
    }
    count_ = 0;
  }

 private:
  struct Key {
    std::uint64_t hash;
    bool* out;
  };

  const BumpedReader& reader_;
  WindowQueries queries_;
  std::array<Key, kMaxWindows> keys_;
  std::size_t count_ = 0;
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
  plan_ = PlanBatch(
      {.filter_bytes = filter_.bytes(),
       .lines_per_key =
           2 * ((8 * filter_.shape.most_columns() - 1) / kCacheLineBytes + 1),
       .group_keys = kGroupKeys,
       .max_ahead = kMaxAhead},
      ThisCpuCaches());
  has_windows_ = !layers_.empty() && filter_.shape.window == 64;
  if (!has_windows_) return;
  window_bytes_ = std::uint64_t{16} * filter_.shape.most_columns();
  first_ = WindowLayerOf(&layers_[0].layer, layers_[0].bytes);
  if (layers_.size() > 1) {
    second_ = WindowLayerOf(&layers_[1].layer, layers_[1].bytes);
  }
}

bool BumpedReader::Check(std::uint64_t hash, std::size_t first) const noexcept {
  for (std::size_t i = first; i < layers_.size(); ++i) {
    const auto& [layer, bytes] = layers_[i];
    const BumpedPlace place = layer.PlaceOf(hash);
    const unsigned level = BumpedLevel(layer, bytes, place.bucket);
    if (place.row >= filter_.shape.Threshold(level)) {
      return filter_.shape.window == 64
                 ? CheckBumpedKey<std::uint64_t>(layer, bytes, hash, place)
                 : CheckBumpedKey<Uint128>(layer, bytes, hash, place);
    }
    hash = NextLayerHash(hash);
  }
  return CheckBumpedFallback(filter_.last, last_, hash);
}

bool BumpedReader::MayContain(Slice key) const noexcept {
  return CheckOne(Xxh3(key, seed_));
}

bool BumpedReader::MayContainHash(KeyHash hash) const noexcept {
  return hash.seed != seed_ || CheckOne(hash.value);
}

bool BumpedReader::CheckOne(std::uint64_t hash) const noexcept {
  if (!has_windows_) return Check(hash, 0);
  const WindowAnswer answer = kernels_.check_window(hash, first_);
  return answer == WindowAnswer::kBumped ? Check(NextLayerHash(hash), 1)
                                         : answer == WindowAnswer::kMaybe;
}

void BumpedReader::MayContainMany(std::span<const Slice> keys,
                                  std::span<bool> out) const noexcept {
  CheckMany(keys, out);
}

void BumpedReader::MayContainHashes(KeyHashes hashes,
                                    std::span<bool> out) const noexcept {
  if (hashes.seed == seed_) {
    CheckMany(hashes.values, out);
  } else {
    std::fill(out.begin(), out.end(), true);
  }
}

template <typename Key>
void BumpedReader::CheckMany(std::span<const Key> keys,
                             std::span<bool> out) const noexcept {
  Late late(*this);
  ForEachGroupAhead<Group, kGroupKeys, kMaxAhead>(
      keys, plan_.ahead,
      [this](std::span<const Key> some, Group* group) { Prepare(some, group); },
      [&](std::size_t first, std::size_t count, const Group& group) {
        Answer(group, count, out.data() + first, &late);
      });
  late.AnswerAll();
}

template <typename Key>
void BumpedReader::Prepare(std::span<const Key> keys,
                           Group* group) const noexcept {
  const std::uint64_t seed = seed_;  // stores of hashes could alias a member
  for (std::size_t i = 0; i < keys.size(); ++i) {
    group->hashes[i] = HashOrTake(keys[i], seed);
  }
  if (has_windows_) {
    kernels_.find_windows(group->hashes.data(), keys.size(), first_,
                          &group->queries);
    Prefetch(group->queries, keys.size(), window_bytes_);
  } else if (!layers_.empty()) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto bytes = WideWindow(group->hashes[i]);
      Prefetch(bytes.data(), bytes.size());
    }
  }
}

// From the level's first bit to the window's last row.
std::span<const unsigned char> BumpedReader::WideWindow(
    std::uint64_t hash) const noexcept {
  const auto& [layer, bytes] = layers_.front();
  const BumpedPlace place = layer.PlaceOf(hash);
  const std::uint64_t start =
      layer.OffsetOf(place.bucket * 2 * filter_.shape.bucket_pairs);
  const std::uint64_t end = layer.OffsetOf(SegmentOf(layer, place).segment +
                                           filter_.shape.window / kSegmentRows);
  return {bytes + start,
          static_cast<std::size_t>(end + sizeof(std::uint64_t) - start)};
}

void BumpedReader::Answer(const Group& group, std::size_t count, bool* out,
                          Late* late) const noexcept {
  if (!has_windows_) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = Check(group.hashes[i], 0);
    }
    return;
  }
  std::uint64_t bumped =
      kernels_.check_windows(group.queries, count, first_, out);
  for (; bumped != 0; bumped &= bumped - 1) {
    const int i = std::countr_zero(bumped);
    late->Add(group.hashes[static_cast<std::size_t>(i)], out + i);
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
