// SPDX-License-Identifier: Apache-2.0
// store/repair_manifest.h -- what can still be learned from a store's
// manifests about which of its files are live.

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
    kPart,   // it speaks for its beginning only: see first_unknown
    kWhole,  // it speaks for everything
  };
  Trust trust = Trust::kNone;
  bool is_current = false;  // CURRENT names it
  std::string path;         // empty: none
  ManifestState state;
  // Tables from here on may have become live where it cannot be read.
  std::uint64_t first_unknown = 0;
  // Each names a file.  A file that is missing is none.
  std::vector<std::string> problems;
  // Not ok: one could not be read for a reason that is no damage (see
  // base/damage.h).  It names the file; the rest says nothing then.
  Status unread;

  // With kPart and kNone: may a table that is not live be so nevertheless?
  bool CannotSpeakFor(std::uint64_t table) const {
    if (trust == Trust::kWhole) return false;
    return table >= first_unknown && !state.named.contains(table);
  }
  // May the log hold what is in no table?
  bool NeedsLog(std::uint64_t number) const {
    return trust == Trust::kNone || number >= state.log_number ||
           number == state.previous_log_number;
  }
};

// Number and path.
using NumberedPath = std::pair<std::uint64_t, std::string>;

// Of the manifest that CURRENT names; of the newest of `manifests` that can be
// read in part, where that one cannot be at all.  Writes nothing.
ManifestFinding FindManifest(Env& env, const std::string& dir,
                             std::vector<NumberedPath> manifests);

}  // namespace tamis
