// formats/digest_builder.h -- what the builders share that need all digests at
// once: they collect them in a DigestSet.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "filters/digest_set.h"
#include "tamis/filter.h"

namespace tamis {

class DigestBuilder : public FilterBuilder {
 public:
  void Add(Slice key) final;
  void AddMany(std::span<const Slice> keys) final;
  std::optional<std::uint64_t> hash_seed() const noexcept final {
    return seed_;
  }
  Status Finish(std::string* dst) final;
  std::optional<std::uint64_t> counted_keys() const final { return counted_; }

 protected:
  DigestBuilder(std::uint64_t seed, const BuildOptions& options);

  std::uint64_t seed() const noexcept { return seed_; }
  const BuildOptions& options() const noexcept { return options_; }

  // Appends the filter of `digests`, which are sealed.  On error *dst may have
  // grown; Finish() mends that.  Tells options().progress from 0 to 1; Finish()
  // makes that the later part of its own.
  virtual Status Build(DigestSet* digests, std::string* dst) = 0;

 private:
  bool TakeHash(KeyHash hash) final;
  Status SealAndBuild(std::string* dst);

  std::uint64_t seed_;
  BuildOptions options_;
  std::function<void(double)> progress_;  // the caller's
  DigestSet digests_;
  std::optional<std::uint64_t> counted_;
};

}  // namespace tamis
