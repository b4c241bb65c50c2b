// SPDX-License-Identifier: Apache-2.0
#include "table/parted_filter.h"

#include <string>

#include "base/damage.h"
#include "base/no_throw.h"
#include "math/fast_range.h"

namespace tamis {

PartedFilter::PartedFilter(const FilterPartsTop& top,
                           std::shared_ptr<const ReadableFile> file,
                           PartCache& cache)
    : checksums_(top.checksums.begin(), top.checksums.end()),
      top_(top),
      file_(std::move(file)),
      cache_(cache),
      first_number_(cache.NewNumbers(top.part_count())),
      places_(static_cast<std::size_t>(top.part_count())) {
  top_.checksums = Slice(checksums_.data(), checksums_.size());
}

Result<std::unique_ptr<const PartedFilter>> PartedFilter::Open(
    const FilterPartsTop& top, std::shared_ptr<const ReadableFile> file,
    PartCache& cache) {
  return NoThrow([&]() -> Result<std::unique_ptr<const PartedFilter>> {
    return std::unique_ptr<const PartedFilter>(
        new PartedFilter(top, std::move(file), cache));
  });
}

PartedFilter::Aim PartedFilter::AimOf(std::uint64_t hash) const noexcept {
  const std::uint64_t line = FastRange(hash, top_.lines);
  return {static_cast<std::size_t>(line / top_.lines_per_part),
          static_cast<std::size_t>(line % top_.lines_per_part)};
}

PartAnswer PartedFilter::Answer(const unsigned char* line,
                                std::uint64_t hash) const noexcept {
  return {.is_known = true,
          .is_absent = !ActiveKernels().check_line(
              line, LineBitsOf(hash), TamisLineProbes(top_.probes))};
}

void PartedFilter::WillAsk(std::uint64_t hash) const noexcept {
  const Aim aim = AimOf(hash);
  const PartCache::Frame frame =
      places_[aim.part].load(std::memory_order_relaxed);
  if (frame == kDamaged) return;
  if (frame != PartCache::kNowhere) {
    const PartCache::Addresses addresses = cache_.AddressesOf(frame, aim.line);
    __builtin_prefetch(addresses.head);
    __builtin_prefetch(addresses.line);
    return;
  }
  file_->WillRead(top_.OffsetOf(aim.part), top_.SizeOf(aim.part));
}

PartAnswer PartedFilter::Ask(std::uint64_t hash) const noexcept {
  const Aim aim = AimOf(hash);
  const PartCache::Frame frame =
      places_[aim.part].load(std::memory_order_acquire);
  if (frame == kDamaged) return {};
  PartCache::Line line;
  if (frame != PartCache::kNowhere &&
      cache_.CopyLine(frame, first_number_ + aim.part, aim.line, &line)) {
    return Answer(line.bytes(), hash);
  }
  return Read(aim, hash);
}

PartAnswer PartedFilter::Read(const Aim& aim,
                              std::uint64_t hash) const noexcept {
  std::string scratch;
  const Result<Slice> part = NoThrow([&] {
    return file_->Read(top_.OffsetOf(aim.part), top_.SizeOf(aim.part),
                       &scratch);
  });
  const bool is_whole = part.ok() && top_.IsPart(aim.part, *part);
  if (!is_whole) {
    PartAnswer unknown{.was_read = true};
    // What only could not be read for lack of memory may be read later.
    if (!part.ok() && !IsDamage(part.status())) return unknown;
    if (places_[aim.part].exchange(kDamaged) != kDamaged) {
      unknown.damaged = damaged_.fetch_add(1) + 1;
    }
    return unknown;
  }
  const PartCache::Frame frame = cache_.Insert(first_number_ + aim.part, *part);
  if (frame != PartCache::kNowhere) {
    places_[aim.part].store(frame, std::memory_order_release);
  }
  PartAnswer answer =
      Answer(reinterpret_cast<const unsigned char*>(part->data()) +
                 aim.line * kLineBytes,
             hash);
  answer.was_read = true;
  return answer;
}

}  // namespace tamis
