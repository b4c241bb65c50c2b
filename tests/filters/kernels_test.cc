// SPDX-License-Identifier: Apache-2.0
// Every row of the table against the portable one, which is the definition.

#include "filters/kernels/kernels.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/cpu.h"
#include "filters/bloom/line_bloom.h"
#include "filters/bloom/line_filter.h"
#include "filters/bloom/split_block.h"

namespace tamis {
namespace {

constexpr LineFactors kKernelFactors = PowersOf(0x9e3779b9);

class EveryKernel : public ::testing::TestWithParam<const Kernels*> {
 protected:
  void SetUp() override {
    if (!GetParam()->runs_here()) {
      GTEST_SKIP() << GetParam()->name << " does not run on this CPU";
    }
  }
  const Kernels& kernels() const { return *GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Rows, EveryKernel,
                         ::testing::ValuesIn(AllKernels().begin(),
                                             AllKernels().end()),
                         [](const auto& test) {
                           return std::string(test.param->name);
                         });

// Bytes that end where the allocation ends, so that a sanitizer notices a
// read beyond them; at any alignment.
class Block {
 public:
  Block(std::size_t size, std::size_t offset, std::mt19937_64* random)
      : bytes_(new unsigned char[offset + size]), offset_(offset) {
    for (std::size_t i = 0; i < size; ++i) {
      // Three bits in four are set, else hardly a query would be answered
      // with "maybe".
      data()[i] = static_cast<unsigned char>((*random)() | (*random)());
    }
  }
  unsigned char* data() { return bytes_.get() + offset_; }

 private:
  std::unique_ptr<unsigned char[]> bytes_;
  std::size_t offset_;
};

TEST_P(EveryKernel, AgreesWithPortableOnLines) {
  std::mt19937_64 random(1);
  unsigned maybe = 0;
  for (unsigned count = 0; count <= kMaxLineProbes; ++count) {
    const LineProbes probes{kKernelFactors.data(), count};
    for (std::size_t offset = 0; offset < 64; ++offset) {
      Block line(kLineBytes, offset, &random);
      for (unsigned i = 0; i < 50; ++i) {
        const auto bits = static_cast<std::uint32_t>(random());
        const bool expected = CheckLine(line.data(), bits, probes);
        maybe += expected ? 1 : 0;
        ASSERT_EQ(kernels().check_line(line.data(), bits, probes), expected)
            << count << " probes, " << bits;
      }
    }
  }
  EXPECT_GT(maybe, 2000u);
}

// With all bits set but one, a probe that a kernel leaves out would show, and
// so would one that it makes beyond the last.
TEST_P(EveryKernel, MakesEveryProbeOfALineAndNoOther) {
  std::mt19937_64 random(2);
  for (unsigned count = 1; count <= kMaxLineProbes; ++count) {
    const LineProbes probes{kKernelFactors.data(), count};
    for (unsigned i = 0; i < kMaxLineProbes; ++i) {
      const auto bits = static_cast<std::uint32_t>(random());
      const unsigned position = probes.PositionOf(bits, i);
      unsigned char line[kLineBytes];
      std::memset(line, 0xff, sizeof(line));
      line[position / 8] = static_cast<unsigned char>(~(1u << (position % 8)));
      const bool expected = CheckLine(line, bits, probes);
      EXPECT_TRUE(i >= count || !expected);
      EXPECT_EQ(kernels().check_line(line, bits, probes), expected);
    }
  }
}

TEST_P(EveryKernel, FindsAndChecksTheLineOfAHash) {
  constexpr std::uint64_t kLines = 37;
  std::mt19937_64 random(5);
  unsigned maybe = 0;
  for (unsigned count = 0; count <= WideLineProbes::kMax; ++count) {
    const LineProbes probes{kKernelFactors.data(), count};
    const WideLineProbes wide(probes);
    for (const std::size_t offset : {0u, 1u, 40u}) {
      Block lines(kLines * kLineBytes, offset, &random);
      const LineFilter filter{
          .lines = lines.data(), .count = kLines, .probes = probes};
      for (unsigned i = 0; i < 2000; ++i) {
        const std::uint64_t hash = random();
        const bool expected = filter.Check(hash);
        maybe += expected ? 1 : 0;
        ASSERT_EQ(kernels().check_hash(lines.data(), kLines, hash, wide),
                  expected)
            << count << " probes, " << hash;
      }
    }
  }
  EXPECT_GT(maybe, 2000u);
}

TEST_P(EveryKernel, AgreesWithPortableOnSplitBlocks) {
  std::mt19937_64 random(3);
  unsigned maybe = 0;
  for (unsigned i = 0; i < 20'000; ++i) {
    Block block(kSplitBlockBytes, i % 33, &random);
    const auto bits = static_cast<std::uint32_t>(random());
    const bool expected = CheckSplitBlock(block.data(), bits);
    maybe += expected ? 1 : 0;
    ASSERT_EQ(kernels().check_split_block(block.data(), bits), expected);
  }
  EXPECT_GT(maybe, 1000u);
}

TEST_P(EveryKernel, MakesEveryProbeOfASplitBlock) {
  std::mt19937_64 random(4);
  for (unsigned i = 0; i < 1000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    unsigned char block[kSplitBlockBytes] = {};
    MarkSplitBlock(block, bits);
    EXPECT_TRUE(kernels().check_split_block(block, bits));
    for (unsigned word = 0; word < kSplitBlockWords; ++word) {
      unsigned char damaged[kSplitBlockBytes];
      std::memcpy(damaged, block, sizeof(block));
      std::memset(damaged + 4 * word, 0, 4);
      EXPECT_FALSE(kernels().check_split_block(damaged, bits)) << word;
    }
  }
}

TEST_P(EveryKernel, AnswersManyAsOneByOne) {
  std::mt19937_64 random(5);
  for (std::size_t count : {0u, 1u, 2u, 7u, 8u, 9u, 63u, 64u, 65u, 200u}) {
    for (unsigned probe_count : {1u, 5u, 6u, 7u, 8u, 9u, 16u, 17u, 32u}) {
      const LineProbes probes{kKernelFactors.data(), probe_count};
      std::vector<Block> blocks;
      std::vector<BlockQuery> queries;
      for (std::size_t i = 0; i < count; ++i) {
        blocks.emplace_back(kLineBytes, i % 3, &random);
        queries.push_back(
            {blocks.back().data(), static_cast<std::uint32_t>(random())});
      }
      // A guard behind the answers.
      std::vector<char> lines(count + 1, 7);
      std::vector<char> splits(count + 1, 7);
      kernels().check_lines(queries.data(), count, probes,
                            reinterpret_cast<bool*>(lines.data()));
      kernels().check_split_blocks(queries.data(), count,
                                   reinterpret_cast<bool*>(splits.data()));
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(lines[i] != 0,
                  CheckLine(queries[i].block, queries[i].bits, probes));
        ASSERT_EQ(splits[i] != 0,
                  CheckSplitBlock(queries[i].block, queries[i].bits));
      }
      EXPECT_EQ(lines[count], 7);
      EXPECT_EQ(splits[count], 7);
    }
  }
}

TEST_P(EveryKernel, MarksAsPortableDoes) {
  std::mt19937_64 random(6);
  for (unsigned probe_count = 0; probe_count <= kMaxLineProbes; ++probe_count) {
    const LineProbes probes{kKernelFactors.data(), probe_count};
    for (std::size_t count : {0u, 1u, 63u, 64u, 65u}) {
      std::vector<unsigned char> expected(1 + 4 * kLineBytes);
      std::vector<unsigned char> lines = expected;
      std::vector<unsigned char> expected_blocks = expected;
      std::vector<unsigned char> blocks = expected;
      std::vector<BlockMark> line_marks;
      std::vector<BlockMark> block_marks;
      for (std::size_t i = 0; i < count; ++i) {
        const auto bits = static_cast<std::uint32_t>(random());
        const std::size_t at = 1 + random() % 4 * kLineBytes;
        MarkLine(expected.data() + at, bits, probes);
        MarkSplitBlock(expected_blocks.data() + at, bits);
        line_marks.push_back({lines.data() + at, bits});
        block_marks.push_back({blocks.data() + at, bits});
      }
      kernels().mark_lines(line_marks.data(), count, probes);
      kernels().mark_split_blocks(block_marks.data(), count);
      ASSERT_EQ(lines, expected) << probe_count << " probes";
      ASSERT_EQ(blocks, expected_blocks);
    }
  }
}

TEST(Kernels, ThePortableRowComesFirstAndRunsEverywhere) {
  ASSERT_FALSE(AllKernels().empty());
  EXPECT_EQ(AllKernels().front()->name, "portable");
  EXPECT_TRUE(AllKernels().front()->runs_here());
}

TEST(Kernels, TheBestRowForThisCpuIsTakenUnlessAnotherIsNamed) {
  const Kernels* best = &BestKernels(ThisCpu());
  EXPECT_TRUE(best->runs_here());
  EXPECT_EQ(&ChooseKernels(""), best);
  EXPECT_EQ(&ChooseKernels("no such row"), best);
  EXPECT_EQ(ChooseKernels("portable").name, "portable");
  for (const Kernels* row : AllKernels()) {
    EXPECT_EQ(&ChooseKernels(row->name), row->runs_here() ? row : best);
    EXPECT_EQ(FindKernels(row->name), row->runs_here() ? row : nullptr);
  }
}

#if defined(__x86_64__)
// Instructions, each with all that came before it.
enum class Has { kNothing, kAvx2, kAvx512, kVpopcntdq };

Cpu CpuWith(CpuVendor vendor, unsigned family, unsigned model, Has has) {
  return {.vendor = vendor,
          .family = family,
          .model = model,
          .popcnt = has >= Has::kAvx2,
          .bmi = has >= Has::kAvx2,
          .bmi2 = has >= Has::kAvx2,
          .avx2 = has >= Has::kAvx2,
          .avx512f = has >= Has::kAvx512,
          .avx512bw = has >= Has::kAvx512,
          .avx512dq = has >= Has::kAvx512,
          .avx512vl = has >= Has::kAvx512,
          .avx512vpopcntdq = has >= Has::kVpopcntdq};
}

TEST(Kernels, AreChosenByWhatTheCpuIs) {
  constexpr CpuVendor kIntel = CpuVendor::kIntel;
  constexpr CpuVendor kAmd = CpuVendor::kAmd;
  const struct {
    std::string_view what;
    Cpu cpu;
    std::string_view expected;
  } cases[] = {
      {"Nehalem", CpuWith(kIntel, 6, 0x1e, Has::kNothing), "portable"},
      {"Haswell", CpuWith(kIntel, 6, 0x3c, Has::kAvx2), "avx2"},
      {"Skylake", CpuWith(kIntel, 6, 0x5e, Has::kAvx2), "avx2"},
      // These have AVX-512, and lower their clock for it.
      {"Skylake-SP", CpuWith(kIntel, 6, 0x55, Has::kAvx512), "avx2"},
      {"Cannon Lake", CpuWith(kIntel, 6, 0x66, Has::kAvx512), "avx2"},
      {"Ice Lake-SP", CpuWith(kIntel, 6, 0x6a, Has::kVpopcntdq),
       "avx512popcnt"},
      {"Sapphire Rapids", CpuWith(kIntel, 6, 0x8f, Has::kVpopcntdq),
       "avx512popcnt"},
      {"Zen 2", CpuWith(kAmd, 0x17, 0x31, Has::kAvx2), "avx2"},
      {"Zen 3", CpuWith(kAmd, 0x19, 0x21, Has::kAvx2), "avx2"},
      {"Zen 4", CpuWith(kAmd, 0x19, 0x11, Has::kVpopcntdq), "avx512popcnt"},
      // The model number of another vendor means another CPU.
      {"other", CpuWith(CpuVendor::kOther, 6, 0x55, Has::kAvx512), "avx512"},
      {"AMD", CpuWith(kAmd, 6, 0x55, Has::kAvx512), "avx512"},
  };
  for (const auto& [what, cpu, expected] : cases) {
    EXPECT_EQ(BestKernels(cpu).name, expected) << what;
  }
}

TEST(Kernels, EachInstructionOfARowIsNeeded) {
  const Cpu all = CpuWith(CpuVendor::kAmd, 0x19, 0x11, Has::kVpopcntdq);
  const struct {
    bool Cpu::*without;
    std::string_view expected;
  } cases[] = {{&Cpu::popcnt, "portable"},       {&Cpu::bmi, "portable"},
               {&Cpu::bmi2, "portable"},         {&Cpu::avx2, "portable"},
               {&Cpu::avx512f, "avx2"},          {&Cpu::avx512bw, "avx2"},
               {&Cpu::avx512vl, "avx2"},         {&Cpu::avx512dq, "avx512"},
               {&Cpu::avx512vpopcntdq, "avx512"}};
  for (const auto& [without, expected] : cases) {
    Cpu cpu = all;
    cpu.*without = false;
    EXPECT_EQ(BestKernels(cpu).name, expected);
  }
}
#endif

TEST(Kernels, TheEnvironmentNamesTheActiveRow) {
  const char* wanted = std::getenv("TAMIS_KERNELS");
  EXPECT_EQ(&ActiveKernels(), &ChooseKernels(wanted == nullptr ? "" : wanted));
}

}  // namespace
}  // namespace tamis
