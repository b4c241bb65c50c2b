// SPDX-License-Identifier: Apache-2.0
// store/repair_manifest.h -- finds out from a store's manifests, even if
// damaged, which of its files are live.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "store/manifest.h"
#include "tamis/env.h"

namespace tamis {

struct ManifestFinding {
  enum class Trust {
    kNone,   // no manifest can be read
    kPart,   // only its beginning: see first_unknown
    kWhole,  // all of it
  };
  Trust trust = Trust::kNone;
  bool is_current = false;  // CURRENT names it
  std::string path;         // empty: none
  ManifestState state;
  // Tables from this number on may have become live in its damaged part.
  std::uint64_t first_unknown = 0;
  // Each names a file.  A missing file is not a problem.
  std::vector<std::string> problems;
  // Not ok: a manifest could not be read for a reason other than damage (see
  // base/damage.h).  The message names the file; the other members are then
  // meaningless.
  Status unread;

  // With kPart and kNone: returns whether a table may be live though it does
  // not seem so.
  bool CannotSpeakFor(std::uint64_t table) const {
    if (trust == Trust::kWhole) return false;
    return table >= first_unknown && !state.named.contains(table);
  }
  // Returns whether the log may contain writes that are in no table.
  bool NeedsLog(std::uint64_t number) const {
    return trust == Trust::kNone || number >= state.log_number ||
           number == state.previous_log_number;
  }
};

// A file's number and path.
using NumberedPath = std::pair<std::uint64_t, std::string>;

// Reads the manifest that CURRENT names or, if that cannot be read at all, the
// newest of `manifests` that can be read in part.  Writes nothing.
ManifestFinding FindManifest(Env& env, const std::string& dir,
                             std::vector<NumberedPath> manifests);

}  // namespace tamis
