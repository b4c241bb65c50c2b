// SPDX-License-Identifier: Apache-2.0
#include "filters/range/key_code.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "base/coding.h"
#include "filters/range/key_coder.h"
#include "filters/range/shared_bytes.h"

namespace tamis {
namespace {

constexpr std::size_t kFixedBytes = 8;
// Of tables that are ready for queries: 8 KiB, so that they stay in a cache.
constexpr std::size_t kMaxLimits = 4096;

// Where a key is, seen from all keys with the prefix.
enum class Place { kBefore, kInside, kAfter };

Place PlaceOf(Slice key, Slice prefix) noexcept {
  if (SharedBytes(key, prefix) == prefix.size()) return Place::kInside;
  return key < prefix ? Place::kBefore : Place::kAfter;
}

}  // namespace

std::optional<KeyCode> KeyCode::Parse(Slice bytes) {
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
  if (!code.ReadTables()) return std::nullopt;
  return code;
}

bool KeyCode::IsReserved(Slice bytes) noexcept {
  return bytes.size() >= kFixedBytes &&
         (ByteAt(bytes, 0) >= kRangeContexts || ByteAt(bytes, 7) != 0);
}

// Returns false if one is not whole.
bool KeyCode::ReadTables() {
  const std::size_t slots = std::size_t{1} << slot_bits_;
  numbers_.assign(slots, 0);
  read_.emplace_back();
  // Slots of new tables mostly follow those of others.
  std::map<std::uint16_t, std::uint16_t> known;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const auto at = LoadLittle<std::uint16_t>(slots_ + 2 * slot);
    if (at == kNoTable) continue;
    const auto [found, is_new] =
        known.emplace(at, static_cast<std::uint16_t>(read_.size()));
    if (is_new) {
      if (!IsTable(at)) return false;
      read_.push_back(ReadTable(at));
    }
    numbers_[slot] = found->second;
  }
  return true;
}

CodeTable KeyCode::ReadTable(std::uint16_t at) {
  const std::uint8_t* table = tables_ + at;
  const unsigned count = table[1];
  const bool is_list = table[0] == kListTable;
  const std::uint8_t* symbols = table + kTableHeaderBytes;
  CodeTable read;
  read.stored = at;
  read.first = is_list ? symbols[0] : table[2];
  const unsigned last = is_list ? symbols[count - 1] : read.first + count - 1;
  read.span = static_cast<std::uint16_t>(last - read.first + 1);
  read.kind = CodeTable::Kind::kStored;
  read.limits = static_cast<std::uint32_t>(limits_.size());
  const auto share_of = [&](unsigned byte) {
    return ShareIn(table, static_cast<std::uint8_t>(byte));
  };
  const Share first = share_of(read.first);
  if (count == 1 && first.start == 0) {
    read.kind = CodeTable::Kind::kConstant;
    return read;
  }
  // A first share without a size is not of our writer, and its limit could not
  // be told from 2^16.
  if (first.end == 0 || limits_.size() + read.span + 1 > kMaxLimits) {
    return read;
  }
  read.kind = CodeTable::Kind::kReady;
  limits_.push_back(static_cast<std::uint16_t>(first.start));
  for (unsigned byte = read.first; byte <= last; ++byte) {
    limits_.push_back(static_cast<std::uint16_t>(share_of(byte).end));
  }
  return read;
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
    coder.Push(key.data(), key.data() + key.size());
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
    std::vector<KeyCoder<kContext>> states(32, KeyCoder<kContext>(*this));
    std::size_t coded = 0;  // bytes of the last key
    const typename KeyCoder<kContext>::Tables tables(*this);
    Slice last;
    for (Slice key : sorted) {
      key.remove_prefix(prefix_.size());
      coded = std::min(SharedBytes(last, key), coded);
      KeyCoder<kContext> here = states[coded];
      while (coded < key.size() && !here.is_done()) {
        here.PushByte(tables, static_cast<std::uint8_t>(key[coded++]));
        if (coded == states.size()) states.resize(2 * coded, here);
        states[coded] = here;
      }
      const std::uint64_t code = here.code();
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
  const std::size_t shared = SharedBytes(lo, hi);
  const Place from = PlaceOf(lo, prefix_);
  const Place to = shared >= prefix_.size() ? from : PlaceOf(hi, prefix_);
  if (from == Place::kAfter || to == Place::kBefore) return {true, 0, 0};
  return WithContext(context_, [&]<RangeContext kContext>() -> Ends {
    KeyCoder<kContext> coder(*this);
    KeyCoder<kContext> other(*this);
    const std::size_t prefix = prefix_.size();
    if (from == Place::kInside && to == Place::kInside) {
      coder.Push(lo.data() + prefix, lo.data() + shared);
      other = coder;
      coder.Push(lo.data() + shared, lo.data() + lo.size());
      other.Push(hi.data() + shared, hi.data() + hi.size());
      return {false, coder.code(), other.code()};
    }
    Ends ends{false, 0, ~std::uint64_t{0}};
    if (from == Place::kInside) {
      coder.Push(lo.data() + prefix, lo.data() + lo.size());
      ends.lo = coder.code();
    }
    if (to == Place::kInside) {
      other.Push(hi.data() + prefix, hi.data() + hi.size());
      ends.hi = other.code();
    }
    return ends;
  });
}

}  // namespace tamis
