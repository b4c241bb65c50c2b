// SPDX-License-Identifier: Apache-2.0
// formats/dispatching_policy.h -- a policy that builds one kind of filter and
// reads every kind of its name.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "formats/forwarding_policy.h"

namespace tamis {

// How filters of one name are read, whatever their kind.
struct KindReading {
  // As FilterPolicy::Open().
  Result<std::unique_ptr<const FilterReader>> (*open)(Slice bytes);

  // As FilterPolicy::Combine(), for filters of the kind that `bytes` claims to
  // be; null: that kind cannot be combined.
  using Combine = Status (*)(std::span<const Slice> filters,
                             SetOperation operation, std::string* dst);
  Combine (*combine_of)(Slice bytes);
};

class DispatchingPolicy final : public ForwardingPolicy {
 public:
  DispatchingPolicy(std::unique_ptr<const FilterPolicy> builder,
                    const KindReading& reading)
      : ForwardingPolicy(std::move(builder)), reading_(reading) {}

  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return reading_.open(bytes);
  }
  // Uses the kind of the first filter; the others must be of the same.
  Status Combine(std::span<const Slice> filters, SetOperation operation,
                 std::string* dst) const override {
    if (filters.empty()) {
      return ForwardingPolicy::Combine(filters, operation, dst);
    }
    const KindReading::Combine combine = reading_.combine_of(filters.front());
    return combine != nullptr ? combine(filters, operation, dst)
                              : FilterPolicy::Combine(filters, operation, dst);
  }

 private:
  KindReading reading_;
};

// Returns the error of `policy`, if it is one.
inline Result<std::unique_ptr<const FilterPolicy>> Dispatching(
    Result<std::unique_ptr<const FilterPolicy>> policy,
    const KindReading& reading) {
  if (!policy.ok()) return policy.status();
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<DispatchingPolicy>(*std::move(policy), reading));
}

}  // namespace tamis
