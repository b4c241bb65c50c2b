#include "policy/no_throw_policy.h"

#include <span>
#include <string>
#include <utility>

#include "base/no_throw.h"

namespace tamis {
namespace {

class NoThrowPolicy final : public FilterPolicy {
 public:
  explicit NoThrowPolicy(std::unique_ptr<const FilterPolicy> policy)
      : policy_(std::move(policy)) {}

  std::string_view name() const noexcept override { return policy_->name(); }
  std::unique_ptr<FilterBuilder> NewBuilder(
      std::uint64_t expected_keys) const override {
    return policy_->NewBuilder(expected_keys);
  }
  std::unique_ptr<FilterBuilder> NewBuilderWith(
      const BuildOptions& options) const override {
    return policy_->NewBuilderWith(options);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return NoThrow([&] { return policy_->Open(bytes); });
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
    return NoThrow([&] { return policy_->NewMutable(planned_keys); });
  }
  Result<std::unique_ptr<ConcurrentFilter>> NewConcurrent(
      std::uint64_t planned_keys) const override {
    return NoThrow([&] { return policy_->NewConcurrent(planned_keys); });
  }
  Status Combine(std::span<const Slice> filters, SetOperation operation,
                 std::string* dst) const override {
    return NoThrowAppending(
        dst, [&] { return policy_->Combine(filters, operation, dst); });
  }

 private:
  std::unique_ptr<const FilterPolicy> policy_;
};

}  // namespace

Result<std::unique_ptr<const FilterPolicy>> ThrowingNothing(
    Result<std::unique_ptr<const FilterPolicy>> policy) {
  if (!policy.ok()) return policy;
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<NoThrowPolicy>(*std::move(policy)));
}

}  // namespace tamis
