// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a write batch from a log; then a batch made from pieces of
// the input.

#include <string>
#include <utility>
#include <vector>

#include "fuzz/fuzz_support.h"
#include "tamis/write_batch.h"

namespace tamis::fuzz {
namespace {

// Makes the same batch again.
class Copier final : public WriteBatch::Handler {
 public:
  void Put(Slice key, Slice value) override { copy.Put(key, value); }
  void Delete(Slice key) override { copy.Delete(key); }
  WriteBatch copy;
};

// Lists the changes.
class Lister final : public WriteBatch::Handler {
 public:
  using Change = std::pair<std::string, std::string>;
  void Put(Slice key, Slice value) override {
    changes.emplace_back("put " + std::string(key), value);
  }
  void Delete(Slice key) override {
    changes.emplace_back("delete " + std::string(key), "");
  }
  std::vector<Change> changes;
};

std::vector<Lister::Change> ChangesOf(const WriteBatch& batch) {
  Lister lister;
  Check(batch.ForEach(&lister).ok(), "a batch that was taken can be read");
  Check(lister.changes.size() == batch.count(), "it counts its changes");
  return lister.changes;
}

void CheckAnyBytes(Slice bytes) {
  const auto batch = WriteBatch::FromContents(std::string(bytes));
  if (!batch.ok()) {
    Check(batch.status().code() == StatusCode::kCorruption,
          "bytes that are no batch are corrupt");
    return;
  }
  Check(batch->contents() == bytes, "a batch keeps its bytes");
  Copier copier;
  Check(batch->ForEach(&copier).ok(), "a batch that was taken can be read");
  Check(ChangesOf(copier.copy) == ChangesOf(*batch), "a copy is the same");
}

void CheckMadeBatch(Slice bytes) {
  WriteBatch batch;
  Lister expected;
  Input input(bytes);
  while (!input.empty()) {
    const unsigned what = input.TakeByte();
    const Slice key = input.Take(what % 16);
    if (what >= 128) {
      batch.Delete(key);
      expected.Delete(key);
    } else {
      const Slice value = input.Take(input.TakeByte());
      batch.Put(key, value);
      expected.Put(key, value);
    }
  }
  Check(ChangesOf(batch) == expected.changes, "a batch holds what was put in");
  const auto back = WriteBatch::FromContents(std::string(batch.contents()));
  Check(back.ok() && back->contents() == batch.contents(),
        "a batch comes back from its bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  CheckAnyBytes(bytes);
  CheckMadeBatch(bytes);
  return 0;
}

}  // namespace tamis::fuzz
