// SPDX-License-Identifier: Apache-2.0
// formats/known_size_builder.h -- builds a Bloom filter whose number of keys is
// known before the first of them: it has its size from the start, so keys are
// marked as they come, and no hash is kept.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/no_throw.h"
#include "formats/bloom_format.h"
#include "formats/bloom_mutable.h"
#include "formats/bloom_parameters.h"
#include "formats/taken_hash.h"
#include "tamis/filter.h"

namespace tamis {

template <BloomFormat F>
class KnownSizeBuilder final : public FilterBuilder {
 public:
  using Hash = typename F::Hash;

  // `planned` is CheckPlan() of the format's plan for so many keys; if it is
  // not ok, Finish() returns it.  REQUIRES: exact_keys > 0; equal keys are
  // adjacent, or F counts every key
  KnownSizeBuilder(const F& format, std::uint64_t exact_keys, Status planned)
      : format_(format),
        parameters_(format.Plan(exact_keys)),
        exact_keys_(exact_keys),
        status_(std::move(planned)) {
    parameters_.keys = exact_keys;
    if (!status_.ok()) return;
    Result<BloomPayload> payload =
        NewBloomPayload(format.PayloadBytes(parameters_.bits));
    if (payload.ok()) {
      payload_ = *std::move(payload);
      engine_.emplace(format_, parameters_);
    } else {
      status_ = payload.status();
    }
  }

  void Add(Slice key) override {
    PushHash(format_.HashOf(key, parameters_.seed));
  }
  void AddMany(std::span<const Slice> keys) override {
    if (!status_.ok()) return;
    engine_->MarkMany(CountsKeys{this}, parameters_.seed, bytes(), keys);
  }
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return F::kHasSeed ? std::optional(parameters_.seed) : std::nullopt;
  }

  Status Finish(std::string* dst) override {
    return NoThrowAppending(dst, [&] { return Write(dst); });
  }
  std::optional<std::uint64_t> counted_keys() const override {
    return counted_;
  }

 private:
  // Takes the place of the format's hash function: counts, too.  Repeats are
  // marked again, which changes nothing.
  struct CountsKeys {
    KnownSizeBuilder* builder;

    Hash HashOf(Slice key, std::uint64_t seed) const noexcept {
      const Hash hash = builder->format_.HashOf(key, seed);
      builder->Count(hash);
      return hash;
    }
  };

  bool TakeHash(KeyHash hash) override {
    if constexpr (F::kHasSeed) {
      if (hash.seed != parameters_.seed) return false;
      PushHash(hash.value);
      return true;
    } else {
      return false;
    }
  }
  void PushHash(const Hash& hash) noexcept {
    Count(hash);
    pending_[pending_count_++] = hash;
    if (pending_count_ == pending_.size()) MarkPending();
  }
  void MarkPending() noexcept {
    const std::size_t count = std::exchange(pending_count_, 0);
    if (!status_.ok()) return;
    engine_->MarkMany(TakesHashes(), parameters_.seed, bytes(),
                      std::span<const Hash>(pending_.data(), count));
  }

  // Counts the keys that BloomBuilder counts.
  void Count(const Hash& hash) noexcept {
    if constexpr (F::kRepeats == CountedRepeats::kAll) {
      ++added_;
    } else {
      added_ += added_ > 0 && last_ == hash ? 0u : 1u;
      last_ = hash;
    }
  }

  Status Write(std::string* dst) {
    MarkPending();
    if (!status_.ok()) return status_;
    if (added_ != exact_keys_) {
      return Status::InvalidArgument(
          std::to_string(added_) + " keys were added, not the " +
          std::to_string(exact_keys_) + " of BuildOptions::exact_keys");
    }
    const auto fill = [&](unsigned char* to) { payload_.CopyTo(to); };
    Status written = AppendBloom(format_, parameters_, fill, dst);
    if (written.ok()) counted_ = added_;
    return written;
  }

  unsigned char* bytes() noexcept { return payload_.bytes.get(); }

  F format_;
  BloomParameters parameters_;
  const std::uint64_t exact_keys_;
  Status status_;         // not ok: an impossible size, or no memory
  BloomPayload payload_;  // both only if it is ok
  std::optional<typename F::Engine> engine_;
  std::uint64_t added_ = 0;
  Hash last_{};  // the hash just before, if any
  // Hashes that came one by one; enough to mark them as fast as many keys.
  std::array<Hash, 512> pending_;
  std::size_t pending_count_ = 0;
  std::optional<std::uint64_t> counted_;
};

}  // namespace tamis
