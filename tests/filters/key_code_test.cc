// SPDX-License-Identifier: Apache-2.0
#include "filters/range/key_code.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"

namespace tamis {
namespace {

using Random = std::mt19937_64;

// A code as docs/formats/tamis-range.md defines it, without any table that is
// made ready: one list of pairs of a byte and its start for each slot.
struct PlainCode {
  struct Table {
    bool exists = false;
    std::vector<std::pair<unsigned, std::uint64_t>> symbols;
  };
  unsigned stop_bits = 0;
  RangeContext context = RangeContext::kPosition;
  unsigned slot_bits = 1;
  std::vector<Table> slots;

  template <RangeContext kContext>
  std::uint64_t CodeIn(const std::string& key) const {
    ContextWalk<kContext> walk;
    std::uint64_t low = 0;
    std::uint64_t width = ~std::uint64_t{0};
    for (const char c : key) {
      if (width < std::uint64_t{1} << stop_bits) break;
      const auto byte = static_cast<std::uint8_t>(c);
      const auto [from, to] = ShareOf(slots[walk.Slot(slot_bits)], byte);
      const auto part = [width](std::uint64_t share) {
        return (width >> 16) * share + (((width & 0xffff) * share) >> 16);
      };
      low += part(from);
      width = part(to) - part(from);
      walk.Push(byte);
    }
    return low;
  }
  std::uint64_t CodeOf(const std::string& key) const {
    switch (context) {
      case RangeContext::kField:
        return CodeIn<RangeContext::kField>(key);
      case RangeContext::kFamily:
        return CodeIn<RangeContext::kFamily>(key);
      case RangeContext::kDigits:
        return CodeIn<RangeContext::kDigits>(key);
      case RangeContext::kOrder2:
        return CodeIn<RangeContext::kOrder2>(key);
      default:
        return CodeIn<RangeContext::kPosition>(key);
    }
  }

  static std::pair<std::uint64_t, std::uint64_t> ShareOf(const Table& table,
                                                         std::uint8_t byte) {
    if (!table.exists) return {256u * byte, 256u * byte + 256};
    for (std::size_t i = 0; i < table.symbols.size(); ++i) {
      const auto [symbol, start] = table.symbols[i];
      if (symbol < byte) continue;
      if (symbol > byte) return {start, start};
      const bool is_last = i + 1 == table.symbols.size();
      return {start, is_last ? 65536 : table.symbols[i + 1].second};
    }
    return {65536, 65536};
  }
};

void PutShort(std::uint64_t number, std::string* bytes) {
  bytes->push_back(static_cast<char>(number & 0xff));
  bytes->push_back(static_cast<char>(number >> 8));
}

// How tables are drawn: few or many symbols, of a small alphabet or of all.
struct Draw {
  RangeContext context;
  unsigned slot_bits;
  unsigned alphabet;      // symbols are below this
  std::size_t symbols;    // of a table, at most
  bool may_begin_empty;   // the first shares may be of no size
  double tables_missing;  // the part of the slots without one
};

std::string BytesOf(const Draw& draw, Random* random, PlainCode* plain) {
  *plain = {.stop_bits = static_cast<unsigned>((*random)() % 12),
            .context = draw.context,
            .slot_bits = draw.slot_bits,
            .slots = {}};
  std::string slots;
  std::string tables;
  for (std::size_t slot = 0; slot < std::size_t{1} << draw.slot_bits; ++slot) {
    PlainCode::Table& table = plain->slots.emplace_back();
    const double chance = static_cast<double>((*random)() % 1000) / 1000;
    if (chance < draw.tables_missing || tables.size() > 60'000) {
      PutShort(kNoTable, &slots);
      continue;
    }
    table.exists = true;
    const bool is_span = (*random)() % 2 == 0;
    const std::size_t count = 1 + (*random)() % draw.symbols;
    std::vector<unsigned> bytes;
    if (is_span) {
      const auto first =
          static_cast<unsigned>((*random)() % (draw.alphabet - count + 1));
      for (unsigned i = 0; i < count; ++i) bytes.push_back(first + i);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        bytes.push_back(static_cast<unsigned>((*random)() % draw.alphabet));
      }
      std::sort(bytes.begin(), bytes.end());
      bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
    }
    std::vector<std::uint64_t> starts;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      starts.push_back((*random)() % 65536);
    }
    std::sort(starts.begin(), starts.end());
    if ((*random)() % 2 == 0) starts.front() = 0;
    if (draw.may_begin_empty && starts.size() > 1) starts[0] = starts[1] = 0;
    PutShort(tables.size(), &slots);
    tables.push_back(is_span ? '\1' : '\0');
    tables.push_back(static_cast<char>(bytes.size()));
    tables.push_back(static_cast<char>(bytes.front()));
    for (const unsigned byte : bytes) {
      if (!is_span) tables.push_back(static_cast<char>(byte));
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      PutShort(starts[i], &tables);
      table.symbols.emplace_back(bytes[i], starts[i]);
    }
  }
  std::string code = {static_cast<char>(draw.context),
                      static_cast<char>(draw.slot_bits), '\0', '\0'};
  PutShort(tables.size(), &code);
  code.push_back(static_cast<char>(plain->stop_bits));
  code.push_back('\0');
  return code + slots + tables;
}

class KeyCodes : public ::testing::TestWithParam<Draw> {};

// Of tables that are made ready for queries and of those that are not: all
// give the codes of the page.
TEST_P(KeyCodes, AreThoseOfTheDefinition) {
  Random random(7);
  for (int round = 0; round < 40; ++round) {
    PlainCode plain;
    const std::string bytes = BytesOf(GetParam(), &random, &plain);
    const std::optional<KeyCode> code = KeyCode::Parse(bytes);
    ASSERT_TRUE(code.has_value());
    std::vector<std::string> keys;
    for (int i = 0; i < 60; ++i) {
      std::string key(random() % 12, '\0');
      for (char& c : key) {
        // Bytes beyond the alphabet now and then.
        c = static_cast<char>(
            random() % 16 == 0 ? random() : random() % GetParam().alphabet);
      }
      keys.push_back(std::move(key));
    }
    for (const std::string& key : keys) {
      ASSERT_EQ(code->CodeOf(key), plain.CodeOf(key));
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
      const KeyCode::Ends ends = code->EndsOf(keys[i], keys[i + 1]);
      ASSERT_FALSE(ends.empty);
      ASSERT_EQ(ends.lo, plain.CodeOf(keys[i]));
      ASSERT_EQ(ends.hi, plain.CodeOf(keys[i + 1]));
      ASSERT_LE(ends.lo, ends.hi);
    }
    std::vector<std::uint64_t> codes;
    for (const std::string& key : keys) codes.push_back(plain.CodeOf(key));
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    const std::vector<Slice> sorted(keys.begin(), keys.end());
    ASSERT_EQ(code->CodesOf(sorted), codes);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tables, KeyCodes,
    ::testing::Values(Draw{RangeContext::kPosition, 4, 256, 255, false, 0.2},
                      // More than are made ready.
                      Draw{RangeContext::kPosition, 6, 256, 255, false, 0},
                      // Those of other writers.
                      Draw{RangeContext::kPosition, 4, 16, 16, true, 0.2},
                      Draw{RangeContext::kField, 5, 128, 12, false, 0.2},
                      Draw{RangeContext::kFamily, 6, 128, 12, true, 0.2},
                      Draw{RangeContext::kDigits, 6, 64, 10, false, 0.1},
                      Draw{RangeContext::kOrder2, 8, 256, 200, false, 0.1}));

}  // namespace
}  // namespace tamis
