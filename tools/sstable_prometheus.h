// SPDX-License-Identifier: Apache-2.0
// sstable_prometheus.h -- a scan in the text format of Prometheus.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sstable_report.h"

namespace tamis::tools {

// What is not in the report.
struct ScanMoment {
  double seconds = 0;           // that the scan took
  std::uint64_t unix_time = 0;  // of its end
};

// Sums per group; with `only`, of the sstables of that verdict, and the
// needless reads are left out.
std::string ToPrometheus(const ScanReport& report, const ScanMoment& moment,
                         std::optional<FilterVerdict> only = std::nullopt);

// The value of a label: backslashes and quotes are escaped, and control
// characters are \xNN.
std::string LabelValue(std::string_view text);

}  // namespace tamis::tools
