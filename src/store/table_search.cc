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

void TableSearch::Push(const Level& level, std::size_t i, int number) noexcept {
  const FilterSlot& slot = level.slot(i);
  BlockQuery query{kNoLine.data(), LineBitsOf(lookup_.digest)};
  if (const unsigned char* lines = slot.lines(); lines != nullptr) {
    if (probes_ == 0) probes_ = slot.probes();
    if (slot.probes() == probes_) {
      query.block =
          lines + MultiplyHigh(lookup_.digest, slot.count()) * kLineBytes;
      __builtin_prefetch(query.block);
    }
  }
  candidates_[size_] = {&level, i, number};
  queries_[size_] = query;
  ++size_;
}

void TableSearch::GatherLevel0() noexcept {
  const Level& level = version_.level(0);
  if (next_level0_ >= level.size()) return;
  const Slice key = lookup_.key.user();
  if (!version_.order().is_bytewise()) {
    const KeyOrder& order = version_.order();
    while (next_level0_ < level.size() && size_ < kGroup) {
      const std::size_t i = next_level0_++;
      const TableFile& file = *level.files()[i];
      if (order.CompareUser(UserKeyOf(file.smallest()), key) <= 0 &&
          order.CompareUser(key, UserKeyOf(file.largest())) <= 0) {
        Push(level, i, 0);
      }
    }
    return;
  }
  const Level::Probe probe = level.ProbeOf(key);
  if (probe.outside) next_level0_ = level.size();
  while (next_level0_ < level.size() && size_ < kGroup) {
    const std::size_t i = next_level0_++;
    if (level.MaySpan(i, probe)) Push(level, i, 0);
  }
}

void TableSearch::Gather() noexcept {
  size_ = 0;
  probes_ = 0;
  GatherLevel0();
  const std::vector<int>& filled = version_.filled_levels();
  while (next_filled_ < filled.size() && size_ < kGroup) {
    const int number = filled[next_filled_++];
    const Level& level = version_.level(number);
    const std::size_t at = level.FindHolder(lookup_.key.internal());
    if (at < level.size()) Push(level, at, number);
  }
}

void TableSearch::Check() noexcept {
  // Where no filter's lines are known, any number of probes says "maybe".
  const LineProbes probes = TamisLineProbes(probes_ == 0 ? 1 : probes_);
  ActiveKernels().check_lines(queries_.data(), size_, probes, may_hold_.data());
}

}  // namespace tamis
