// SPDX-License-Identifier: Apache-2.0
#include "policy/prefix_policy.h"

#include <exception>
#include <new>
#include <span>
#include <utility>

#include "base/key_prefix.h"
#include "base/no_throw.h"
#include "formats/forwarding_policy.h"
#include "formats/tamis/any_kind.h"
#include "formats/tamis/container.h"
#include "formats/tamis/prefixes.h"
#include "tamis/prefix_filter.h"

namespace tamis {
namespace {

constexpr std::string_view kMark = "prefix:";
constexpr std::size_t kMaxNameBytes = 64;

Status Refuse(std::string_view what) {
  return Status::InvalidArgument(std::string("policy prefix: ").append(what));
}

// Adds each key and its prefix; repeats are left to the builder of the keys.
class PrefixBuilder final : public FilterBuilder {
 public:
  PrefixBuilder(std::shared_ptr<const PrefixExtractor> extractor,
                std::unique_ptr<FilterBuilder> keys)
      : extractor_(std::move(extractor)), keys_(std::move(keys)) {}

  void Add(Slice key) override {
    keys_->Add(key);
    if (!status_.ok()) return;
    try {
      AddPrefixOf(key);
    } catch (const std::bad_alloc&) {
      status_ = OutOfMemory();
    } catch (const std::exception& thrown) {
      status_ = Refuse(std::string("the extractor threw: ") + thrown.what());
    } catch (...) {
      status_ = Refuse("the extractor threw");
    }
  }

  Status Finish(std::string* dst) override {
    if (!status_.ok()) return status_;
    const std::size_t start = dst->size();
    Status finished = keys_->Finish(dst);
    if (!finished.ok()) return finished;
    return WrapTamisPrefixes(extractor_->name(), start, dst);
  }

  std::optional<std::uint64_t> counted_keys() const override {
    return keys_->counted_keys();
  }

 private:
  void AddPrefixOf(Slice key) {
    const std::optional<Slice> prefix = ExtractPrefix(*extractor_, key);
    if (!prefix || *prefix == last_) return;
    if (ExtractPrefix(*extractor_, *prefix) != prefix) {
      status_ = Refuse("the extractor gives a prefix another prefix");
      return;
    }
    keys_->Add(*prefix);
    last_.assign(*prefix);
  }

  const std::shared_ptr<const PrefixExtractor> extractor_;
  const std::unique_ptr<FilterBuilder> keys_;
  std::string last_;
  Status status_;
};

class PrefixPolicy final : public ForwardingPolicy {
 public:
  PrefixPolicy(std::shared_ptr<const PrefixExtractor> extractor,
               std::unique_ptr<const FilterPolicy> keys)
      : ForwardingPolicy(std::move(keys)), extractor_(std::move(extractor)) {}

  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options) const override {
    // Of prefixes neither the number is known, nor are equal ones adjacent.
    BuildOptions building = options;
    building.exact_keys = 0;
    building.repeats = RepeatedKeys::kAsFormat;
    return std::make_unique<PrefixBuilder>(
        extractor_, ForwardingPolicy::NewBuilder(building));
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return ClaimsPrefixes(bytes) ? OpenTamisPrefixes(bytes, extractor_)
                                 : ForwardingPolicy::Open(bytes);
  }
  // Of so many keys and prefixes.
  Estimate Predict(std::uint64_t keys) const noexcept override {
    Estimate estimate = ForwardingPolicy::Predict(keys);
    estimate.bytes += kTamisPrefixBytes;
    return estimate;
  }
  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t /*planned_keys*/) const override {
    return CannotGrow();
  }
  Result<std::unique_ptr<ConcurrentFilter>> NewConcurrent(
      std::uint64_t /*planned_keys*/) const override {
    return CannotGrow();
  }

 private:
  static Status CannotGrow() {
    return Status::NotSupported(
        "tamis: a filter with prefixes does not grow; use a builder");
  }

  const std::shared_ptr<const PrefixExtractor> extractor_;
};

}  // namespace

std::optional<PrefixText> SplitPrefixText(std::string_view text) noexcept {
  if (!text.starts_with(kMark)) return std::nullopt;
  text.remove_prefix(kMark.size());
  std::size_t end = text.find(',');
  if (end != std::string_view::npos &&
      text.substr(end).starts_with(",count=")) {
    end = text.find(',', end + 1);
  }
  if (end == std::string_view::npos) return PrefixText{text, "tamis"};
  return PrefixText{text.substr(0, end), text.substr(end + 1)};
}

std::string JoinPrefixText(std::string_view extractor, std::string_view keys) {
  return std::string(kMark).append(extractor).append(",").append(keys);
}

Result<std::unique_ptr<const FilterPolicy>> AddPrefixes(
    std::string_view extractor, std::unique_ptr<const FilterPolicy> keys) {
  auto made = MakePrefixExtractor(extractor);
  if (!made.ok()) return made.status();
  return NewPrefixPolicy(*std::move(made), std::move(keys));
}

Result<std::unique_ptr<const FilterPolicy>> NewPrefixPolicy(
    std::shared_ptr<const PrefixExtractor> extractor,
    std::unique_ptr<const FilterPolicy> keys) {
  return NoThrow([&]() -> Result<std::unique_ptr<const FilterPolicy>> {
    if (extractor == nullptr || keys == nullptr) {
      return Refuse("there is no extractor, or no policy for the keys");
    }
    if (extractor->name().empty() || extractor->name().size() > kMaxNameBytes) {
      return Refuse("the name of an extractor has 1 to 64 bytes");
    }
    if (keys->name() != kTamisFilterName) {
      return Refuse("only kinds of the .tamis container take prefixes, not " +
                    std::string(keys->name()));
    }
    return std::unique_ptr<const FilterPolicy>(
        std::make_unique<PrefixPolicy>(std::move(extractor), std::move(keys)));
  });
}

}  // namespace tamis
