// SPDX-License-Identifier: Apache-2.0
// Every kernel set that runs here against the portable definitions, on blocks,
// probes, alignments and ribbons taken from the input.

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "filters/bloom/line_filter.h"
#include "filters/bloom/split_block.h"
#include "filters/kernels/kernels.h"
#include "filters/ribbon/layout.h"
#include "filters/ribbon/query.h"
#include "fuzz/fuzz_support.h"

namespace tamis::fuzz {
namespace {

constexpr std::size_t kMaxBlocks = 16;

// The queries, decoded from the input.
struct Case {
  LineFactors factors;
  unsigned probes;
  std::vector<std::uint32_t> bits;  // of each query; its block is i mod blocks
  std::string blocks;               // of the larger size each
  std::size_t count;                // of blocks
};

Case CaseFrom(Slice bytes) {
  Input input(bytes);
  Case out;
  out.probes = input.TakeByte() % (kMaxLineProbes + 1);
  out.factors = PowersOf(static_cast<std::uint32_t>(input.TakeNumber(4)) | 1);
  const std::size_t queries = input.TakeByte() % 70u;
  for (std::size_t i = 0; i < queries; ++i) {
    out.bits.push_back(static_cast<std::uint32_t>(input.TakeNumber(4)));
  }
  out.count = 1 + input.TakeByte() % kMaxBlocks;
  out.blocks = std::string(input.Take(out.count * kLineBytes));
  out.blocks.resize(out.count * kLineBytes, '\xff');
  return out;
}

// The blocks, ending where the allocation ends, `offset` bytes off.
class Memory {
 public:
  Memory(const Case& c, std::size_t block_bytes, std::size_t offset)
      : size_(c.count * block_bytes),
        block_bytes_(block_bytes),
        offset_(offset),
        bytes_(new unsigned char[offset + size_]) {
    std::memcpy(At(0), c.blocks.data(), size_);
  }
  unsigned char* At(std::size_t block) {
    return bytes_.get() + offset_ + block * block_bytes_;
  }
  bool Equals(Memory* other) {
    return std::memcmp(At(0), other->At(0), size_) == 0;
  }

 private:
  std::size_t size_, block_bytes_, offset_;
  std::unique_ptr<unsigned char[]> bytes_;
};

// `one` and `many` are functions of a kernel set, `define` the portable ones.
template <typename One, typename Many, typename Define>
void CheckAnswers(const Case& c, Memory* memory, const One& one,
                  const Many& many, const Define& define) {
  std::vector<BlockQuery> queries;
  for (std::size_t i = 0; i < c.bits.size(); ++i) {
    queries.push_back({memory->At(i % c.count), c.bits[i]});
  }
  const auto out = std::make_unique<bool[]>(queries.size());
  many(queries.data(), queries.size(), out.get());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const bool expected = define(queries[i].block, queries[i].bits);
    Check(out[i] == expected, "a batch answers as defined");
    Check(one(queries[i].block, queries[i].bits) == expected,
          "a single query answers as defined");
  }
}

template <typename Many, typename Define>
void CheckMarks(const Case& c, Memory* memory, Memory* expected,
                const Many& many, const Define& define) {
  std::vector<BlockMark> marks;
  for (std::size_t i = 0; i < c.bits.size(); ++i) {
    marks.push_back({memory->At(i % c.count), c.bits[i]});
    define(expected->At(i % c.count), c.bits[i]);
  }
  many(marks.data(), marks.size());
  Check(memory->Equals(expected), "a batch marks as defined");
}

void CheckRow(const Kernels& row, const Case& c, std::size_t offset) {
  const LineProbes probes{c.factors.data(), c.probes};
  Memory lines(c, kLineBytes, offset);
  CheckAnswers(
      c, &lines,
      [&](auto* block, auto bits) {
        return row.check_line(block, bits, probes);
      },
      [&](auto* queries, auto count, bool* out) {
        row.check_lines(queries, count, probes, out);
      },
      [&](auto* block, auto bits) { return CheckLine(block, bits, probes); });
  const WideLineProbes wide(probes);
  const LineFilter filter{
      .lines = lines.At(0), .count = c.count, .probes = probes};
  for (std::size_t i = 0; i < c.bits.size(); ++i) {
    if (c.probes > WideLineProbes::kMax) break;
    const std::uint64_t hash =
        std::uint64_t{c.bits[c.bits.size() - 1 - i]} << 32 | c.bits[i];
    Check(row.check_hash(filter.lines, filter.count, hash, wide) ==
              filter.Check(hash),
          "a hash is answered as defined");
  }
  Memory marked_lines(c, kLineBytes, offset);
  CheckMarks(
      c, &marked_lines, &lines,
      [&](auto* marks, auto count) { row.mark_lines(marks, count, probes); },
      [&](auto* block, auto bits) { MarkLine(block, bits, probes); });

  Memory blocks(c, kSplitBlockBytes, offset);
  CheckAnswers(c, &blocks, row.check_split_block, row.check_split_blocks,
               CheckSplitBlock);
  Memory marked_blocks(c, kSplitBlockBytes, offset);
  CheckMarks(c, &marked_blocks, &blocks, row.mark_split_blocks, MarkSplitBlock);
}

// A layer of a bumped ribbon, decoded from the input: its bytes, repeated, end
// where the allocation ends.
struct RibbonCase {
  explicit RibbonCase(Slice bytes) {
    Input input(bytes);
    const unsigned columns = 3 + input.TakeByte() % 30u;
    const unsigned wide = columns < 32 ? input.TakeByte() % 3u : 0;
    layer = BumpedLayer(
        BumpedLayout::Of((columns << kColumnFractionBits) + (wide << 24)),
        1 + input.TakeNumber(2) % 600);
    count = input.TakeByte() % (kMaxWindows + 1);
    for (std::uint64_t& hash : hashes) hash = input.TakeNumber(8);
    const std::string rest(input.Take(4096));
    const auto size = static_cast<std::size_t>(layer.bytes());
    table = std::make_unique<unsigned char[]>(size);
    for (std::size_t i = 0; i < size; ++i) {
      table[i] = rest.empty()
                     ? 0xff
                     : static_cast<unsigned char>(rest[i % rest.size()]);
    }
  }

  BumpedLayer layer;
  std::size_t count = 0;
  std::array<std::uint64_t, kMaxWindows> hashes;
  std::unique_ptr<unsigned char[]> table;
};

void CheckRibbon(const Kernels& row, const RibbonCase& c) {
  const WindowLayer layer = WindowLayerOf(&c.layer, c.table.get());
  WindowQueries queries = {};
  WindowQueries defined = {};
  row.find_windows(c.hashes.data(), c.count, layer, &queries);
  kPortableKernels.find_windows(c.hashes.data(), c.count, layer, &defined);
  std::array<bool, kMaxWindows> out = {};
  std::array<bool, kMaxWindows> expected = {};
  const std::uint64_t bumped =
      row.check_windows(queries, c.count, layer, out.data());
  Check(bumped == kPortableKernels.check_windows(defined, c.count, layer,
                                                 expected.data()),
        "keys are bumped as defined");
  for (std::size_t i = 0; i < c.count; ++i) {
    const bool is_bumped = (bumped >> i & 1) != 0;
    Check(is_bumped || out[i] == expected[i], "a window answers as defined");
    const WindowAnswer one = row.check_window(c.hashes[i], layer);
    Check((one == WindowAnswer::kBumped) == is_bumped &&
              (is_bumped || (one == WindowAnswer::kMaybe) == expected[i]),
          "a single window answers as defined");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  const Case c = CaseFrom(bytes);
  const RibbonCase ribbon(bytes);
  const std::size_t offset = size % 64;
  for (const Kernels* row : AllKernels()) {
    if (!row->runs_here()) continue;
    CheckRibbon(*row, ribbon);
    for (const std::size_t at : {std::size_t{0}, offset}) {
      CheckRow(*row, c, at);
    }
  }
  return 0;
}

}  // namespace tamis::fuzz
