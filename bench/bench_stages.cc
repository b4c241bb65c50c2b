// SPDX-License-Identifier: Apache-2.0
// bench_stages: how a batch of queries should be divided into stages.  It tries
// group sizes, orders of hashing and prefetching, kinds of prefetch and of
// pages, and every kernel set, over one array; docs/design/3-lines.md has the
// results and the choices.

#include <sys/mman.h>
#include <time.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/coding.h"
#include "base/huge_pages.h"
#include "filters/batch_loop.h"
#include "filters/bloom/line_bloom.h"
#include "filters/bloom/line_filter.h"
#include "filters/kernels/kernels.h"
#include "hash/splitmix64.h"
#include "hash/xxhash.h"

namespace tamis::bench {
namespace {

constexpr std::size_t kChunk = 4096;  // keys made at a time, and then hot
constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kCall = 256;  // keys per batch
constexpr LineFactors kFactors = PowersOf(0xadb4a92d);
constexpr LineProbes kProbes{kFactors.data(), 6};

double Nanoseconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 +
         static_cast<double>(now.tv_nsec);
}

struct Keys {
  std::vector<char> bytes = std::vector<char>(kChunk * kKeyBytes);
  std::vector<Slice> slices;

  Keys() {
    for (std::size_t i = 0; i < kChunk; ++i) {
      slices.emplace_back(bytes.data() + i * kKeyBytes, kKeyBytes);
    }
  }
  void Make(std::uint64_t first) {
    for (std::size_t i = 0; i < kChunk; ++i) {
      char* at = bytes.data() + i * kKeyBytes;
      const std::uint64_t word = SplitMix64(first + i);
      StoreLittle(at, word);
      StoreLittle(at + 8, SplitMix64(word));
    }
  }
};

enum class Order {
  kAlternate,  // hash a key, prefetch its line, next key
  kSeparate,   // hash the group, then prefetch all its lines
  kNoPrefetch,
};

// One call of MayContainMany(), divided according to the parameters.  kLocality
// as for __builtin_prefetch: 3 all caches, 2 from the second on, 0 as few as
// can be.
template <std::size_t kGroup, Order kOrder, int kLocality, BatchOrder kBatch>
void Ask(const Kernels& kernels, const LineFilter& lines,
         std::span<const Slice> keys, bool* out) {
  using Group = std::array<BlockQuery, kGroup>;
  ForEachGroup<Group, kGroup, kBatch>(
      keys,
      [&](std::span<const Slice> some, Group* group) {
        for (std::size_t i = 0; i < some.size(); ++i) {
          (*group)[i] = lines.QueryOf(Xxh3(some[i], 7));
          if (kOrder == Order::kAlternate) {
            __builtin_prefetch((*group)[i].block, 0, kLocality);
          }
        }
        if (kOrder == Order::kSeparate) {
          for (std::size_t i = 0; i < some.size(); ++i) {
            __builtin_prefetch((*group)[i].block, 0, kLocality);
          }
        }
      },
      [&](std::size_t first, std::size_t count, const Group& group) {
        kernels.check_lines(group.data(), count, lines.probes, out + first);
      });
}

using AskFn = void (*)(const Kernels&, const LineFilter&,
                       std::span<const Slice>, bool*);
struct Variant {
  std::string name;
  AskFn ask;  // null: the floor
  const Kernels* kernels;
  const LineFilter* lines;
  std::vector<double> passes = {};
};

double TimeFloor(const LineFilter& lines, std::uint64_t queries) {
  std::vector<std::uint64_t> offsets(kChunk);
  double time = 0;
  std::uint64_t sum = 0;
  for (std::uint64_t first = 0; first < queries; first += kChunk) {
    for (std::size_t i = 0; i < kChunk; ++i) {
      offsets[i] = lines.OffsetOf(SplitMix64(~(first + i)));
    }
    const double start = Nanoseconds();
    for (const std::uint64_t offset : offsets) sum += lines.lines[offset];
    time += Nanoseconds() - start;
  }
  asm volatile("" : : "r"(sum));  // or the loop would be removed
  return time / static_cast<double>(queries);
}

double TimeVariant(const Variant& variant, std::uint64_t queries,
                   std::uint64_t first_key, Keys* keys) {
  if (variant.ask == nullptr) return TimeFloor(*variant.lines, queries);
  std::array<bool, kChunk> answers;
  double time = 0;
  for (std::uint64_t first = 0; first < queries; first += kChunk) {
    keys->Make(first_key + first);
    const double start = Nanoseconds();
    for (std::size_t at = 0; at < kChunk; at += kCall) {
      variant.ask(*variant.kernels, *variant.lines,
                  std::span(keys->slices).subspan(at, kCall),
                  answers.data() + at);
    }
    time += Nanoseconds() - start;
  }
  return time / static_cast<double>(queries);
}

// About half of the bits set, as in a filter; in huge pages or in small ones.
MemoryBlock<unsigned char> MakeLines(std::uint64_t count, bool huge) {
  const auto bytes = static_cast<std::size_t>(count * kLineBytes);
  MemoryBlock<unsigned char> memory = NewMemory(bytes);
  if (memory == nullptr) std::abort();
  if (!huge) ::madvise(memory.get(), bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < bytes; i += 8) {
    StoreLittle(memory.get() + i, SplitMix64(i));
  }
  return memory;
}

std::vector<Variant> MakeVariants(const LineFilter& huge,
                                  const LineFilter& small) {
  constexpr BatchOrder kPipelined = BatchOrder::kPipelined;
  constexpr BatchOrder kInTurn = BatchOrder::kInTurn;
  const Kernels* best = &ActiveKernels();
  const AskFn chosen = Ask<64, Order::kAlternate, 2, kPipelined>;
  std::vector<Variant> all = {
      {"floor: loads of known lines", nullptr, best, &huge},
      {"floor, pages of 4 KiB", nullptr, best, &small},
      {"chosen: groups of 64, alternating, pipelined", chosen, best, &huge},
      {"  groups of 8", Ask<8, Order::kAlternate, 2, kPipelined>, best, &huge},
      {"  groups of 16", Ask<16, Order::kAlternate, 2, kPipelined>, best,
       &huge},
      {"  groups of 32", Ask<32, Order::kAlternate, 2, kPipelined>, best,
       &huge},
      {"  groups of 128", Ask<128, Order::kAlternate, 2, kPipelined>, best,
       &huge},
      {"  in turn", Ask<64, Order::kAlternate, 2, kInTurn>, best, &huge},
      {"  in turn, groups of 32", Ask<32, Order::kAlternate, 2, kInTurn>, best,
       &huge},
      {"  hashing and asking in two loops",
       Ask<64, Order::kSeparate, 2, kPipelined>, best, &huge},
      {"  prefetch into all caches", Ask<64, Order::kAlternate, 3, kPipelined>,
       best, &huge},
      {"  prefetch non-temporal", Ask<64, Order::kAlternate, 0, kPipelined>,
       best, &huge},
      {"  no prefetch", Ask<64, Order::kNoPrefetch, 3, kPipelined>, best,
       &huge},
      {"  pages of 4 KiB", chosen, best, &small},
  };
  for (const Kernels* row : AllKernels()) {
    if (row == best || !row->runs_here()) continue;
    all.push_back({"  kernels: " + std::string(row->name), chosen, row, &huge});
  }
  return all;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void Run(std::uint64_t keys, std::uint64_t queries, unsigned passes) {
  const std::uint64_t lines = std::max<std::uint64_t>(1, keys * 10 / kLineBits);
  const auto in_huge = MakeLines(lines, true);
  const auto in_small = MakeLines(lines, false);
  const LineFilter huge{in_huge.get(), lines, kProbes};
  const LineFilter small{in_small.get(), lines, kProbes};
  std::vector<Variant> variants = MakeVariants(huge, small);
  Keys made;
  for (unsigned pass = 0; pass < passes; ++pass) {
    // Each pass starts with another variant: the first one finds other caches.
    for (std::size_t i = 0; i < variants.size(); ++i) {
      Variant& variant = variants[(i + 5 * pass) % variants.size()];
      variant.passes.push_back(
          TimeVariant(variant, queries, pass * queries, &made));
    }
  }
  fmt::print("\n{} keys at 10 bits, kernels {}\n", keys, ActiveKernels().name);
  for (const Variant& variant : variants) {
    std::vector<double> ratios;
    for (unsigned pass = 0; pass < passes; ++pass) {
      ratios.push_back(variant.passes[pass] / variants.front().passes[pass]);
    }
    fmt::print("{:<46}{:>8.2f} ns{:>8.2f} x floor\n", variant.name,
               Median(variant.passes), Median(ratios));
  }
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  if (argc > 1 && !smoke && !quick) {
    fmt::print(
        "usage: bench_stages [--quick | --smoke]\n"
        "Tries ways to cut a batch of queries into stages, over filters of a\n"
        "million and of 100 million keys (--quick: 10 million).\n");
    return std::strcmp(argv[1], "--help") == 0 ? 0 : 2;
  }
  if (smoke) {
    tamis::bench::Run(10'000, 8192, 2);
    return 0;
  }
  tamis::bench::Run(1'000'000, 2'000'000 / 4096 * 4096, 7);
  tamis::bench::Run(quick ? 10'000'000 : 100'000'000, 4'000'000 / 4096 * 4096,
                    7);
  return 0;
}
