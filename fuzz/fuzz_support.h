// SPDX-License-Identifier: Apache-2.0
// fuzz/fuzz_support.h -- what the fuzz targets share: keys from arbitrary
// bytes, and the contracts of tamis/filter.h as checks.
//
// A broken contract ends the program, which is how a fuzzing engine detects it;
// so does a finding of the sanitizers.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/filter.h"
#include "tamis/key_hash.h"

namespace tamis::fuzz {

inline void Check(bool held, std::string_view promise) {
  if (held) return;
  std::fprintf(stderr, "broken promise: %.*s\n",
               static_cast<int>(promise.size()), promise.data());
  std::abort();
}

inline Slice AsSlice(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Reads an input from its front; missing bytes read as zeros.
class Input {
 public:
  explicit Input(Slice bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  Slice rest() const { return rest_; }

  Slice Take(std::size_t most) {
    const Slice taken = rest_.substr(0, most);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::uint8_t TakeByte() {
    const Slice byte = Take(1);
    return byte.empty() ? std::uint8_t{0}
                        : static_cast<std::uint8_t>(byte.front());
  }
  std::uint64_t TakeNumber(std::size_t bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bytes; ++i) number = number << 8 | TakeByte();
    return number;
  }

 private:
  Slice rest_;
};

inline constexpr std::size_t kMaxKeys = 60;

// Pieces of `bytes` of many lengths, at many alignments; may hold repeats.
inline std::vector<Slice> KeysFrom(Slice bytes) {
  constexpr std::size_t kLongestKey = 40;
  std::vector<Slice> keys;
  Input input(bytes);
  while (!input.empty() && keys.size() < kMaxKeys) {
    const std::size_t size = input.TakeByte() % kLongestKey;
    keys.push_back(input.Take(size));
  }
  return keys;
}

// KeysFrom() and some keys that are always the same.
inline std::vector<Slice> QuestionsFrom(Slice bytes) {
  std::vector<Slice> keys = KeysFrom(bytes);
  keys.insert(keys.end(), {Slice(), "a", "key", "\xff\xfe\x80", bytes});
  return keys;
}

inline std::unique_ptr<const FilterPolicy> PolicyOf(std::string_view spec) {
  auto policy = MakePolicy(spec);
  Check(policy.ok(), "the target's own policy text is understood");
  return *std::move(policy);
}

// A filter that takes hashes answers them as it does the keys; one that takes
// none, or those of another seed, rules nothing out.
inline void CheckHashes(const FilterReader& reader, std::span<const Slice> keys,
                        const std::vector<bool>& answers) {
  const std::optional<std::uint64_t> seed = reader.hash_seed();
  std::vector<std::uint64_t> values(keys.size());
  const KeyHashes hashes = HashKeys(keys, values, seed.value_or(0));
  const auto many = std::make_unique<bool[]>(keys.size());
  reader.MayContainHashes(hashes, {many.get(), keys.size()});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool expected = seed ? answers[i] : true;
    Check(many[i] == expected &&
              reader.MayContainHash({values[i], hashes.seed}) == expected,
          "a hash is answered as its key");
    Check(reader.MayContainHash({values[i], hashes.seed + 1}),
          "a hash of another seed rules nothing out");
  }
}

inline std::vector<bool> AnswersOf(const FilterReader& reader,
                                   std::span<const Slice> keys) {
  const auto many = std::make_unique<bool[]>(keys.size());
  reader.MayContainMany(keys, {many.get(), keys.size()});
  std::vector<bool> answers;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    answers.push_back(reader.MayContain(keys[i]));
    Check(answers[i] == many[i], "MayContainMany() agrees with MayContain()");
    Check(!answers[i] || reader.MayContainRange(keys[i], keys[i]),
          "a range of one key that may be in may not be empty");
  }
  CheckHashes(reader, keys, answers);
  return answers;
}

inline bool AllTrue(const std::vector<bool>& answers) {
  return std::find(answers.begin(), answers.end(), false) == answers.end();
}

// A filter that opens must answer, and describe itself sensibly.  Returns the
// answers.
inline std::vector<bool> CheckReader(const FilterReader& reader,
                                     std::span<const Slice> keys) {
  const std::vector<bool> answers = AnswersOf(reader, keys);
  const FilterInfo info = reader.Describe();
  Check(!info.format.empty(), "a filter names its format");
  Check(info.set_bits <= info.bits, "no more bits are set than there are");
  if (!info.always_maybe.empty()) {
    Check(AllTrue(answers), "what is not understood rules no key out");
  } else if (info.kind == "empty") {
    Check(std::find(answers.begin(), answers.end(), true) == answers.end(),
          "a filter that says it has no keys rules all out");
  } else {
    Check(info.bits > 0 && info.probes > 0, "a filter that answers has bits");
    const bool is_bloom = info.kind == "bloom" || info.kind == "splitblock" ||
                          info.kind == "classic";
    Check(!is_bloom || info.set_bits < info.bits || AllTrue(answers),
          "a Bloom filter with every bit set rules no key out");
  }
  return answers;
}

// `bytes` combined with itself answers `keys` as before, or cannot be combined,
// like a Ribbon or a filter without bits.
inline void CheckCombine(const FilterPolicy& policy, Slice bytes,
                         std::span<const Slice> keys,
                         const std::vector<bool>& answers) {
  constexpr std::string_view kBefore = "before";
  for (const SetOperation operation :
       {SetOperation::kUnion, SetOperation::kIntersection}) {
    const Slice twice[] = {bytes, bytes};
    std::string out(kBefore);
    const Status combined = policy.Combine(twice, operation, &out);
    if (!combined.ok()) {
      Check(out == kBefore, "a refused Combine() leaves its output alone");
      Check(AllTrue(answers) || bytes.empty() ||
                combined.code() == StatusCode::kNotSupported,
            "what rules keys out can be combined");
      continue;
    }
    Check(out.starts_with(kBefore), "Combine() only appends");
    const std::string alone = out.substr(kBefore.size());
    const auto again = policy.Open(alone);
    Check(again.ok(), "what Combine() wrote can be opened");
    Check(AnswersOf(**again, keys) == answers,
          "a filter combined with itself gives the same answers");
  }
}

// Opens arbitrary bytes; everything but a crash or a contradiction is fine.
inline void CheckOpen(const FilterPolicy& policy, Slice bytes) {
  const auto reader = policy.Open(bytes);
  if (!reader.ok()) {
    Check(!reader.status().message().empty(), "a refusal has a reason");
    std::string out;
    const Slice one[] = {bytes};
    Check(!policy.Combine(one, SetOperation::kUnion, &out).ok() && out.empty(),
          "what does not open cannot be combined");
    return;
  }
  const std::vector<Slice> keys = QuestionsFrom(bytes);
  CheckCombine(policy, bytes, keys, CheckReader(**reader, keys));
}

// `bytes` must open, and be "maybe" for each of `keys`.
inline void CheckHolds(const FilterPolicy& policy, Slice bytes,
                       std::span<const Slice> keys) {
  const auto reader = policy.Open(bytes);
  Check(reader.ok(), "what was built can be opened");
  Check(AllTrue(CheckReader(**reader, keys)), "no added key is forgotten");
  const FilterInfo info = reader->Describe();
  // For no keys, RocksDB writes only a trailer, which may also be damage.
  Check(keys.empty() || info.always_maybe.empty(),
        "what was built is understood");
  Check(info.keys.value_or(0) <= keys.size(), "no key is counted twice");
}

// Returns the filter over `keys`, or nothing if the policy refuses its size.
inline std::string Build(const FilterPolicy& policy,
                         std::span<const Slice> keys) {
  constexpr std::string_view kBefore = "before";
  const auto builder = policy.NewBuilder();
  for (const Slice key : keys) builder->Add(key);
  std::string out(kBefore);
  const Status finished = builder->Finish(&out);
  Check(out.starts_with(kBefore), "Finish() only appends");
  Check(finished.ok() || out == kBefore,
        "a refused Finish() leaves its output alone");

  const auto batch = policy.NewBuilder();
  batch->AddMany(keys);
  std::string again(kBefore);
  Check(batch->Finish(&again).ok() == finished.ok() && again == out,
        "AddMany() is Add() for each");
  return out.substr(kBefore.size());
}

// The same keys put into an empty filter, then saved.
inline void CheckGrowing(const FilterPolicy& policy, MutableFilter* filter,
                         std::span<const Slice> keys) {
  const std::size_t half = keys.size() / 2;
  for (const Slice key : keys.first(half)) {
    Check(filter->Insert(key).ok() && filter->MayContain(key),
          "an inserted key is in");
  }
  Check(filter->InsertMany(keys.subspan(half)).ok(), "no filter is ever full");
  Check(AllTrue(AnswersOf(*filter, keys)), "no inserted key is forgotten");
  std::string saved;
  Check(filter->Save(&saved).ok(), "a small filter can be saved");
  CheckHolds(policy, saved, keys);
}

// Checks mutable and concurrent filters, if the policy has them.
inline void CheckMutable(const FilterPolicy& policy,
                         std::span<const Slice> keys) {
  const auto filter = policy.NewMutable(keys.size());
  if (filter.ok()) CheckGrowing(policy, filter.value().get(), keys);
  const auto concurrent = policy.NewConcurrent(keys.size());
  if (concurrent.ok()) CheckGrowing(policy, concurrent.value().get(), keys);
}

// Builds from keys in the input, and reads it back; returns what was built.
inline std::string CheckBuild(const FilterPolicy& policy, Slice input) {
  const std::vector<Slice> keys = KeysFrom(input);
  const std::set<Slice> distinct(keys.begin(), keys.end());
  const std::string bytes = Build(policy, keys);
  if (bytes.empty()) return bytes;
  // RocksDB's Bloom filters without keys are too short to be trusted.
  if (keys.empty() && !policy.Open(bytes).ok()) return bytes;
  CheckHolds(policy, bytes, keys);
  // The size of a kind that needs all its keys at once may depend on them.
  const bool exact = policy.NewMutable(1).ok();
  if (exact && distinct.size() == keys.size()) {
    Check(policy.Predict(keys.size()).bytes == bytes.size(),
          "Predict() knows the size");
  }
  CheckMutable(policy, keys);
  return bytes;
}

// Everything above, for a policy given by its text.
inline void CheckDoor(std::string_view spec, Slice input) {
  const auto policy = PolicyOf(spec);
  CheckOpen(*policy, input);
  Check(!CheckBuild(*policy, input).empty() || KeysFrom(input).empty(),
        "a small filter can be built");
}

}  // namespace tamis::fuzz
