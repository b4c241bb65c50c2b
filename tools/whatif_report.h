// SPDX-License-Identifier: Apache-2.0
// whatif_report.h -- what `tamis whatif` says, gathered first.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sstable_report.h"
#include "tamis/sstable_whatif.h"

namespace tamis::tools {

// The answer to one question about the sstables of one engine.
struct EngineAnswer {
  std::string_view engine;
  WhatIfQuestion question;
  WhatIfAnswer answer;  // without plans that were not asked for
};

struct WhatIfReport {
  ScanReport scan;
  std::vector<SstableGroup> groups;
  // By engine; several questions follow each other.
  std::vector<EngineAnswer> answers;
  bool is_sweep = false;  // no size was given, so several were asked about
};

std::string ToText(const WhatIfReport& report);
std::string ToJsonLines(const WhatIfReport& report);
std::string ToCsv(const WhatIfReport& report);

}  // namespace tamis::tools
