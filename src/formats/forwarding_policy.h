// SPDX-License-Identifier: Apache-2.0
// formats/forwarding_policy.h -- a policy that forwards to another; derived
// classes change some of the methods.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tamis/filter.h"

namespace tamis {

class ForwardingPolicy : public FilterPolicy {
 public:
  std::string_view name() const noexcept override { return policy_->name(); }
  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options) const override {
    return policy_->NewBuilder(options);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return policy_->Open(bytes);
  }
  Estimate Predict(std::uint64_t keys) const noexcept override {
    return policy_->Predict(keys);
  }
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    return policy_->RateAt(planned_keys, keys);
  }
  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    return policy_->NewMutable(planned_keys);
  }
  Result<std::unique_ptr<ConcurrentFilter>> NewConcurrent(
      std::uint64_t planned_keys) const override {
    return policy_->NewConcurrent(planned_keys);
  }
  Status Combine(std::span<const Slice> filters, SetOperation operation,
                 std::string* dst) const override {
    return policy_->Combine(filters, operation, dst);
  }

 protected:
  explicit ForwardingPolicy(std::unique_ptr<const FilterPolicy> policy)
      : policy_(std::move(policy)) {}

 private:
  std::unique_ptr<const FilterPolicy> policy_;
};

}  // namespace tamis
