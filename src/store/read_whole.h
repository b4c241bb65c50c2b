// SPDX-License-Identifier: Apache-2.0
// store/read_whole.h -- a log or a manifest, read whole.  They are never
// mapped: whoever writes one may cut it at any moment, and a sector that cannot
// be read must be an error.

#pragma once

#include <cstdint>
#include <string>

#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/store_options.h"

namespace tamis {

// LevelDB adds to a manifest for as long as a process has the store open.
inline constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{4} << 30;

// A log holds what one memtable does, or one batch that is larger.
std::uint64_t MostLogBytes(const StoreOptions& options) noexcept;

// ResourceExhausted, which names the file: it has more than `limit` bytes.
Status CheckLength(const std::string& path, std::uint64_t bytes,
                   std::uint64_t limit);

// What the file has.  Should it become shorter meanwhile (a writer cuts the end
// that it had allocated ahead), it counts as the shorter file.
// ResourceExhausted: it has more than `limit` bytes, which is said before any
// memory is taken, or there is no memory for it.  Every message names the file.
Result<std::string> ReadWholeFile(Env& env, const std::string& path,
                                  std::uint64_t limit);

}  // namespace tamis
