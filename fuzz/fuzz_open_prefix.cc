// SPDX-License-Identifier: Apache-2.0
// Filters with prefixes against the keys they were built of, and such filters
// that were changed here and there under checksums that are right.

#include "base/key_prefix.h"
#include "formats/tamis/container.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/sealed_filter.h"

namespace tamis::fuzz {
namespace {

constexpr const char* kPolicies[] = {
    "prefix:fixed=1,bloom:10", "prefix:delimiter=:,count=2,ribbon:8",
    "prefix:delimiter=0x00,bloom:8", "prefix:fixed=3,fuse:8"};

bool AnyStartsWith(std::span<const Slice> keys, Slice prefix) {
  for (const Slice key : keys) {
    if (key.starts_with(prefix)) return true;
  }
  return false;
}

bool AnyWithin(std::span<const Slice> keys, Slice lo, Slice hi) {
  for (const Slice key : keys) {
    if (lo <= key && key <= hi) return true;
  }
  return false;
}

// Every leading part of every question, whatever the extractor makes of it.
void CheckPrefixes(const FilterReader& reader, std::span<const Slice> keys,
                   std::span<const Slice> questions) {
  for (const Slice question : questions) {
    for (std::size_t length = 0; length <= question.size(); ++length) {
      const Slice prefix = question.substr(0, length);
      Check(reader.MayContainPrefix(prefix) || !AnyStartsWith(keys, prefix),
            "a prefix of a key is never ruled out");
      Check(reader.MayContainRange(prefix, question) ||
                !AnyWithin(keys, prefix, question),
            "a range with a key is never ruled out");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  Input input(AsSlice(data, size));
  const auto policy = PolicyOf(kPolicies[input.TakeByte() % 4]);
  const std::vector<Slice> keys = KeysFrom(input.Take(input.TakeByte()));
  const std::vector<Slice> others = KeysFrom(input.Take(input.TakeByte()));
  const std::string built = Build(*policy, keys);
  if (built.empty()) return 0;
  std::vector<Slice> questions = keys;
  questions.insert(questions.end(), others.begin(), others.end());
  const auto reader = policy->Open(built);
  Check(reader.ok(), "what was built can be opened");
  CheckReader(**reader, keys);
  CheckPrefixes(**reader, keys, questions);
  const std::string sealed = SealedChanges(built, &input);
  CheckOpen(*policy, sealed);
  const auto changed = policy->Open(sealed);
  if (changed.ok()) CheckPrefixes(**changed, {}, questions);
  return 0;
}

}  // namespace tamis::fuzz
