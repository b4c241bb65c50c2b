// SPDX-License-Identifier: Apache-2.0
#include "policy/no_throw_policy.h"

#include <span>
#include <string>
#include <utility>

#include "base/no_throw.h"
#include "formats/forwarding_policy.h"

namespace tamis {
namespace {

class NoThrowPolicy final : public ForwardingPolicy {
 public:
  explicit NoThrowPolicy(std::unique_ptr<const FilterPolicy> policy)
      : ForwardingPolicy(std::move(policy)) {}

  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return NoThrow([&] { return ForwardingPolicy::Open(bytes); });
  }
  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    return NoThrow([&] { return ForwardingPolicy::NewMutable(planned_keys); });
  }
  Result<std::unique_ptr<ConcurrentFilter>> NewConcurrent(
      std::uint64_t planned_keys) const override {
    return NoThrow(
        [&] { return ForwardingPolicy::NewConcurrent(planned_keys); });
  }
  Status Combine(std::span<const Slice> filters, SetOperation operation,
                 std::string* dst) const override {
    return NoThrowAppending(dst, [&] {
      return ForwardingPolicy::Combine(filters, operation, dst);
    });
  }
};

}  // namespace

Result<std::unique_ptr<const FilterPolicy>> ThrowingNothing(
    Result<std::unique_ptr<const FilterPolicy>> policy) {
  if (!policy.ok()) return policy;
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<NoThrowPolicy>(*std::move(policy)));
}

}  // namespace tamis
