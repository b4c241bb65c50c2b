// SPDX-License-Identifier: Apache-2.0
// filters/range/key_coder.h -- the steps of a KeyCode, byte by byte: from a key
// to its interval, and from a code back to the first key that has it or more.

#pragma once

#include <cstdint>

#include "base/coding.h"
#include "base/word_bits.h"
#include "filters/range/key_code.h"
#include "tamis/slice.h"

namespace tamis {

inline constexpr std::size_t kTableHeaderBytes = 3;

// The part of an interval at which a share begins: width * share / 2^16.
inline std::uint64_t PartOf(std::uint64_t width, std::uint32_t share) noexcept {
  return (width >> 16) * share + (((width & 0xffff) * share) >> 16);
}

struct Share {
  std::uint32_t start;
  std::uint32_t end;  // start: the symbol has none
};

// Where a symbol's share begins, in a table's array of them.
inline std::uint32_t LoadShare(const std::uint8_t* starts,
                               std::size_t i) noexcept {
  return LoadLittle<std::uint16_t>(starts + 2 * i);
}

// Returns how many of a list's symbols are less than `byte`.
inline unsigned SymbolsBelow(const std::uint8_t* symbols, unsigned count,
                             std::uint8_t byte) noexcept {
  if (count < 3) {
    unsigned below = 0;
    for (unsigned i = 0; i < count; ++i) below += symbols[i] < byte ? 1u : 0u;
    return below;
  }
  // Eight at a time.  Of 3 or more, those too many are still in the table,
  // because two bytes per symbol follow.
  unsigned below = 0;
  unsigned i = 0;
  for (; i + 8 <= count; i += 8) {
    below += BytesBelow(LoadLittle64(symbols + i), byte, kTopOfEachByte);
  }
  if (i == count) return below;
  const std::uint64_t mask = kTopOfEachByte >> 8 * (8 - (count - i));
  return below + BytesBelow(LoadLittle64(symbols + i), byte, mask);
}

// A table of symbols in ascending order.
inline Share ShareInList(const std::uint8_t* table,
                         std::uint8_t byte) noexcept {
  const unsigned count = table[1];
  const std::uint8_t* symbols = table + kTableHeaderBytes;
  const std::uint8_t* starts = symbols + count;
  const unsigned i = SymbolsBelow(symbols, count, byte);
  if (i == count) return {kWholeShare, kWholeShare};
  const std::uint32_t start = LoadShare(starts, i);
  if (symbols[i] != byte) return {start, start};
  return {start,
          i + 1 == count ? kWholeShare : LoadShare(starts, std::size_t{i} + 1)};
}

// A table of all bytes from the one in its header on.
inline Share ShareInSpan(const std::uint8_t* table,
                         std::uint8_t byte) noexcept {
  const unsigned count = table[1];
  const std::uint8_t* starts = table + kTableHeaderBytes;
  const unsigned first = table[2];
  if (byte < first) {
    const std::uint32_t start = LoadShare(starts, 0);
    return {start, start};
  }
  const unsigned i = byte - first;
  if (i >= count) return {kWholeShare, kWholeShare};
  return {LoadShare(starts, i),
          i + 1 == count ? kWholeShare : LoadShare(starts, std::size_t{i} + 1)};
}

// Any table.  It is not inlined: the others need the registers.
[[gnu::noinline]] inline Share ShareIn(const std::uint8_t* table,
                                       std::uint8_t byte) noexcept {
  return table[0] == kListTable ? ShareInList(table, byte)
                                : ShareInSpan(table, byte);
}

// The state of coding one key; a copy continues from the same place.
template <RangeContext kContext>
class KeyCoder {
 public:
  // What each step needs of a code: a loop keeps it in registers.
  struct Tables {
    explicit Tables(const KeyCode& code) noexcept
        : numbers(code.numbers_.data()),
          read(code.read_.data()),
          limits(code.limits_.data()),
          bytes(code.tables_),
          min_width(code.min_width_),
          slot_bits(code.slot_bits_) {}

    const std::uint16_t* numbers;
    const CodeTable* read;
    const std::uint16_t* limits;
    const std::uint8_t* bytes;
    std::uint64_t min_width;
    unsigned slot_bits;
  };

  explicit KeyCoder(const KeyCode& code) noexcept : code_(&code) {}

  void Push(const char* from, const char* to) noexcept {
    const Tables tables(*code_);  // in registers, as what follows
    KeyCoder here = *this;
    for (; from != to && here.width_ >= tables.min_width; ++from) {
      here.PushByte(tables, static_cast<std::uint8_t>(*from));
    }
    *this = here;
  }
  // REQUIRES: !is_done()
  void PushByte(std::uint8_t byte) noexcept { PushByte(Tables(*code_), byte); }
  [[gnu::always_inline]] void PushByte(const Tables& tables,
                                       std::uint8_t byte) noexcept {
    const CodeTable& table =
        tables.read[tables.numbers[walk_.Slot(tables.slot_bits)]];
    walk_.Push(byte);
    const auto i = static_cast<std::uint32_t>(byte) - table.first;
    if (table.kind == CodeTable::Kind::kReady && i < table.span) {
      const std::uint16_t* limits = tables.limits + table.limits + i;
      return Narrow(
          {limits[0], static_cast<std::uint16_t>(limits[1] - 1) + 1u});
    }
    if (table.kind == CodeTable::Kind::kConstant && i == 0) return;
    if (table.kind == CodeTable::Kind::kUniform) {
      return Narrow({byte * 256u, byte * 256u + 256u});
    }
    Narrow(ShareIn(tables.bytes + table.stored, byte));
  }

  // The code of the bytes so far.  Those that begin with them have this code or
  // more, at most code() + width(); this one alone if is_done().
  std::uint64_t code() const noexcept { return low_; }
  bool is_done() const noexcept { return width_ < code_->min_width_; }

  // Returns the smallest byte with which keys may reach `code`: those with a
  // smaller byte have less.
  // REQUIRES: !is_done(), and code() < code <= code() + width()
  std::uint8_t ByteTowards(std::uint64_t code) const noexcept {
    const std::uint64_t distance = code - low_;
    const std::uint8_t* table = Table();
    if (table == nullptr) {
      return static_cast<std::uint8_t>(
          FirstOf(256, [&](std::size_t i) noexcept {
            return PartOf(width_, static_cast<std::uint32_t>(256 * (i + 1))) >=
                   distance;
          }));
    }
    const std::size_t count = table[1];
    const bool is_list = table[0] == kListTable;
    const std::uint8_t* symbols = table + kTableHeaderBytes;
    const std::uint8_t* starts = is_list ? symbols + count : symbols;
    if (PartOf(width_, LoadShare(starts, 0)) >= distance) return 0;
    // The last share ends with the interval, and so far reaches every code.
    const std::size_t i = FirstOf(count, [&](std::size_t n) noexcept {
      return n + 1 == count ||
             PartOf(width_, LoadShare(starts, n + 1)) >= distance;
    });
    return static_cast<std::uint8_t>(is_list ? symbols[i] : table[2] + i);
  }

 private:
  // The first number below `count` for which `holds` holds, as it then does for
  // all after it.
  template <typename Holds>
  static std::size_t FirstOf(std::size_t count, const Holds& holds) noexcept {
    std::size_t from = 0;
    while (count > 0) {
      const std::size_t half = count / 2;
      if (holds(from + half)) {
        count = half;
      } else {
        from += half + 1;
        count -= half + 1;
      }
    }
    return from;
  }

  // The table of the next byte; null: all bytes are equally likely.
  const std::uint8_t* Table() const noexcept {
    const std::size_t slot = walk_.Slot(code_->slot_bits_);
    const auto at = LoadLittle<std::uint16_t>(code_->slots_ + 2 * slot);
    return at == kNoTable ? nullptr : code_->tables_ + at;
  }

  // A share without a size leaves a width of 0, with which coding ends.
  void Narrow(Share share) noexcept {
    const std::uint64_t start = PartOf(width_, share.start);
    low_ += start;
    width_ = PartOf(width_, share.end) - start;
  }

  const KeyCode* code_;
  ContextWalk<kContext> walk_;
  std::uint64_t low_ = 0;
  std::uint64_t width_ = ~std::uint64_t{0};
};

// Calls work with the constant of the context.
template <typename Work>
auto WithContext(RangeContext context, const Work& work) {
  switch (context) {
    case RangeContext::kPosition:
      break;
    case RangeContext::kField:
      return work.template operator()<RangeContext::kField>();
    case RangeContext::kFamily:
      return work.template operator()<RangeContext::kFamily>();
    case RangeContext::kDigits:
      return work.template operator()<RangeContext::kDigits>();
    case RangeContext::kOrder1:
      return work.template operator()<RangeContext::kOrder1>();
    case RangeContext::kOrder2:
      return work.template operator()<RangeContext::kOrder2>();
    case RangeContext::kOrder3:
      return work.template operator()<RangeContext::kOrder3>();
  }
  return work.template operator()<RangeContext::kPosition>();
}

}  // namespace tamis
