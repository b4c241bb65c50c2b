// SPDX-License-Identifier: Apache-2.0
#include "sstable_prometheus.h"

#include <utility>
#include <vector>

#include <fmt/core.h>

#include "text.h"

namespace tamis::tools {
namespace {

constexpr FilterVerdict kAllVerdicts[] = {
    FilterVerdict::kOk,        FilterVerdict::kSaturated,
    FilterVerdict::kOversized, FilterVerdict::kMissing,
    FilterVerdict::kDamaged,   FilterVerdict::kLegacyHash,
    FilterVerdict::kNotUsed,   FilterVerdict::kUnreadable,
};

// Appends the lines before those of a metric.
void AppendHead(std::string_view name, std::string_view help,
                std::string* out) {
  *out += fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name);
}

std::string LabelsOf(const GroupTotal& total) {
  return fmt::format("directory=\"{}\",group=\"{}\",engine=\"{}\"",
                     LabelValue(total.directory), LabelValue(total.group),
                     LabelValue(total.engine));
}

// A number per group.
struct GroupMetric {
  std::string_view name;
  std::string_view help;
  std::uint64_t GroupTotal::*member;
};
constexpr GroupMetric kGroupMetrics[] = {
    {"tamis_filter_sstables", "Files of tables.", &GroupTotal::sstables},
    {"tamis_filter_keys", "Keys of the tables, as far as they are known.",
     &GroupTotal::keys},
    {"tamis_filter_bytes", "Bytes of filters.", &GroupTotal::filter_bytes},
    {"tamis_filter_wasted_bytes",
     "Bytes of filters without which they would be as good.",
     &GroupTotal::wasted_bytes},
};

std::uint64_t CountOf(const ScanReport& report, const GroupTotal& total,
                      FilterVerdict verdict) {
  std::uint64_t count = 0;
  for (const SstableInfo& info : report.sstables) {
    if (info.verdict == verdict && info.group == total.group &&
        DirectoryOf(info.path) == total.directory) {
      ++count;
    }
  }
  return count;
}

void AppendVerdicts(const ScanReport& report, std::optional<FilterVerdict> only,
                    std::string* out) {
  AppendHead("tamis_filter_verdict_sstables",
             "Files of tables by what their filter is worth.", out);
  for (const GroupTotal& total : report.groups) {
    for (const FilterVerdict verdict : kAllVerdicts) {
      if (only.has_value() && verdict != *only) continue;
      *out += fmt::format(
          "tamis_filter_verdict_sstables{{{},verdict=\"{}\"}} "
          "{}\n",
          LabelsOf(total), NameOfVerdict(verdict),
          CountOf(report, total, verdict));
    }
  }
}

}  // namespace

std::string LabelValue(std::string_view text) {
  std::string value;
  for (const char c : Printable(text)) {
    if (c == '\\' || c == '"') value += '\\';
    value += c;
  }
  return value;
}

std::string ToPrometheus(const ScanReport& report, const ScanMoment& moment,
                         std::optional<FilterVerdict> only) {
  ScanReport shown;
  for (const SstableInfo& info : report.sstables) {
    if (!only.has_value() || info.verdict == *only) {
      shown.sstables.push_back(info);
    }
  }
  AddTotals(&shown);
  std::string out;
  for (const GroupMetric& metric : kGroupMetrics) {
    AppendHead(metric.name, metric.help, &out);
    for (const GroupTotal& total : shown.groups) {
      out += fmt::format("{}{{{}}} {}\n", metric.name, LabelsOf(total),
                         total.*metric.member);
    }
  }
  if (!only.has_value()) {
    AppendHead("tamis_filter_needless_reads",
               "Tables that a lookup of a missing key is expected to read.",
               &out);
    for (const GroupTotal& total : shown.groups) {
      if (!total.counts_reads) continue;
      out += fmt::format("tamis_filter_needless_reads{{{}}} {:.9g}\n",
                         LabelsOf(total), total.needless_reads);
    }
  }
  AppendVerdicts(shown, only, &out);
  AppendHead("tamis_filter_scan_problems", "What could not be read.", &out);
  out += fmt::format("tamis_filter_scan_problems {}\n", report.problems.size());
  AppendHead("tamis_filter_scan_seconds", "How long the scan took.", &out);
  out += fmt::format("tamis_filter_scan_seconds {:.6f}\n", moment.seconds);
  AppendHead("tamis_filter_scan_timestamp_seconds",
             "When the scan ended, in seconds since 1970.", &out);
  out +=
      fmt::format("tamis_filter_scan_timestamp_seconds {}\n", moment.unix_time);
  return out;
}

}  // namespace tamis::tools
