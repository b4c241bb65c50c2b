// SPDX-License-Identifier: Apache-2.0
#include "filters/range/key_code.h"

#include <algorithm>
#include <cstddef>

#include "base/coding.h"
#include "filters/range/key_coder.h"
#include "filters/range/shared_bytes.h"

namespace tamis {
namespace {

constexpr std::size_t kFixedBytes = 8;

// Where a key is, seen from all keys with the prefix.
enum class Place { kBefore, kInside, kAfter };

Place PlaceOf(Slice key, Slice prefix) noexcept {
  if (key.starts_with(prefix)) return Place::kInside;
  return key < prefix ? Place::kBefore : Place::kAfter;
}

}  // namespace

std::optional<KeyCode> KeyCode::Parse(Slice bytes) noexcept {
  if (bytes.size() < kFixedBytes) return std::nullopt;
  KeyCode code;
  const unsigned context = ByteAt(bytes, 0);
  code.slot_bits_ = ByteAt(bytes, 1);
  const std::size_t prefix = LoadLittle<std::uint16_t>(bytes.data() + 2);
  code.table_bytes_ = LoadLittle<std::uint16_t>(bytes.data() + 4);
  const unsigned stop_bits = ByteAt(bytes, 6);
  if (IsReserved(bytes) || code.slot_bits_ < 1 ||
      code.slot_bits_ > kMaxContextBits || stop_bits > kMaxStopBits ||
      code.table_bytes_ > kMaxCodeTableBytes) {
    return std::nullopt;
  }
  code.min_width_ = std::uint64_t{1} << stop_bits;
  code.context_ = static_cast<RangeContext>(context);
  const std::size_t slots = std::size_t{2} << code.slot_bits_;
  code.size_ = kFixedBytes + prefix + slots + code.table_bytes_;
  if (bytes.size() < code.size_) return std::nullopt;
  code.prefix_ = bytes.substr(kFixedBytes, prefix);
  code.slots_ = reinterpret_cast<const std::uint8_t*>(bytes.data()) +
                kFixedBytes + prefix;
  code.tables_ = code.slots_ + slots;
  if (!code.TablesAreWhole()) return std::nullopt;
  return code;
}

bool KeyCode::IsReserved(Slice bytes) noexcept {
  return bytes.size() >= kFixedBytes &&
         (ByteAt(bytes, 0) >= kRangeContexts || ByteAt(bytes, 7) != 0);
}

bool KeyCode::TablesAreWhole() const noexcept {
  for (std::size_t slot = 0; slot < std::size_t{1} << slot_bits_; ++slot) {
    const auto at = LoadLittle<std::uint16_t>(slots_ + 2 * slot);
    if (at != kNoTable && !IsTable(at)) return false;
  }
  return true;
}

bool KeyCode::IsTable(std::size_t at) const noexcept {
  if (table_bytes_ < kTableHeaderBytes ||
      at > table_bytes_ - kTableHeaderBytes) {
    return false;
  }
  const std::uint8_t* table = tables_ + at;
  const std::size_t count = table[1];
  const bool is_list = table[0] == kListTable;
  if (table[0] > kSpanTable || count == 0) return false;
  if (!is_list && table[2] + count > 256) return false;
  if (table_bytes_ - at < kTableHeaderBytes + count * (is_list ? 3 : 2)) {
    return false;
  }
  const std::uint8_t* symbols = table + kTableHeaderBytes;
  const std::uint8_t* starts = is_list ? symbols + count : symbols;
  for (std::size_t i = 1; i < count; ++i) {
    if (is_list && symbols[i] <= symbols[i - 1]) return false;
    if (LoadShare(starts, i) < LoadShare(starts, i - 1)) {
      return false;
    }
  }
  return true;
}

std::uint64_t KeyCode::CodeOf(Slice key) const noexcept {
  const Place place = PlaceOf(key, prefix_);
  if (place != Place::kInside) return 0;
  key.remove_prefix(prefix_.size());
  return WithContext(context_, [&]<RangeContext kContext>() {
    KeyCoder<kContext> coder(*this);
    coder.Push(key);
    return coder.code();
  });
}

std::vector<std::uint64_t> KeyCode::CodesOf(
    std::span<const Slice> sorted) const {
  std::vector<std::uint64_t> codes;
  codes.reserve(sorted.size());
  WithContext(context_, [&]<RangeContext kContext>() {
    // The state before each byte of the last key, up to where its coding ended:
    // the next key continues from where the two differ.
    std::vector<KeyCoder<kContext>> states = {KeyCoder<kContext>(*this)};
    Slice last;
    for (Slice key : sorted) {
      key.remove_prefix(prefix_.size());
      const std::size_t shared =
          std::min(SharedBytes(last, key), states.size() - 1);
      states.erase(states.begin() + static_cast<std::ptrdiff_t>(shared) + 1,
                   states.end());
      for (std::size_t i = shared; i < key.size() && !states.back().is_done();
           ++i) {
        KeyCoder<kContext> next = states.back();
        next.PushByte(static_cast<std::uint8_t>(key[i]));
        states.push_back(next);
      }
      const std::uint64_t code = states.back().code();
      if (codes.empty() || codes.back() != code) codes.push_back(code);
      last = key;
    }
    return 0;
  });
  return codes;
}

std::optional<std::uint64_t> KeyCode::LowEndOf(Slice from) const noexcept {
  const Place place = PlaceOf(from, prefix_);
  if (place == Place::kAfter) return std::nullopt;
  return place == Place::kBefore ? 0 : CodeOf(from);
}

std::optional<std::uint64_t> KeyCode::HighEndOf(Slice to) const noexcept {
  const Place place = PlaceOf(to, prefix_);
  if (place == Place::kBefore) return std::nullopt;
  return place == Place::kAfter ? ~std::uint64_t{0} : CodeOf(to);
}

KeyCode::Ends KeyCode::EndsOf(Slice lo, Slice hi) const noexcept {
  const Place from = PlaceOf(lo, prefix_);
  const Place to = PlaceOf(hi, prefix_);
  if (from == Place::kAfter || to == Place::kBefore) return {true, 0, 0};
  if (from == Place::kInside) lo.remove_prefix(prefix_.size());
  if (to == Place::kInside) hi.remove_prefix(prefix_.size());
  return WithContext(context_, [&]<RangeContext kContext>() -> Ends {
    KeyCoder<kContext> coder(*this);
    if (from != Place::kInside || to != Place::kInside) {
      Ends ends{false, 0, ~std::uint64_t{0}};
      KeyCoder<kContext> other(*this);
      if (from == Place::kInside) {
        coder.Push(lo);
        ends.lo = coder.code();
      }
      if (to == Place::kInside) {
        other.Push(hi);
        ends.hi = other.code();
      }
      return ends;
    }
    const std::size_t shared = SharedBytes(lo, hi);
    coder.Push(lo.substr(0, shared));
    KeyCoder<kContext> other = coder;
    coder.Push(lo.substr(shared));
    other.Push(hi.substr(shared));
    return {false, coder.code(), other.code()};
  });
}

}  // namespace tamis
