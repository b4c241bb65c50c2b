// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the filter block of a LevelDB table; then a block built
// from the input, as a table writer would.

#include <utility>

#include "formats/leveldb/filter_block.h"
#include "fuzz/fuzz_support.h"

namespace tamis::fuzz {
namespace {

constexpr std::uint64_t kOffsets[] = {0,    1,        2047,       2048,
                                      4096, 1u << 20, 1ull << 32, ~0ull};

// The block answers as the policy does from each of its filters.
void CheckAgainstPolicy(const FilterPolicy& policy,
                        const LevelDbFilterBlockReader& block,
                        std::span<const Slice> keys, unsigned base_lg) {
  const std::size_t count = std::min<std::size_t>(block.filter_count(), 20);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t offset = std::uint64_t{i} << base_lg;
    if (offset >> base_lg != i) return;  // beyond any file
    const Slice filter = block.filter(i);
    const auto reader = policy.Open(filter);
    Check(reader.ok() != filter.empty(), "each filter is empty or opens");
    for (const Slice key : keys) {
      const bool expected = reader.ok() && reader->MayContain(key);
      Check(block.MayContain(offset, key) == expected,
            "a block answers as its filter does");
    }
  }
}

void CheckAnyBlock(const FilterPolicy& policy, Slice bytes) {
  const LevelDbFilterBlockReader block(bytes);
  const std::vector<Slice> keys = QuestionsFrom(bytes);
  for (const std::uint64_t offset : kOffsets) {
    for (const Slice key : keys) {
      Check(block.MayContain(offset, key) || block.damage().empty(),
            "a damaged block rules nothing out");
    }
  }
  if (!block.damage().empty()) return;
  CheckAgainstPolicy(policy, block, keys,
                     static_cast<unsigned char>(bytes.back()));
}

void CheckBuiltBlock(const FilterPolicy& policy, Slice bytes) {
  constexpr std::size_t kMaxBlocks = 50;
  LevelDbFilterBlockBuilder builder(policy);
  std::vector<std::pair<std::uint64_t, Slice>> added;
  std::uint64_t offset = 0;
  Input input(bytes);
  for (std::size_t i = 0; !input.empty() && i < kMaxBlocks; ++i) {
    Check(builder.StartBlock(offset).ok(), "a block can be started");
    for (unsigned keys = input.TakeByte() % 8; keys > 0; --keys) {
      const Slice key = input.Take(input.TakeByte() % 20);
      builder.AddKey(key);
      added.emplace_back(offset, key);
    }
    offset += input.TakeNumber(2) % 9000 + 1;
  }
  Check(builder.StartBlock(offset).ok(), "the end can be told");
  constexpr std::string_view kBefore = "before";
  std::string out(kBefore);
  Check(builder.Finish(&out).ok() && out.starts_with(kBefore),
        "a small block can be finished, and is appended");
  const std::string alone = out.substr(kBefore.size());
  const LevelDbFilterBlockReader block(alone);
  Check(block.damage().empty(), "what was built is not damaged");
  for (const auto& [where, key] : added) {
    Check(block.MayContain(where, key), "no added key is forgotten");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  const auto policy = PolicyOf("leveldb:10");
  CheckAnyBlock(*policy, bytes);
  CheckBuiltBlock(*policy, bytes);
  return 0;
}

}  // namespace tamis::fuzz
