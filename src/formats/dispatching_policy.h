// formats/dispatching_policy.h -- a policy that builds one kind of filter and
// reads every kind of its name.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tamis/filter.h"

namespace tamis {

class DispatchingPolicy final : public FilterPolicy {
 public:
  // The policy that reads these bytes, for as long as the program runs.
  using ReaderOf = const FilterPolicy& (*)(Slice bytes);

  DispatchingPolicy(std::unique_ptr<const FilterPolicy> builder,
                    ReaderOf reader_of)
      : builder_(std::move(builder)), reader_of_(reader_of) {}

  std::string_view name() const noexcept override { return builder_->name(); }
  std::unique_ptr<FilterBuilder> NewBuilder(
      std::uint64_t expected_keys) const override {
    return builder_->NewBuilder(expected_keys);
  }
  std::unique_ptr<FilterBuilder> NewBuilderWith(
      const BuildOptions& options) const override {
    return builder_->NewBuilderWith(options);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return reader_of_(bytes).Open(bytes);
  }
  Estimate Predict(std::uint64_t keys) const noexcept override {
    return builder_->Predict(keys);
  }
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    return builder_->RateAt(planned_keys, keys);
  }
  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    return builder_->NewMutable(planned_keys);
  }
  Result<std::unique_ptr<ConcurrentFilter>> NewConcurrent(
      std::uint64_t planned_keys) const override {
    return builder_->NewConcurrent(planned_keys);
  }
  // Of the first filter's kind; the others must be of the same.
  Status Combine(std::span<const Slice> filters, SetOperation operation,
                 std::string* dst) const override {
    const FilterPolicy& reader =
        filters.empty() ? *builder_ : reader_of_(filters.front());
    return reader.Combine(filters, operation, dst);
  }

 private:
  std::unique_ptr<const FilterPolicy> builder_;
  ReaderOf reader_of_;
};

}  // namespace tamis
