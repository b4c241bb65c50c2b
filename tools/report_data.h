// SPDX-License-Identifier: Apache-2.0
// report_data.h -- what the page of `tamis report` shows, as JSON.
//
// tools/report_page/src/data.ts declares the same for the page's script.

#pragma once

#include <string>
#include <vector>

#include "json.h"
#include "sstable_report.h"
#include "tamis/result.h"

namespace tamis::tools {

struct ReportHead {
  std::vector<std::string> paths;  // as the command was given them
  std::string made;                // when
};

// ResourceExhausted: no memory.
Result<Json> ReportData(const ScanReport& report, const ReportHead& head,
                        unsigned threads);

}  // namespace tamis::tools
