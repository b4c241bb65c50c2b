// SPDX-License-Identifier: Apache-2.0
#include "filters/range/build.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "filters/range/key_code_trainer.h"
#include "filters/range/shared_bytes.h"

namespace tamis {
namespace {

// Codes that a builder tries.  More slots keep contexts apart that fewer would
// mix, and take 2 bytes each.
constexpr std::array kShapes = {
    CodeShape{RangeContext::kPosition, 5}, CodeShape{RangeContext::kField, 6},
    CodeShape{RangeContext::kField, 8},    CodeShape{RangeContext::kFamily, 8},
    CodeShape{RangeContext::kDigits, 6},   CodeShape{RangeContext::kDigits, 8},
    CodeShape{RangeContext::kOrder1, 8},   CodeShape{RangeContext::kOrder2, 10},
    CodeShape{RangeContext::kOrder3, 12}};

// Keys of the sample by which a code is chosen, and of the one that makes its
// tables.
constexpr std::size_t kTrialKeys = 4096;
constexpr std::size_t kMinTrialKeys = 1024;
constexpr std::size_t kTrainingKeys = 32768;
// A trial takes one key in so many, so that few keys do not take long.
constexpr std::size_t kKeysPerTrial = 16;
// Runs of neighbours by which a code is judged.
constexpr std::size_t kRuns = 8;
constexpr std::size_t kMinRuns = 3;
constexpr std::size_t kRunKeys = 256;
// The bytes that place a key between its neighbours: those that they share,
// and so many more.
constexpr std::size_t kBytesBeyondShared = 4;
constexpr std::size_t kMaxPrefix = 65535;
// A code with so many times the least rate is taken without trying others.
constexpr double kGoodEnough = 1.15;
// Codes are exact to a small part of the narrowest cells that were seen; other
// cells may be narrower.
constexpr unsigned kSpareBits = 6;

class Keys {
 public:
  explicit Keys(std::span<const Slice> keys) : keys_(keys) {
    if (keys.empty()) return;
    const std::size_t shared = SharedBytes(keys.front(), keys.back());
    prefix_ = keys.front().substr(0, std::min(shared, kMaxPrefix));
  }

  // One key of each `step`, at most `most` keys.
  std::vector<SampledKey> Sample(std::size_t most) const {
    const std::size_t step = (keys_.size() + most - 1) / most;
    std::vector<SampledKey> sample;
    sample.reserve(most);
    for (std::size_t i = step / 2; i < keys_.size(); i += step) {
      std::size_t needed = 0;
      if (i > 0) needed = SharedBytes(keys_[i - 1], keys_[i]);
      if (i + 1 < keys_.size()) {
        needed = std::max(needed, SharedBytes(keys_[i], keys_[i + 1]));
      }
      const Slice rest = keys_[i].substr(prefix_.size());
      needed -= prefix_.size();
      sample.push_back(
          {.key = rest,
           .needed = std::min(needed + kBytesBeyondShared, rest.size()),
           .telling = std::min(needed + 1, rest.size())});
    }
    return sample;
  }

  std::string Train(const CodeShape& shape,
                    std::span<const SampledKey> sample) const {
    return TrainKeyCode(
        shape,
        {sample, prefix_,
         static_cast<double>(keys_.size()) /
             static_cast<double>(std::max<std::size_t>(sample.size(), 1))});
  }

  // The codes of all keys from number `from` on, without repeats.
  std::vector<std::uint64_t> Encode(const KeyCode& code, std::size_t from,
                                    std::size_t count) const {
    return code.CodesOf(keys_.subspan(from, count));
  }

  std::size_t size() const noexcept { return keys_.size(); }

 private:
  std::span<const Slice> keys_;
  Slice prefix_;
};

// Keys that share a cell, and those that share a code, which are not among the
// codes.
double RateOf(const CellShape& shape, std::span<const std::uint64_t> codes,
              std::span<const std::uint32_t> starts,
              std::size_t keys) noexcept {
  if (keys == 0) return 0;
  const auto codes_count = static_cast<double>(codes.size());
  const double hidden = static_cast<double>(keys) - codes_count;
  const double shared = SharedCells(shape, codes, starts) * codes_count;
  return std::min(1.0, (shared + 2 * hidden) / static_cast<double>(keys));
}

// What a code would be like: its rate, from runs of neighbours, and the least
// width of their cells.
struct Verdict {
  double rate = 0;
  unsigned width_bits = 64;
};

Verdict Judge(const Keys& keys, const KeyCode& code, double bits_per_key) {
  const std::size_t runs = std::min(
      std::max<std::size_t>(keys.size() / kRunKeys, 1),
      std::clamp(keys.size() / (kRunKeys * kKeysPerTrial), kMinRuns, kRuns));
  const std::size_t length = std::min(keys.size(), kRunKeys);
  const double left = bits_per_key - 8.0 * static_cast<double>(code.size()) /
                                         static_cast<double>(keys.size());
  Verdict verdict;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t from =
        runs == 1 ? 0 : run * (keys.size() - length) / (runs - 1);
    const auto codes = keys.Encode(code, from, length);
    const auto starts = CutGroups(codes);
    const CellShape shape = CellsFor(left * static_cast<double>(length),
                                     starts.size(), codes.size());
    // What a sample of so few keys says is blurred; the size of the cells is
    // not.
    verdict.rate +=
        RateOf(shape, codes, starts, length) + 1 / shape.cells_per_code();
    verdict.width_bits =
        std::min(verdict.width_bits, MinWidthBits(shape, codes, starts));
  }
  verdict.rate /= static_cast<double>(runs);
  return verdict;
}

// The verdict of a code that spreads keys evenly and takes no memory.
double LeastRate(std::size_t keys, double bits_per_key) {
  const std::size_t length = std::min(keys, kRunKeys);
  const CellShape shape =
      CellsFor(bits_per_key * static_cast<double>(length), 1, length);
  return 2 / shape.cells_per_code();
}

std::string ChooseCode(const Keys& keys, double bits_per_key) {
  const std::vector<SampledKey> trial = keys.Sample(
      std::clamp(keys.size() / kKeysPerTrial, kMinTrialKeys, kTrialKeys));
  CodeShape best = kShapes.front();
  Verdict best_verdict{.rate = 1e9};
  // Slots alone must not take more than half of the filter.
  const double most_slot_bits =
      bits_per_key * static_cast<double>(keys.size()) / 2;
  const double least = LeastRate(keys.size(), bits_per_key);
  for (const CodeShape& shape : kShapes) {
    const auto slot_bits = static_cast<double>(16u << shape.slot_bits);
    if (&shape != &kShapes.front() && slot_bits > most_slot_bits) continue;
    const std::string code = keys.Train(shape, trial);
    const Verdict verdict = Judge(keys, *KeyCode::Parse(code), bits_per_key);
    if (verdict.rate >= best_verdict.rate) continue;
    best = shape;
    best_verdict = verdict;
    if (verdict.rate < kGoodEnough * least) break;
  }
  best.stop_bits = std::min(
      kMaxStopBits, std::max(best_verdict.width_bits, kSpareBits) - kSpareBits);
  return keys.Train(best, keys.Sample(kTrainingKeys));
}

}  // namespace

CellShape CellsFor(double bits, std::uint64_t groups,
                   std::uint64_t codes) noexcept {
  CellShape best{.low_bits = 0, .highs = 32};
  const double each =
      (bits - 8.0 * static_cast<double>(groups * kGroupBytes + 16) -
       static_cast<double>(groups)) /
      static_cast<double>(std::max<std::uint64_t>(codes, 1));
  for (unsigned low_bits = 0; low_bits <= kMaxLowBits; ++low_bits) {
    const double highs = std::floor((each - low_bits - 1) * 256);
    if (!(highs >= 32)) break;
    const CellShape shape{low_bits,
                          static_cast<std::uint32_t>(std::min(highs, 65535.0))};
    if (shape.cells_per_code() > best.cells_per_code()) best = shape;
  }
  return best;
}

RangeParts BuildRange(std::span<const Slice> all, double bits_per_key) {
  const Keys keys(all);
  RangeParts parts;
  parts.code = ChooseCode(keys, bits_per_key);
  parts.codes = keys.Encode(*KeyCode::Parse(parts.code), 0, keys.size());
  parts.starts = CutGroups(parts.codes);
  double bits = bits_per_key * static_cast<double>(keys.size()) -
                8.0 * static_cast<double>(parts.code.size());
  // Of a few keys, code and records would leave nothing for cells.
  if (keys.size() < kMaxGroupCodes) {
    const auto records = static_cast<double>(parts.starts.size());
    bits = bits_per_key * static_cast<double>(keys.size()) +
           8.0 * (records * kGroupBytes + 16) + records;
  }
  parts.shape = CellsFor(bits, parts.starts.size(), parts.codes.size());
  parts.rate = RateOf(parts.shape, parts.codes, parts.starts, keys.size());
  return parts;
}

}  // namespace tamis
