// SPDX-License-Identifier: Apache-2.0
// leveldb::Status: its state is an array made by new char[], which the header's
// destructor deletes.

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <leveldb/status.h>

#include "convert.h"

namespace leveldb {
namespace {

// Before the message: its length and the code.
constexpr std::size_t kHeadBytes = 5;

std::uint32_t MessageBytes(const char* state) noexcept {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, state, sizeof(bytes));
  return bytes;
}

}  // namespace

const char* Status::CopyState(const char* s) {
  const std::size_t bytes = kHeadBytes + MessageBytes(s);
  char* const copy = new char[bytes];
  std::memcpy(copy, s, bytes);
  return copy;
}

Status::Status(Code code, const Slice& msg, const Slice& msg2) {
  const std::string_view between = msg2.empty() ? "" : ": ";
  const auto bytes =
      static_cast<std::uint32_t>(msg.size() + between.size() + msg2.size());
  char* const state = new char[kHeadBytes + bytes];
  std::memcpy(state, &bytes, sizeof(bytes));
  state[4] = static_cast<char>(code);
  char* end = state + kHeadBytes;
  for (const std::string_view part :
       {tamis::dropin::Ours(msg), between, tamis::dropin::Ours(msg2)}) {
    end += part.copy(end, part.size());
  }
  state_ = state;
}

std::string Status::ToString() const {
  static constexpr std::array<std::string_view, 6> kNames = {
      "OK",
      "NotFound: ",
      "Corruption: ",
      "Not implemented: ",
      "Invalid argument: ",
      "IO error: "};
  std::string text(kNames[static_cast<std::size_t>(code())]);
  if (state_ != nullptr) text.append(state_ + kHeadBytes, MessageBytes(state_));
  return text;
}

}  // namespace leveldb

namespace tamis::dropin {

leveldb::Status ErrorOf(const Status& status) {
  const leveldb::Slice message(status.message());
  switch (status.code()) {
    case StatusCode::kNotFound:
      return leveldb::Status::NotFound(message);
    case StatusCode::kCorruption:
      return leveldb::Status::Corruption(message);
    case StatusCode::kNotSupported:
      return leveldb::Status::NotSupported(message);
    case StatusCode::kInvalidArgument:
    case StatusCode::kAlreadyExists:
    case StatusCode::kFilterFull:
      return leveldb::Status::InvalidArgument(message);
    case StatusCode::kOk:
    case StatusCode::kIoError:
    case StatusCode::kResourceExhausted:
    case StatusCode::kPermissionDenied:
      break;
  }
  return leveldb::Status::IOError(message);
}

Status ErrorOf(const leveldb::Status& status) {
  std::string text = status.ToString();
  if (status.IsNotFound()) return Status::NotFound(std::move(text));
  if (status.IsCorruption()) return Status::Corruption(std::move(text));
  if (status.IsNotSupportedError())
    return Status::NotSupported(std::move(text));
  if (status.IsInvalidArgument()) {
    return Status::InvalidArgument(std::move(text));
  }
  return Status::IoError(std::move(text));
}

leveldb::Status SystemError(const std::string& what, int number) {
  const std::string why = std::strerror(number);
  return number == ENOENT ? leveldb::Status::NotFound(what, why)
                          : leveldb::Status::IOError(what, why);
}

}  // namespace tamis::dropin
