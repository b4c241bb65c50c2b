// SPDX-License-Identifier: Apache-2.0
#include "filters/router/key_router.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace tamis {
namespace {

constexpr unsigned kMinLabelBits = 7;

}  // namespace

KeyRouter::Shape KeyRouter::ShapeFor(std::uint64_t entries,
                                     unsigned labels) noexcept {
  const std::uint64_t lines = (entries + entries / 2) / kFullLoad + 1;
  return {.pairs = lines / 2 + 1,
          .label_bits = std::max(
              kMinLabelBits, static_cast<unsigned>(std::bit_width(labels)))};
}

std::unique_ptr<KeyRouter> KeyRouter::New(const Shape& shape) noexcept {
  // CPUs fetch aligned pairs of lines.
  constexpr std::size_t kPairBytes = 2 * kCacheLineBytes;
  const auto bytes = static_cast<std::size_t>(shape.bytes());
  MemoryBlock<unsigned char> memory = NewMemory(bytes, kPairBytes);
  if (memory == nullptr) return nullptr;
  std::memset(memory.get(), 0, bytes);
  return std::unique_ptr<KeyRouter>(new (std::nothrow)
                                        KeyRouter(shape, std::move(memory)));
}

void KeyRouter::SetFlag(std::uint64_t* line, std::uint64_t flag) noexcept {
  // One thread writes, so no other write can intervene.
  std::atomic_ref(*line).store(Load(line) | flag, std::memory_order_relaxed);
}

// False: the line is full.
bool KeyRouter::Put(std::uint64_t* line, std::uint64_t slot) noexcept {
  std::uint64_t* free_word = nullptr;
  unsigned free_bit = 0;
  for (unsigned w = 0; w < kLineWords; ++w) {
    const std::uint64_t word = Load(line + w);
    // Slots are filled in order, so nothing comes after an empty one.
    if (ZeroSlots(word ^ slot * kEverySlot) != 0) return true;
    std::uint64_t zeros = ZeroSlots(word);
    if (w == 0) zeros &= ~std::uint64_t{0xffff};  // the flags
    if (zeros == 0) continue;
    free_word = line + w;
    free_bit = static_cast<unsigned>(std::countr_zero(zeros)) / 16 * 16;
    break;
  }
  if (free_word == nullptr) return false;
  std::atomic_ref(*free_word)
      .store(Load(free_word) | slot << free_bit, std::memory_order_relaxed);
  entries_.store(entries() + 1, std::memory_order_relaxed);
  return true;
}

void KeyRouter::Add(std::uint64_t hash, unsigned label) noexcept {
  const Place place = PlaceOf(hash);
  std::uint64_t* const line = LineOf(place.line);
  const std::uint64_t slot = place.fingerprint | label;
  if (Put(line, slot)) return;
  SetFlag(line, kGoesOn);
  if (Put(LineOf(place.line ^ 1), slot)) return;
  if ((Load(line) & kAskAll) != 0) return;
  SetFlag(line, kAskAll);
  full_lines_.fetch_add(1, std::memory_order_relaxed);
}

void KeyRouter::Add(std::span<const std::uint64_t> hashes,
                    unsigned label) noexcept {
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) Prefetch(hashes[i + kAhead]);
    Add(hashes[i], label);
  }
}

}  // namespace tamis
