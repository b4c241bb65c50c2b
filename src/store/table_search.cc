#include "store/table_search.h"

namespace tamis {
namespace {

constexpr std::array<unsigned char, kLineBytes> AllOnes() {
  std::array<unsigned char, kLineBytes> line{};
  for (unsigned char& byte : line) byte = 0xff;
  return line;
}

}  // namespace

alignas(64) const std::array<unsigned char, kLineBytes> TableSearch::kNoLine =
    AllOnes();

void Lookup::HashByOther() const noexcept {
  other_digest_ = LineDigest(key.user(), other_seed_);
  has_other_ = true;
}

// Inline, for a hundred tables come here one after the other.
inline void TableSearch::Push(const FilterSlot& slot, std::size_t i,
                              int number) noexcept {
  const unsigned char* block = kNoLine.data();
  if (const unsigned char* lines = slot.lines(); lines != nullptr) {
    const unsigned shape = slot.shape();
    if (probes_ == 0) probes_ = shape & ~FilterSlot::kOtherSeed;
    if (shape == probes_) {
      const LineFilter filter = {.lines = lines, .count = slot.count()};
      block = filter.LineOf(lookup_.digest);
      __builtin_prefetch(block);
    } else {
      other_shapes_ |= shape;
    }
  }
  candidates_[size_] = {static_cast<std::uint32_t>(i), number};
  queries_[size_] = {block, LineBitsOf(lookup_.digest)};
  ++size_;
}

// Apart from the rest, so that a lookup that meets none of them pays nothing.
void TableSearch::AskByOtherSeed() noexcept {
  const std::uint64_t digest = lookup_.other_digest();
  for (std::size_t i = 0; i < size_; ++i) {
    const FilterSlot& its = slot(i);
    const unsigned char* const lines = its.lines();
    if (lines == nullptr || its.shape() != (probes_ | FilterSlot::kOtherSeed)) {
      continue;
    }
    const LineFilter filter = {.lines = lines, .count = its.count()};
    filter.Prefetch(digest);
    queries_[i] = filter.QueryOf(digest);
  }
}

void TableSearch::GatherLevel0() noexcept {
  const Level& level = version_.level(0);
  const KeyOrder& order = version_.order();
  if (order.is_bytewise()) return GatherLevel0Bytewise(level);
  const Slice key = lookup_.key.user();
  while (next_level0_ < level.size() && size_ < kGroup) {
    const std::size_t i = next_level0_++;
    const TableFile& file = *level.files()[i];
    if (order.CompareUser(UserKeyOf(file.smallest()), key) <= 0 &&
        order.CompareUser(key, UserKeyOf(file.largest())) <= 0) {
      Push(level.slot(i), i, 0);
    }
  }
}

void TableSearch::GatherLevel0Bytewise(const Level& level) noexcept {
  const std::size_t count = level.size();
  std::size_t i = next_level0_;
  if (i >= count) return;
  const Level::Probe probe = level.ProbeOf(lookup_.key.user());
  if (probe.outside) {
    next_level0_ = count;
    return;
  }
  const Level::Spans spans = level.spans();
  const FilterSlot* const slots = &level.slot(0);
  for (; i < count && size_ < kGroup; ++i) {
    if (spans.first[i] <= probe.prefix && probe.prefix <= spans.last[i]) {
      Push(slots[i], i, 0);
    }
  }
  next_level0_ = i;
}

void TableSearch::Gather() noexcept {
  size_ = 0;
  probes_ = 0;
  other_shapes_ = 0;
  GatherLevel0();
  const std::vector<int>& filled = version_.filled_levels();
  while (next_filled_ < filled.size() && size_ < kGroup) {
    const int number = filled[next_filled_++];
    const Level& level = version_.level(number);
    const std::size_t at = level.FindHolder(lookup_.key.internal());
    if (at < level.size()) Push(level.slot(at), at, number);
  }
  if ((other_shapes_ & FilterSlot::kOtherSeed) != 0) AskByOtherSeed();
}

void TableSearch::Check() noexcept {
  // Where no filter's lines are known, any number of probes says "maybe".
  const LineProbes probes = TamisLineProbes(probes_ == 0 ? 1 : probes_);
  ActiveKernels().check_lines(queries_.data(), size_, probes, may_hold_.data());
}

}  // namespace tamis
