// SPDX-License-Identifier: Apache-2.0
// tamis watch: what the filters of sstables are worth, for Prometheus.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "json.h"
#include "sstable_prometheus.h"
#include "sstable_report.h"
#include "tamis/filter_file.h"
#include "text.h"

namespace tamis::tools {
namespace {

std::string WatchJson(const WatchArgs& args, const ScanReport& report) {
  Json object;
  object["schema_version"] = kSchemaVersion;
  object["type"] = "watch";
  object["file"] = args.prom;
  object["sstables"] = report.sstables.size();
  object["groups"] = report.groups.size();
  object["problems"] = report.problems.size();
  return object.Text() + "\n";
}

ScanMoment MomentSince(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  return {.seconds = took.count(),
          .unix_time = static_cast<std::uint64_t>(now.count())};
}

}  // namespace

int RunWatch(const WatchArgs& args, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  const Result<unsigned> threads = ParseThreads(args.threads);
  if (!threads.ok()) return Fail(console, "watch", threads.status().message());
  std::optional<FilterVerdict> only;
  if (!args.only.empty()) only = VerdictNamed(args.only);
  ScanReport report;
  std::vector<FoundSstable> found;
  Status status = FindAll(args.paths, &found, &report);
  if (status.ok()) status = ScanAll(found, *threads, &report);
  if (!status.ok()) {
    Fail(console, "watch", status.message());
    return status.code() == StatusCode::kInvalidArgument ? kExitError
                                                         : kExitUnreadable;
  }
  AddTotals(&report);
  const Status written =
      WriteFilterFile(args.prom, ToPrometheus(report, MomentSince(start), only),
                      IfExists::kReplace);
  if (!written.ok()) return Fail(console, "watch", written.message());
  if (args.json) console.out->Write(WatchJson(args, report));
  console.out->Flush();
  for (const std::string& problem : report.problems) {
    Warn(console, "watch", problem);
  }
  Note(console, "watch",
       fmt::format("{}: {} {}", args.prom, Grouped(report.sstables.size()),
                   Plural(report.sstables.size(), "table", "tables")));
  return Finish(console, "watch", ExitCodeOf(report));
}

}  // namespace tamis::tools
