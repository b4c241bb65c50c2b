// tamis/result.h -- a value, or the Status that says why there is none.

#pragma once

#include <cassert>
#include <optional>
#include <utility>

#include "tamis/status.h"

namespace tamis {

template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return Status::...;` both read
  // as what they are.  REQUIRES: the status is not ok.
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }

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
  T&& value() && noexcept {
    assert(ok());
    return *std::move(value_);
  }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }
  T* operator->() noexcept { return &value(); }
  const T* operator->() const noexcept { return &value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace tamis
