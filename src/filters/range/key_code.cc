// SPDX-License-Identifier: Apache-2.0
#include "filters/range/key_code.h"

#include <algorithm>

#include "base/coding.h"
#include "base/wide_math.h"

namespace tamis {
namespace {

constexpr std::size_t kFixedBytes = 8;
constexpr std::size_t kTableHeaderBytes = 3;

// The part of an interval at which a share begins: width * share / 2^16.
std::uint64_t PartOf(std::uint64_t width, std::uint32_t share) noexcept {
  return (width >> 16) * share + (((width & 0xffff) * share) >> 16);
}

struct Share {
  std::uint32_t start;
  std::uint32_t end;  // start: the symbol has none
};

std::uint32_t LoadShare(const std::uint8_t* starts, std::size_t i) noexcept {
  return LoadLittle<std::uint16_t>(starts + 2 * i);
}

// A table of symbols in ascending order.
Share ShareInList(const std::uint8_t* table, std::uint8_t byte) noexcept {
  const unsigned count = table[1];
  const std::uint8_t* symbols = table + kTableHeaderBytes;
  const std::uint8_t* starts = symbols + count;
  unsigned i = 0;
  while (i < count && symbols[i] < byte) ++i;
  if (i == count) return {kWholeShare, kWholeShare};
  const std::uint32_t start = LoadShare(starts, i);
  if (symbols[i] != byte) return {start, start};
  return {start,
          i + 1 == count ? kWholeShare : LoadShare(starts, std::size_t{i} + 1)};
}

// A table of all bytes from the one in its header on.
Share ShareInSpan(const std::uint8_t* table, std::uint8_t byte) noexcept {
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

}  // namespace

// The state of coding one key; a copy continues from the same place.
template <RangeContext kContext>
class KeyCoder {
 public:
  explicit KeyCoder(const KeyCode& code) noexcept
      : code_(&code), min_width_(code.min_width_) {}

  void Push(Slice bytes) noexcept {
    for (std::size_t i = 0; i < bytes.size() && width_ >= min_width_; ++i) {
      const auto byte = static_cast<std::uint8_t>(bytes[i]);
      Narrow(ShareOf(byte));
      walk_.Push(byte);
    }
  }

  std::uint64_t code() const noexcept { return low_; }

 private:
  Share ShareOf(std::uint8_t byte) const noexcept {
    const std::size_t slot = walk_.Slot(code_->slot_bits_);
    const auto at = LoadLittle<std::uint16_t>(code_->slots_ + 2 * slot);
    if (at == kNoTable) return {byte * 256u, byte * 256u + 256u};
    const std::uint8_t* table = code_->tables_ + at;
    return table[0] == kListTable ? ShareInList(table, byte)
                                  : ShareInSpan(table, byte);
  }

  // A share without a size leaves a width of 0, with which coding ends.
  void Narrow(Share share) noexcept {
    if (share.end - share.start == kWholeShare) return;
    const std::uint64_t start = PartOf(width_, share.start);
    low_ += start;
    width_ = PartOf(width_, share.end) - start;
  }

  const KeyCode* code_;
  std::uint64_t min_width_;
  ContextWalk<kContext> walk_;
  std::uint64_t low_ = 0;
  std::uint64_t width_ = ~std::uint64_t{0};
};

namespace {

// Calls work with the constant of the context.
template <typename Work>
auto WithContext(RangeContext context, const Work& work) noexcept {
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
  return EndsOf(key, key).lo;
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
    const auto shared = static_cast<std::size_t>(
        std::mismatch(lo.begin(),
                      lo.begin() + static_cast<std::ptrdiff_t>(
                                       std::min(lo.size(), hi.size())),
                      hi.begin())
            .first -
        lo.begin());
    coder.Push(lo.substr(0, shared));
    KeyCoder<kContext> other = coder;
    coder.Push(lo.substr(shared));
    other.Push(hi.substr(shared));
    return {false, coder.code(), other.code()};
  });
}

}  // namespace tamis
