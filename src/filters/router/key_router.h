// SPDX-License-Identifier: Apache-2.0
// filters/router/key_router.h -- a map from the hash of a key to the labels
// under which that hash may have been added: which of many sets may have it.
//
// A line of 64 bytes has 31 slots of 16 bits, and one of flags.  A slot is a
// fingerprint of the hash, never 0, above a label; 0 is an empty slot.  Two
// neighbouring lines are a pair.  The hash chooses the pair and the line of it;
// what finds that line full goes to the other one, and a flag of the first says
// so.  If both are full, another flag says that every label may have the hashes
// of the line.  An entry is never moved and never removed: so readers need no
// lock, and what they once could find they find for ever.
// docs/design/10-many-tables.md has the probabilities.

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/huge_pages.h"
#include "math/fast_range.h"

namespace tamis {

class KeyRouter {
 public:
  struct Shape {
    std::uint64_t pairs = 0;  // of lines
    unsigned label_bits = 0;  // of a slot's 16

    std::uint64_t bytes() const noexcept { return pairs * 2 * kLineWords * 8; }
  };
  static constexpr unsigned kMaxLabels = 1024;
  // Entries per line from which on a router is full: more can be added, but
  // then many lines are full.
  static constexpr std::uint64_t kFullLoad = 22;

  // For so many entries, and half as many again before it is full; and for more
  // labels than requested.  REQUIRES: labels < kMaxLabels
  static Shape ShapeFor(std::uint64_t entries, unsigned labels) noexcept;
  // Null: no memory.
  static std::unique_ptr<KeyRouter> New(const Shape& shape) noexcept;

  // Adds hashes under a label; what is there already is not added again.
  // Readers may look at any of them meanwhile.
  // REQUIRES: one thread at a time; label < labels()
  void Add(std::span<const std::uint64_t> hashes, unsigned label) noexcept;

  [[gnu::always_inline]] void Prefetch(std::uint64_t hash) const noexcept {
    __builtin_prefetch(LineOf(PlaceOf(hash).line));
  }
  // Calls visit(label) for each label under which the hash may have been added,
  // some more than once.  False: it may have been added under every label.
  // REQUIRES, for that hash to be found: its Add() happened before
  template <typename Visit>
  bool ForEachLabel(std::uint64_t hash, const Visit& visit) const noexcept;

  unsigned labels() const noexcept { return 1u << shape_.label_bits; }
  std::uint64_t bytes() const noexcept { return shape_.bytes(); }
  // These three: approximate while Add() runs.
  std::uint64_t entries() const noexcept {
    return entries_.load(std::memory_order_relaxed);
  }
  bool is_full() const noexcept {
    return entries() >= shape_.pairs * 2 * kFullLoad;
  }
  // The fraction of lines whose hashes may have every label.
  double full_fraction() const noexcept {
    return static_cast<double>(full_lines_.load(std::memory_order_relaxed)) /
           static_cast<double>(shape_.pairs * 2);
  }

 private:
  static constexpr std::size_t kLineWords = 8;  // of four slots each
  static constexpr std::uint64_t kEverySlot = 0x0001'0001'0001'0001;
  // In the first slot, whose fingerprint stays 0.
  static constexpr std::uint64_t kGoesOn = 1;  // to the other line of the pair
  static constexpr std::uint64_t kAskAll = 2;

  struct Place {
    std::uint64_t line;
    std::uint64_t fingerprint;  // at its place in a slot
  };

  KeyRouter(const Shape& shape, MemoryBlock<unsigned char> memory) noexcept
      : shape_(shape), memory_(std::move(memory)) {}

  Place PlaceOf(std::uint64_t hash) const noexcept {
    const std::uint64_t pair = FastRange(hash, shape_.pairs);
    // Other bits than those that choose the pair, and than those by which
    // filters of the sets choose their probes.
    const std::uint64_t mixed = hash * 0x9e3779b97f4a7c15;
    const unsigned bits = 16 - shape_.label_bits;
    const std::uint64_t fingerprints = (std::uint64_t{1} << bits) - 1;
    const std::uint64_t chosen =
        ((mixed >> 31 & 0xffffffff) * fingerprints >> 32) + 1;
    return {.line = 2 * pair + (mixed >> 63),
            .fingerprint = chosen << shape_.label_bits};
  }
  std::uint64_t* LineOf(std::uint64_t line) const noexcept {
    return reinterpret_cast<std::uint64_t*>(memory_.get()) + line * kLineWords;
  }
  static std::uint64_t Load(std::uint64_t* word) noexcept {
    return std::atomic_ref(*word).load(std::memory_order_relaxed);
  }
  static void SetFlag(std::uint64_t* line, std::uint64_t flag) noexcept;
  // The highest bit of each slot that is zero, and no other.
  static std::uint64_t ZeroSlots(std::uint64_t word) noexcept {
    constexpr std::uint64_t kLower = 0x7fff * kEverySlot;
    return ~(((word & kLower) + kLower) | word | kLower);
  }
  void Add(std::uint64_t hash, unsigned label) noexcept;
  bool Put(std::uint64_t* line, std::uint64_t slot) noexcept;
  template <typename Visit>
  void VisitLine(std::uint64_t* line, std::uint64_t fingerprint,
                 const Visit& visit) const noexcept;

  const Shape shape_;
  const MemoryBlock<unsigned char> memory_;
  std::atomic<std::uint64_t> entries_{0};
  std::atomic<std::uint64_t> full_lines_{0};
};

template <typename Visit>
void KeyRouter::VisitLine(std::uint64_t* line, std::uint64_t fingerprint,
                          const Visit& visit) const noexcept {
  constexpr std::uint64_t kHighest = 0x8000 * kEverySlot;
  const std::uint64_t label_mask = labels() - 1;
  const std::uint64_t wanted = fingerprint * kEverySlot;
  // What takes a slot without its highest bit to that bit if it is as large as
  // the smallest fingerprint.
  const std::uint64_t up = (0x8000 - labels()) * kEverySlot;
  std::uint64_t others = 0;  // bit 16 * s + w: not slot s of word w
  for (unsigned w = 0; w < kLineWords; ++w) {
    const std::uint64_t word = Load(line + w) ^ wanted;
    others |= ((((word & ~kHighest) + up) | word) & kHighest) >> (15 - w);
  }
  constexpr std::uint64_t kAll = 0xff * kEverySlot;
  for (std::uint64_t found = others ^ kAll; found != 0; found &= found - 1) {
    const auto at = static_cast<unsigned>(std::countr_zero(found));
    visit(static_cast<unsigned>(Load(line + at % 16) >> at / 16 * 16 &
                                label_mask));
  }
}

template <typename Visit>
bool KeyRouter::ForEachLabel(std::uint64_t hash,
                             const Visit& visit) const noexcept {
  const Place place = PlaceOf(hash);
  std::uint64_t* const line = LineOf(place.line);
  const std::uint64_t flags = Load(line) & 0xffff;
  VisitLine(line, place.fingerprint, visit);
  if (flags == 0) return true;
  if ((flags & kAskAll) != 0) return false;
  VisitLine(LineOf(place.line ^ 1), place.fingerprint, visit);
  return true;
}

}  // namespace tamis
