// SPDX-License-Identifier: Apache-2.0
#include "filters/range/key_code_trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numeric>
#include <vector>

#include "base/coding.h"

namespace tamis {
namespace {

// Symbol 0 is the end of the key, and symbol 1 + b the byte b.
constexpr std::size_t kSymbols = 257;
using Counts = std::array<std::uint32_t, kSymbols>;
constexpr std::size_t kEnd = 0;
constexpr std::size_t SymbolOf(std::uint8_t byte) { return 1u + byte; }

// The symbols in a context.
struct Context {
  Counts counts = {};
  bool tells = false;  // some key from its neighbour
};

// The counts of the contexts that occur; many a slot has none.
class ContextCounts {
 public:
  explicit ContextCounts(unsigned slot_bits)
      : slot_bits_(slot_bits), number_(std::size_t{1} << slot_bits, kNone) {}

  unsigned slot_bits() const noexcept { return slot_bits_; }
  std::size_t slots() const noexcept { return number_.size(); }

  Context& In(std::uint32_t slot) {
    if (number_[slot] == kNone) {
      number_[slot] = static_cast<std::uint32_t>(contexts_.size());
      contexts_.emplace_back();
    }
    return contexts_[number_[slot]];
  }
  // Null: nothing was counted there.
  const Context* Find(std::size_t slot) const noexcept {
    return number_[slot] == kNone ? nullptr : &contexts_[number_[slot]];
  }
  std::deque<Context>& contexts() noexcept { return contexts_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  unsigned slot_bits_;
  std::vector<std::uint32_t> number_;
  std::deque<Context> contexts_;
};

template <RangeContext kContext>
void CountIn(std::span<const SampledKey> keys, ContextCounts* counts) {
  const unsigned slot_bits = counts->slot_bits();
  for (const SampledKey& sampled : keys) {
    ContextWalk<kContext> walk;
    for (std::size_t i = 0; i < sampled.needed; ++i) {
      const auto byte = static_cast<std::uint8_t>(sampled.key[i]);
      Context& context = counts->In(walk.Slot(slot_bits));
      ++context.counts[SymbolOf(byte)];
      context.tells |= i < sampled.telling;
      walk.Push(byte);
    }
    if (sampled.needed == sampled.key.size()) {
      ++counts->In(walk.Slot(slot_bits)).counts[kEnd];
    }
  }
}

// Bytes that tell no key from another may all be alike, as the last digits of
// round numbers are.  Other numbers will be asked for: were there no place for
// them, all of them would be where the next key is.
void ExpectOthers(Counts* counts) {
  const std::size_t zero = SymbolOf('0');
  const std::size_t text = SymbolOf(' ');
  const std::size_t beyond = SymbolOf('~') + 1;
  const auto any = [&](std::size_t from, std::size_t to) {
    return std::any_of(counts->begin() + static_cast<std::ptrdiff_t>(from),
                       counts->begin() + static_cast<std::ptrdiff_t>(to),
                       [](std::uint32_t count) { return count > 0; });
  };
  if (any(zero, zero + 10) && !any(SymbolOf(0), zero) &&
      !any(zero + 10, kSymbols)) {
    const auto first = counts->begin() + static_cast<std::ptrdiff_t>(zero);
    const auto total = std::accumulate(first, first + 10, std::uint32_t{0});
    std::fill_n(first, 10, total / 10 + 1);
  } else if (!any(text, beyond)) {
    counts->fill(0);  // all bytes are equally likely
  }
}

ContextCounts CountAll(const CodeShape& shape,
                       std::span<const SampledKey> keys) {
  ContextCounts counts(shape.slot_bits);
  constexpr std::array kCounters = {
      CountIn<RangeContext::kPosition>, CountIn<RangeContext::kField>,
      CountIn<RangeContext::kFamily>,   CountIn<RangeContext::kDigits>,
      CountIn<RangeContext::kOrder1>,   CountIn<RangeContext::kOrder2>,
      CountIn<RangeContext::kOrder3>};
  static_assert(kCounters.size() == kRangeContexts);
  kCounters[static_cast<std::size_t>(shape.context)](keys, &counts);
  for (Context& context : counts.contexts()) {
    if (!context.tells) ExpectOthers(&context.counts);
  }
  return counts;
}

// The bits that a table saves for the keys of a sample, in place of 8 for each
// byte; what is expected of bytes that are equally likely is not counted.
double SavedBits(const Counts& counts) {
  double total = 0;
  double saved = 0;
  unsigned symbols = 0;
  for (const std::uint32_t count : counts) total += count;
  for (const std::uint32_t count : counts) {
    if (count == 0) continue;
    ++symbols;
    saved += count * (8 + std::log2(count / total));
  }
  return saved - symbols / std::log(2.0);
}

// Returns the table of a context in which some byte was counted.
std::string TableOf(const Counts& counts) {
  std::uint64_t total = 0;
  std::string symbols;
  std::vector<std::uint64_t> before;  // counts of smaller symbols
  for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
    if (symbol > 0 && counts[symbol] > 0) {
      symbols.push_back(static_cast<char>(symbol - 1));
      before.push_back(total);
    }
    total += counts[symbol];
  }
  const std::uint64_t shared = kWholeShare - symbols.size();
  const auto start_of = [&](std::size_t i) {
    return static_cast<std::uint16_t>(before[i] * shared / total + i);
  };
  const unsigned first = ByteAt(symbols, 0);
  const std::size_t span = ByteAt(symbols, symbols.size() - 1) - first + 1;
  // A span is searched without a loop, so it may be a little longer.  The
  // count of a table has one byte.
  const bool is_list = span > 255 || 2 * span > 3 * symbols.size() + 8;
  if (is_list && symbols.size() > 255) return {};
  std::string table = {static_cast<char>(is_list ? kListTable : kSpanTable),
                       static_cast<char>(is_list ? symbols.size() : span),
                       static_cast<char>(first)};
  if (is_list) table += symbols;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const unsigned last = i == 0 ? first - 1 : ByteAt(symbols, i - 1);
    // The bytes of a span without a share begin where the next one does.
    const std::size_t times = is_list ? 1 : ByteAt(symbols, i) - last;
    for (std::size_t n = 0; n < times; ++n) {
      const std::uint16_t start = start_of(i);
      table.push_back(static_cast<char>(start & 0xff));
      table.push_back(static_cast<char>(start >> 8));
    }
  }
  return table;
}

}  // namespace

std::string TrainKeyCode(const CodeShape& shape, const KeySample& sample) {
  const ContextCounts counts = CountAll(shape, sample.keys);
  std::string slots;
  std::string tables;
  for (std::size_t slot = 0; slot < counts.slots(); ++slot) {
    std::uint16_t at = kNoTable;
    const Context* context = counts.Find(slot);
    const double saved =
        context == nullptr ? 0 : SavedBits(context->counts) * sample.scale;
    if (saved > 0 &&
        std::any_of(context->counts.begin() + 1, context->counts.end(),
                    [](std::uint32_t count) { return count > 0; })) {
      const std::string table = TableOf(context->counts);
      if (!table.empty() && saved > 8.0 * static_cast<double>(table.size()) &&
          tables.size() + table.size() <= kMaxCodeTableBytes) {
        at = static_cast<std::uint16_t>(tables.size());
        tables += table;
      }
    }
    slots.push_back(static_cast<char>(at & 0xff));
    slots.push_back(static_cast<char>(at >> 8));
  }
  std::string code = {static_cast<char>(shape.context),
                      static_cast<char>(shape.slot_bits),
                      static_cast<char>(sample.prefix.size() & 0xff),
                      static_cast<char>(sample.prefix.size() >> 8),
                      static_cast<char>(tables.size() & 0xff),
                      static_cast<char>(tables.size() >> 8),
                      static_cast<char>(shape.stop_bits),
                      '\0'};
  return code.append(sample.prefix).append(slots).append(tables);
}

}  // namespace tamis
