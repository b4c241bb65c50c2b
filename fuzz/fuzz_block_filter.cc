// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the filter of a table's blocks, sealed and as they are;
// then a filter built from the input.

#include <utility>

#include "base/coding.h"
#include "base/crc32c.h"
#include "formats/tamis/block_filter.h"
#include "formats/tamis/line_view.h"
#include "fuzz/fuzz_support.h"

namespace tamis::fuzz {
namespace {

constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kSealedFrom = 12;

void CheckAnyFilter(Slice bytes) {
  const Result<BlockFilterView> view = ViewBlockFilter(bytes);
  if (!view.ok()) return;
  Check(view->expected_rate() >= 0 && view->expected_rate() <= 1,
        "a rate is a probability");
  for (const Slice key : QuestionsFrom(bytes)) {
    const std::uint64_t hash = LineHash(key, view->seed);
    (void)view->MayContain(0, hash);
    if (view->blocks > 0) (void)view->MayContain(view->blocks - 1, hash);
    Check(view->MayContain(view->blocks, hash),
          "nothing is ruled out of a block that is not there");
  }
}

// The same with the magic number and a checksum that fits.
void CheckSealed(Slice bytes) {
  std::string sealed("\x89TBLKF\r\n");
  sealed.append(4, '\0').append(bytes);
  StoreLittle(sealed.data() + kMagicBytes,
              Crc32c(Slice(sealed).substr(kSealedFrom)));
  CheckAnyFilter(sealed);
}

void CheckBuilt(Slice bytes) {
  Input input(bytes);
  const auto bits =
      static_cast<unsigned>(1 + input.TakeByte() % kMaxBlockFilterBits);
  BlockFilterBuilder builder(bits, input.TakeNumber(8));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> added;
  std::uint64_t block = 0;
  for (constexpr std::uint64_t kMaxBlocks = 50;
       !input.empty() && block < kMaxBlocks; ++block) {
    for (unsigned keys = input.TakeByte() % 8; keys > 0; --keys) {
      const std::uint64_t hash =
          LineHash(input.Take(input.TakeByte() % 20), builder.seed());
      builder.AddHash(hash);
      added.emplace_back(block, hash);
    }
    builder.EndBlock();
  }
  constexpr std::string_view kBefore = "before";
  std::string out(kBefore);
  Check(builder.Finish(&out).ok() && out.starts_with(kBefore),
        "a small filter can be finished, and is appended");
  const std::string alone = out.substr(kBefore.size());
  const Result<BlockFilterView> view = ViewBlockFilter(alone);
  Check(view.ok(), "what was built opens");
  Check(view->blocks == block && view->pairs == added.size(),
        "a filter counts its blocks and its pairs");
  for (const auto& [where, hash] : added) {
    Check(view->MayContain(where, hash), "no added key is forgotten");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  CheckAnyFilter(bytes);
  CheckSealed(bytes);
  CheckBuilt(bytes);
  return 0;
}

}  // namespace tamis::fuzz
