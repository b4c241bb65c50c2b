// SPDX-License-Identifier: Apache-2.0
// file_type.h -- .tamis files as values of keys, for TAMIS.*: filters of any
// kind, which are loaded whole and do not change.

#pragma once

#include <memory>
#include <string_view>

#include "redis_api.h"
#include "tamis/c.h"

namespace tamis {

struct DestroyFile {
  void operator()(tamis_filter* filter) const noexcept {
    tamis_filter_destroy(filter);
  }
};
using FileFilter = std::unique_ptr<tamis_filter, DestroyFile>;

// Returns whether the server took the type.
bool CreateFileType(RedisContext* context);
RedisType* FileType() noexcept;

// Copies and checks the bytes of a .tamis file.  Returns a code of tamis/c.h.
int OpenFile(std::string_view bytes, FileFilter* filter);
// Returns the same bytes.
std::string_view BytesOfFile(const tamis_filter* filter) noexcept;

}  // namespace tamis
