// SPDX-License-Identifier: Apache-2.0
// tamis/status.h -- how a call reports an error.
//
// The library never throws, prints or aborts on bad input: whatever a file, a
// caller's text or the operating system got wrong comes back as a Status.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tamis/export.h"

namespace tamis {

// The kind of an error, for programs to branch on.
enum class StatusCode {
  kOk = 0,             // no error
  kInvalidArgument,    // the caller's request is not valid
  kCorruption,         // bytes that are not what they should be
  kNotSupported,       // valid, but this library cannot do it
  kNotFound,           // no such file, key or property
  kAlreadyExists,      // would overwrite
  kIoError,            // the operating system reported an error
  kResourceExhausted,  // no memory is left, or no open file
  kPermissionDenied,   // access denied, or the file system is read-only
  kFilterFull,         // a filter has no room for another key
};

// What a program can do about an error.  The message tells people the same.
enum class Remedy : unsigned char {
  kNone = 0,       // none is known
  kRepairStore,    // a call of RepairStore()
  kUseComparator,  // opening with the comparator that the message names
  // A larger StoreOptions::max_block_bytes or max_block_growth, if the file is
  // to be trusted.
  kRaiseMaxBlockBytes,
  kRaiseMaxBlockGrowth,
};

// Returns "corruption", "i/o error", ...; for people, not for programs.
TAMIS_EXPORT std::string_view StatusCodeName(StatusCode code) noexcept;

// Success, or a code and a sentence that says what to do about it.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;  // ok
  // An error whose message is a sentence for people.
  Status(StatusCode code, std::string message)
      : code_(code), message_(std::move(message)) {}

  // Each makes a Status of the code that it is named after.
  static Status Ok() noexcept { return Status(); }
  static Status InvalidArgument(std::string message) {
    return Status(StatusCode::kInvalidArgument, std::move(message));
  }
  static Status Corruption(std::string message) {
    return Status(StatusCode::kCorruption, std::move(message));
  }
  static Status NotSupported(std::string message) {
    return Status(StatusCode::kNotSupported, std::move(message));
  }
  static Status NotFound(std::string message) {
    return Status(StatusCode::kNotFound, std::move(message));
  }
  static Status AlreadyExists(std::string message) {
    return Status(StatusCode::kAlreadyExists, std::move(message));
  }
  static Status IoError(std::string message) {
    return Status(StatusCode::kIoError, std::move(message));
  }
  static Status ResourceExhausted(std::string message) {
    return Status(StatusCode::kResourceExhausted, std::move(message));
  }
  static Status PermissionDenied(std::string message) {
    return Status(StatusCode::kPermissionDenied, std::move(message));
  }
  static Status FilterFull(std::string message) {
    return Status(StatusCode::kFilterFull, std::move(message));
  }

  // Returns the same error with a remedy.
  Status With(Remedy remedy) && noexcept {
    remedy_ = remedy;
    return std::move(*this);
  }

  // The same error in other words: its code and remedy stay.
  Status WithMessage(std::string message) const {
    return Status(code_, std::move(message)).With(remedy_);
  }

  // Returns true if nothing went wrong; otherwise code() and message() say what
  // did.
  bool ok() const noexcept { return code_ == StatusCode::kOk; }
  StatusCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  Remedy remedy() const noexcept { return remedy_; }

  // "corruption: tamis: the header's checksum does not match", or "ok".
  TAMIS_EXPORT std::string ToString() const;

 private:
  StatusCode code_ = StatusCode::kOk;
  Remedy remedy_ = Remedy::kNone;
  std::string message_;
};

}  // namespace tamis
