// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as one of the kinds of the .tamis container that do not just
// set bits: ribbon, fuse, counting, cuckoo, scalable, rotating.  The functions
// under test are Open(), the Load functions and FoldFilter().  Checksums would
// reject nearly every input, so they are corrected: around arbitrary fields,
// and around filters that were built and then changed here and there.

#include "formats/tamis/container.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/sealed_filter.h"
#include "tamis/fold.h"
#include "tamis/mutable_filter.h"

namespace tamis::fuzz {
namespace {

constexpr std::string_view kSpecs[] = {
    "ribbon:8",
    "ribbon:1",
    "ribbon:2.5",
    "ribbon:20",
    "fuse8",
    "fuse16:arity=4",
    "fuse32",
    "counting:fpr=0.05",
    "cuckoo:fpr=0.05",
    "cuckoo:20,seed=3",
    "scalable:fpr=0.05",
    "rotating:fpr=0.05",
    "rotating:6,generations=2",
};

// Any fields, of one of these kinds, around any payload.
std::string SealedFields(Input* input) {
  constexpr unsigned kFirstKind = static_cast<unsigned>(TamisKind::kRibbon);
  constexpr unsigned kLastKind = static_cast<unsigned>(kLastTamisKind);
  TamisHeader header;
  header.kind = static_cast<std::uint16_t>(
      kFirstKind + input->TakeByte() % (kLastKind - kFirstKind + 1));
  header.hash = static_cast<std::uint16_t>(TamisHash::kXxh3);
  const std::uint8_t sizes = input->TakeByte();
  header.size_parameter = input->TakeNumber(sizes % 8 + 1);
  header.parameter_a =
      static_cast<std::uint32_t>(input->TakeNumber(sizes / 8 % 4 + 1));
  header.parameter_b =
      static_cast<std::uint32_t>(input->TakeNumber(sizes / 32 % 4 + 1));
  header.keys = input->TakeNumber(2);
  std::string whole(kTamisHeaderBytes, '\0');
  whole.append(input->rest());
  SealTamis(whole, header);
  return whole;
}

// A loaded filter takes keys, and contains them when it is saved.
template <typename Filter>
void CheckGrows(const FilterPolicy& policy, Filter* filter,
                std::span<const Slice> keys) {
  CheckReader(*filter, keys);
  std::vector<Slice> inserted;
  for (const Slice key : keys) {
    if (filter->Insert(key).ok()) inserted.push_back(key);
  }
  Check(AllTrue(AnswersOf(*filter, inserted)), "an inserted key is found");
  std::string saved;
  if (!filter->Save(&saved).ok()) return;
  const auto reader = policy.Open(saved);
  Check(reader.ok(), "what was saved can be opened");
  Check(AllTrue(AnswersOf(**reader, inserted)), "a saved key is found");
}

void CheckLoads(const FilterPolicy& policy, Slice bytes,
                std::span<const Slice> keys) {
  auto grows = LoadMutable(bytes);
  if (grows.ok()) CheckGrows(policy, grows.value().get(), keys);
  auto erases = LoadErasable(bytes);
  if (erases.ok()) {
    CheckGrows(policy, erases.value().get(), keys);
    for (const Slice key : keys) {
      const Status erased = erases->Erase(key);
      Check(erased.ok() || !erased.message().empty(), "a refusal has a reason");
    }
  }
  auto rotates = LoadRotating(bytes);
  if (rotates.ok()) {
    CheckGrows(policy, rotates.value().get(), keys);
    const Status rotated = rotates->Rotate();
    Check(!rotated.ok() || AllTrue(AnswersOf(**rotates, {})), "it rotates");
  }
}

void CheckFolds(Slice bytes, Input* input) {
  std::string folded;
  const auto result = FoldFilter(bytes, input->TakeByte(), &folded);
  Check(result.ok() || folded.empty(), "a refused fold writes nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  Input input(AsSlice(data, size));
  const std::uint8_t choice = input.TakeByte();
  const auto policy = PolicyOf(kSpecs[choice % std::size(kSpecs)]);
  const std::vector<Slice> keys = KeysFrom(input.Take(input.TakeByte()));
  const std::string built = Build(*policy, keys);
  if (!built.empty()) CheckHolds(*policy, built, keys);
  const bool arbitrary = choice >= 192 || built.empty();
  const std::string sealed =
      arbitrary ? SealedFields(&input) : SealedChanges(built, &input);
  CheckOpen(*policy, sealed);
  CheckLoads(*policy, sealed, keys);
  CheckFolds(sealed, &input);
  return 0;
}

}  // namespace tamis::fuzz
