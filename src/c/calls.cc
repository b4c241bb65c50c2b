// SPDX-License-Identifier: Apache-2.0
#include "c/calls.h"

#include <cstdlib>
#include <cstring>

#include "tamis/c.h"

namespace tamis {

static_assert(TAMIS_OK == static_cast<int>(StatusCode::kOk));
static_assert(TAMIS_INVALID_ARGUMENT ==
              static_cast<int>(StatusCode::kInvalidArgument));
static_assert(TAMIS_CORRUPTION == static_cast<int>(StatusCode::kCorruption));
static_assert(TAMIS_NOT_SUPPORTED ==
              static_cast<int>(StatusCode::kNotSupported));
static_assert(TAMIS_NOT_FOUND == static_cast<int>(StatusCode::kNotFound));
static_assert(TAMIS_ALREADY_EXISTS ==
              static_cast<int>(StatusCode::kAlreadyExists));
static_assert(TAMIS_IO_ERROR == static_cast<int>(StatusCode::kIoError));
static_assert(TAMIS_RESOURCE_EXHAUSTED ==
              static_cast<int>(StatusCode::kResourceExhausted));
static_assert(TAMIS_PERMISSION_DENIED ==
              static_cast<int>(StatusCode::kPermissionDenied));
static_assert(TAMIS_FILTER_FULL == static_cast<int>(StatusCode::kFilterFull));

Status CopyOut(Slice from, char** bytes, std::size_t* length) noexcept {
  char* const copy = static_cast<char*>(std::malloc(from.size() + 1));
  if (copy == nullptr) return OutOfMemory();
  if (!from.empty()) std::memcpy(copy, from.data(), from.size());
  copy[from.size()] = '\0';
  *bytes = copy;
  *length = from.size();
  return Status::Ok();
}

int Report(const Status& status, char** message) noexcept {
  if (message != nullptr) {
    *message = nullptr;
    std::size_t length = 0;
    if (!status.ok() && !CopyOut(status.message(), message, &length).ok()) {
      *message = nullptr;
    }
  }
  return static_cast<int>(status.code());
}

}  // namespace tamis
