// formats/bloom_policy.h -- everything the classic Bloom formats share:
// policy, builder, reader and mutable filter, for a format F that says how
// keys are hashed, where probes fall and what stands around the bits.
//
// F is a small copyable value:
//   F::Digest                    a key's hash; kept per key while building
//   F::Probes                    its probe sequence (probe_sequences.h)
//   F::kHeaderBytes              before the bits
//   F::kTrailerBytes             after the bits
//   F::kCountsRepeats            an equal key added twice in a row counts twice
//   F::kHasSeed                  the seed is stored, and shown
//   policy_name(), spec_name(), hash_name()
//   byte_flip()                  0 or 7, see classic_bloom.h
//   HashOf(key, seed) -> Digest
//   Plan(keys) -> BloomFacts     the size for that many keys
//   CheckPlan(facts) -> Status   can the format hold it?
//   PayloadBytes(bits)           bytes of the bit array
//   Rate(facts, keys) -> double  expected false positives
//   Seal(whole, facts)           writes header and trailer around the bits
//   Parse(bytes) -> Result<ParsedBloom>

#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/append_zeros.h"
#include "base/chunked_array.h"
#include "filters/bit_array.h"
#include "filters/classic_bloom.h"
#include "formats/always_maybe.h"
#include "formats/bloom_facts.h"
#include "tamis/filter.h"

namespace tamis {

inline const unsigned char* BytesOf(Slice bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* BytesOf(char* bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes);
}

template <typename F>
ClassicShape ShapeOf(const F& format, const BloomFacts& facts) noexcept {
  return {.bits = facts.bits,
          .probes = facts.probes,
          .byte_flip = format.byte_flip()};
}

template <typename F>
std::uint64_t TotalBytes(const F& format, const BloomFacts& facts) noexcept {
  return F::kHeaderBytes + format.PayloadBytes(facts.bits) + F::kTrailerBytes;
}

// Can there be such a filter at all?
template <typename F>
Status CheckPlan(const F& format, const BloomFacts& facts) {
  if (facts.bits > kMostBloomBits) {
    const std::string spec = format.spec_name();
    return Status::InvalidArgument(spec.substr(0, spec.find(':')) +
                                   ": more than 2^62 bits; plan for fewer keys "
                                   "or fewer bits per key");
  }
  return format.CheckPlan(facts);
}

template <typename F>
FilterInfo DescribeBloom(const F& format, const BloomFacts& facts,
                         Slice payload) {
  FilterInfo info;
  info.format = format.spec_name();
  info.kind = "classic";
  info.hash = format.hash_name();
  info.bits = facts.bits;
  info.set_bits = CountSetBits({BytesOf(payload), payload.size()});
  info.probes = facts.probes;
  info.keys = facts.keys;
  if (F::kHasSeed) info.seed = facts.seed;
  return info;
}

// out[i] = "all bits of keys[i] are set", with the first probes overlapped.
template <typename F>
void CheckBloomMany(const F& format, const BloomFacts& facts,
                    const unsigned char* bytes, std::span<const Slice> keys,
                    std::span<bool> out) noexcept {
  constexpr std::size_t kGroup = 32;
  const ClassicShape shape = ShapeOf(format, facts);
  std::array<typename F::Digest, kGroup> digests;
  for (std::size_t first = 0; first < keys.size(); first += kGroup) {
    const std::size_t count = std::min(kGroup, keys.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      digests[i] = format.HashOf(keys[first + i], facts.seed);
      PrefetchClassic<typename F::Probes>(bytes, shape, digests[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      out[first + i] =
          CheckClassic<typename F::Probes>(bytes, shape, digests[i]);
    }
  }
}

template <typename F>
class BloomReader final : public FilterReader {
 public:
  // REQUIRES: `parsed` comes from format.Parse() and may be probed
  BloomReader(const F& format, ParsedBloom parsed)
      : format_(format),
        facts_(parsed.facts),
        payload_(parsed.payload),
        shape_(ShapeOf(format, parsed.facts)) {}

  bool MayContain(Slice key) const noexcept override {
    return CheckClassic<typename F::Probes>(BytesOf(payload_), shape_,
                                            format_.HashOf(key, facts_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    CheckBloomMany(format_, facts_, BytesOf(payload_), keys, out);
  }
  FilterInfo Describe() const override {
    return DescribeBloom(format_, facts_, payload_);
  }

 private:
  F format_;
  BloomFacts facts_;
  Slice payload_;
  ClassicShape shape_;
};

template <typename F>
class BloomBuilder final : public FilterBuilder {
 public:
  explicit BloomBuilder(const F& format)
      : format_(format), seed_(format.Plan(0).seed) {}

  void Add(Slice key) override {
    const typename F::Digest digest = format_.HashOf(key, seed_);
    if (!F::kCountsRepeats && !digests_.empty() && digests_.back() == digest) {
      return;
    }
    if (!digests_.PushBack(digest)) out_of_memory_ = true;
  }

  Status Finish(std::string* dst) override {
    if (out_of_memory_) {
      return Status::ResourceExhausted("no memory for the keys' hashes");
    }
    BloomFacts facts = format_.Plan(digests_.size());
    facts.keys = digests_.size();
    if (Status fits = CheckPlan(format_, facts); !fits.ok()) return fits;
    const std::size_t start = dst->size();
    Status room = AppendZeros(dst, TotalBytes(format_, facts));
    if (!room.ok()) return room;

    char* whole = dst->data() + start;
    const ClassicShape shape = ShapeOf(format_, facts);
    for (std::size_t i = 0; i < digests_.chunk_count(); ++i) {
      MarkClassicMany<typename F::Probes>(BytesOf(whole + F::kHeaderBytes),
                                          shape, digests_.chunk(i));
    }
    format_.Seal({whole, dst->size() - start}, facts);
    return Status::Ok();
  }

 private:
  F format_;
  std::uint64_t seed_;
  ChunkedArray<typename F::Digest> digests_;
  bool out_of_memory_ = false;
};

template <typename F>
class BloomMutable final : public MutableFilter {
 public:
  // REQUIRES: `whole` holds TotalBytes(format, facts) zero bytes
  BloomMutable(const F& format, const BloomFacts& facts, std::string whole)
      : format_(format),
        facts_(facts),
        shape_(ShapeOf(format, facts)),
        whole_(std::move(whole)) {
    facts_.keys = 0;
  }

  Status Insert(Slice key) override {
    MarkClassic<typename F::Probes>(BytesOf(whole_.data() + F::kHeaderBytes),
                                    shape_, format_.HashOf(key, facts_.seed));
    ++*facts_.keys;
    return Status::Ok();
  }
  bool MayContain(Slice key) const noexcept override {
    return CheckClassic<typename F::Probes>(BytesOf(payload()), shape_,
                                            format_.HashOf(key, facts_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    CheckBloomMany(format_, facts_, BytesOf(payload()), keys, out);
  }
  FilterInfo Describe() const override {
    return DescribeBloom(format_, facts_, payload());
  }
  Status Save(std::string* dst) const override {
    const std::size_t start = dst->size();
    Status room = AppendZeros(dst, whole_.size());
    if (!room.ok()) return room;
    std::copy(whole_.begin(), whole_.end(), dst->data() + start);
    format_.Seal({dst->data() + start, whole_.size()}, facts_);
    return Status::Ok();
  }

 private:
  Slice payload() const noexcept {
    return Slice(whole_).substr(
        F::kHeaderBytes, whole_.size() - F::kHeaderBytes - F::kTrailerBytes);
  }

  F format_;
  BloomFacts facts_;
  ClassicShape shape_;
  std::string whole_;  // as it will be saved, but for header and trailer
};

// Ok if b can be merged into a; else a Status that names the difference.
Status CheckMergeable(const ParsedBloom& a, const ParsedBloom& b);

template <typename F>
class BloomPolicy final : public FilterPolicy {
 public:
  explicit BloomPolicy(const F& format) : format_(format) {}

  std::string_view name() const noexcept override {
    return format_.policy_name();
  }

  std::unique_ptr<FilterBuilder> NewBuilder(
      std::uint64_t /*expected_keys*/) const override {
    return std::make_unique<BloomBuilder<F>>(format_);
  }

  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    Result<ParsedBloom> parsed = format_.Parse(bytes);
    if (!parsed.ok()) return parsed.status();
    if (!parsed->always_maybe.empty()) {
      return NewAlwaysMaybe(format_.spec_name(), parsed->always_maybe);
    }
    return std::unique_ptr<const FilterReader>(
        std::make_unique<BloomReader<F>>(format_, *std::move(parsed)));
  }

  Estimate Predict(std::uint64_t keys) const noexcept override {
    const BloomFacts facts = format_.Plan(keys);
    return {.bytes = TotalBytes(format_, facts),
            .bits = facts.bits,
            .probes = facts.probes,
            .false_positive_rate = format_.Rate(facts, keys),
            .status = CheckPlan(format_, facts)};
  }
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    return format_.Rate(format_.Plan(planned_keys), keys);
  }

  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    const BloomFacts facts = format_.Plan(planned_keys);
    if (Status fits = CheckPlan(format_, facts); !fits.ok()) return fits;
    std::string whole;
    Status room = AppendZeros(&whole, TotalBytes(format_, facts));
    if (!room.ok()) return room;
    return std::unique_ptr<MutableFilter>(
        std::make_unique<BloomMutable<F>>(format_, facts, std::move(whole)));
  }

  Status Combine(std::span<const Slice> filters, SetOperation operation,
                 std::string* dst) const override;

 private:
  F format_;
};

template <typename F>
Status BloomPolicy<F>::Combine(std::span<const Slice> filters,
                               SetOperation operation, std::string* dst) const {
  if (filters.empty()) {
    return Status::InvalidArgument("there is no filter to combine");
  }
  std::vector<ParsedBloom> parts;
  for (Slice filter : filters) {
    Result<ParsedBloom> part = format_.Parse(filter);
    if (!part.ok()) return part.status();
    parts.push_back(*std::move(part));
    Status fits = CheckMergeable(parts.front(), parts.back());
    if (!fits.ok()) return fits;
  }
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, TotalBytes(format_, parts.front().facts));
  if (!room.ok()) return room;

  char* whole = dst->data() + start;
  const std::span<unsigned char> bits(BytesOf(whole + F::kHeaderBytes),
                                      parts.front().payload.size());
  OrInto(bits, {BytesOf(parts.front().payload), bits.size()});
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::span<const unsigned char> from(BytesOf(parts[i].payload),
                                              bits.size());
    if (operation == SetOperation::kUnion) {
      OrInto(bits, from);
    } else {
      AndInto(bits, from);
    }
  }
  BloomFacts facts = parts.front().facts;
  // Keys in common are not known, so neither is the number of the result's.
  if (parts.size() > 1) facts.keys.reset();
  format_.Seal({whole, dst->size() - start}, facts);
  return Status::Ok();
}

}  // namespace tamis
