// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as RocksDB's Ribbon, and Ribbons built from arbitrary keys.
//
// Byte 0: the setting; bytes 1 and 2: how many keys; what is left: the seed of
// the keys, and the bytes to be opened, as they are and as a Ribbon's segments.

#include <cstring>

#include "formats/rocksdb/ribbon.h"
#include "fuzz/fuzz_support.h"

namespace tamis::fuzz {
namespace {

std::vector<bool> CheckAnswers(const FilterReader& reader,
                               std::span<const Slice> keys) {
  std::vector<bool> answers = AnswersOf(reader, keys);
  const FilterInfo info = reader.Describe();
  Check(!info.format.empty(), "a filter names its format");
  Check(info.set_bits <= info.bits, "no more bits are set than there are");
  Check(info.rate >= 0 && info.rate <= 1, "a rate is a probability");
  if (!info.always_maybe.empty()) {
    Check(AllTrue(answers), "what is not understood rules no key out");
  }
  return answers;
}

void CheckOpenRibbon(Slice bytes, std::span<const Slice> keys) {
  // A copy of exactly this size: a read outside it is seen.
  const std::vector<char> exact(bytes.begin(), bytes.end());
  const auto reader = OpenRocksDbRibbon({exact.data(), exact.size()});
  if (reader.ok()) {
    CheckAnswers(**reader, keys);
  } else {
    Check(!reader.status().message().empty(), "a refusal has a reason");
  }
}

// Few bytes make many keys: a Ribbon of a hundred would be a Bloom filter.
std::vector<std::string> ManyKeys(Slice bytes, std::size_t count) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) {
    std::string key(bytes.substr(i % (bytes.size() + 1), 12));
    for (std::size_t left = i; left != 0; left /= 256) {
      key.push_back(static_cast<char>(left % 256));
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

void CheckBuiltRibbon(double bits_per_key, std::span<const Slice> keys) {
  const auto policy = NewRocksDbRibbonPolicy(bits_per_key);
  const std::string filter = Build(*policy, keys);
  Check(filter.empty() == keys.empty(), "no bytes mean no keys");
  const auto reader = OpenRocksDbRibbon(filter);
  if (!reader.ok()) return;  // a Bloom filter
  Check(keys.empty() || AllTrue(CheckAnswers(**reader, keys)),
        "no added key is forgotten");
  Check(keys.empty() || filter.size() <= 5 + 4 * (2 * keys.size() + 256),
        "a Ribbon is not much larger than its keys' fingerprints");
}

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace tamis::fuzz;
  Input input(AsSlice(data, size));
  const double bits_per_key = 0.5 + input.TakeByte() * 0.4;
  const std::size_t count = input.TakeNumber(2) % 3000;
  const tamis::Slice rest = input.rest();

  const std::vector<tamis::Slice> questions = QuestionsFrom(rest);
  CheckOpenRibbon(AsSlice(data, size), questions);
  std::string ribbon(rest);
  ribbon += {'\xfe', static_cast<char>(size), static_cast<char>(count % 7),
             '\0', '\0'};
  CheckOpenRibbon(ribbon, questions);

  const std::vector<std::string> keys = ManyKeys(rest, count);
  CheckBuiltRibbon(bits_per_key,
                   std::vector<tamis::Slice>(keys.begin(), keys.end()));
  return 0;
}
