// SPDX-License-Identifier: Apache-2.0
// manage.h -- errors of whole databases in LevelDB's words.

#pragma once

#include <string>

#include <leveldb/status.h>

#include "options.h"
#include "tamis/status.h"

namespace tamis::dropin {

// REQUIRES: `why` is not ok, and the result of opening that store
leveldb::Status OpenError(const std::string& name,
                          const AdaptedOptions& options, const Status& why);

}  // namespace tamis::dropin
