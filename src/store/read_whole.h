// SPDX-License-Identifier: Apache-2.0
// store/read_whole.h -- reads a whole log or manifest.  They are never mapped:
// a writer may truncate one at any moment, and a bad sector must be an error.

#pragma once

#include <cstdint>
#include <string>

#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/store_options.h"

namespace tamis {

// LevelDB adds to a manifest for as long as a process has the store open.
inline constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{4} << 30;

// A log contains the writes of one memtable, or one batch that is larger.
std::uint64_t MostLogBytes(const StoreOptions& options) noexcept;

// ResourceExhausted, which names the file: it has more than `limit` bytes.
Status CheckLength(const std::string& path, std::uint64_t bytes,
                   std::uint64_t limit);

// Reads the whole file.  If it is truncated meanwhile (a writer removes the end
// that it had allocated ahead), the result is the shorter file.
// ResourceExhausted: it has more than `limit` bytes, which is checked before
// any memory is allocated, or there is no memory for it.  Every message names
// the file.
Result<std::string> ReadWholeFile(Env& env, const std::string& path,
                                  std::uint64_t limit);

}  // namespace tamis
