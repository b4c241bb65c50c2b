// SPDX-License-Identifier: Apache-2.0
// formats/tamis/solved_builder.h -- the builder of the kinds that need all
// hashes at once: it collects them in a KeyHashSet.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "sort/hash_set.h"
#include "tamis/filter.h"

namespace tamis {

// Hashes of keys, and how they were made.  All kinds of .tamis share the hash,
// so the kind of a filter can be chosen late: the bytes are those that its
// builder makes from the keys.
struct HashedKeys {
  KeyHashSet* hashes;  // sealed
  std::uint64_t seed;  // of the hash
};

class SolvedFilterBuilder final : public FilterBuilder {
 public:
  // Appends the filter of these keys.  On error *dst may have grown; Finish()
  // restores it.  Calls options.progress from 0 to 1, which Finish() maps to
  // the later part of its own.
  using Append = std::function<Status(
      const HashedKeys&, const BuildOptions& options, std::string* dst)>;

  SolvedFilterBuilder(std::uint64_t seed, const BuildOptions& options,
                      Append append);

  void Add(Slice key) override;
  void AddMany(std::span<const Slice> keys) override;
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return seed_;
  }
  Status Finish(std::string* dst) override;
  std::optional<std::uint64_t> counted_keys() const override {
    return counted_;
  }

 private:
  bool TakeHash(KeyHash hash) override;
  Status SealAndBuild(std::string* dst);

  std::uint64_t seed_;
  BuildOptions options_;
  Append append_;
  std::function<void(double)> progress_;  // the caller's
  KeyHashSet hashes_;
  std::optional<std::uint64_t> counted_;
};

}  // namespace tamis
