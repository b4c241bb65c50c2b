// SPDX-License-Identifier: Apache-2.0
// tamis/result.h -- a value, or the Status that says why there is none.
//
//   const auto policy = MakePolicy("bloom:10");
//   if (!policy.ok()) return policy.status();
//   const auto builder = policy->NewBuilder();
//
// For a Result of a std::unique_ptr or std::shared_ptr, -> accesses the object:
// policy->NewBuilder() is (*policy)->NewBuilder().

#pragma once

#include <cassert>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "tamis/export.h"
#include "tamis/status.h"

namespace tamis {

// True for the pointers that Result::operator->() dereferences.
template <typename T>
inline constexpr bool kIsOwningPointer = false;
template <typename T, typename Deleter>
inline constexpr bool kIsOwningPointer<std::unique_ptr<T, Deleter>> =
    !std::is_array_v<T>;
template <typename T>
inline constexpr bool kIsOwningPointer<std::shared_ptr<T>> =
    !std::is_array_v<T>;

// Owns its value.  An lvalue returns references to it; a temporary returns it
// by value, so that `for (const auto& x : *Function())` is safe.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return Status::...;` both read
  // as what they are.  REQUIRES: the status is not ok.
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }

  // Returns true if there is a value.
  bool ok() const noexcept { return value_.has_value(); }
  // Ok exactly if there is a value.
  const Status& status() const noexcept { return status_; }

  // REQUIRES: ok()
  T& value() & noexcept {
    assert(ok());
    return *value_;
  }
  const T& value() const& noexcept {
    assert(ok());
    return *value_;
  }
  T value() && noexcept(std::is_nothrow_move_constructible_v<T>) {
    assert(ok());
    return *std::move(value_);
  }
  T value() const&& = delete;

  // The same.  REQUIRES: ok()
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T operator*() && noexcept(std::is_nothrow_move_constructible_v<T>) {
    return std::move(*this).value();
  }
  T operator*() const&& = delete;

  // Accesses the value's members, or the object's if the value is a
  // std::unique_ptr or std::shared_ptr.  A temporary has no operator->, since
  // the result of the call could outlive it: MakePolicy("bloom")->NewBuilder()
  // would be a builder without its policy.
  // REQUIRES: ok(), and the pointer is not null
  auto* operator->() & noexcept { return MembersOf(value()); }
  auto* operator->() const& noexcept { return MembersOf(value()); }
  T* operator->() && = delete;
  T* operator->() const&& = delete;

 private:
  template <typename Value>
  static auto* MembersOf(Value& value) noexcept {
    if constexpr (kIsOwningPointer<T>) {
      assert(value != nullptr);
      return value.get();
    } else {
      return &value;
    }
  }

  Status status_;
  std::optional<T> value_;
};

}  // namespace tamis
