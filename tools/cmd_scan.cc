// SPDX-License-Identifier: Apache-2.0
// tamis scan: what the filters of sstables are worth.

#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "json.h"
#include "sstable_report.h"
#include "sstable_text.h"

namespace tamis::tools {
namespace {

std::string ToJsonLines(const ScanReport& report,
                        std::optional<FilterVerdict> only) {
  std::string out;
  for (const SstableInfo& info : report.sstables) {
    if (IsShown(info, only)) out += ToJson(info).Text() + "\n";
  }
  for (const GroupTotal& total : report.groups) {
    out += ToJson(total).Text() + "\n";
  }
  for (const std::string& problem : report.problems) {
    out += ProblemJson(problem).Text() + "\n";
  }
  Json summary;
  summary["schema_version"] = kSchemaVersion;
  summary["type"] = "summary";
  summary["sstables"] = report.sstables.size();
  summary["sentences"] = Sentences(report);
  return out + summary.Text() + "\n";
}

std::string CsvLineOf(const SstableInfo& info) {
  const SstableFilterInfo& filter = info.filter;
  return CsvLine({
      info.path,
      std::string(info.engine),
      info.version,
      info.group,
      filter.kind,
      std::to_string(filter.probes),
      std::to_string(filter.bits),
      std::to_string(filter.set_bits),
      fmt::format("{:.0f}", filter.keys),
      fmt::format("{:.6g}", filter.rate),
      filter.target_rate.has_value()
          ? fmt::format("{:.6g}", *filter.target_rate)
          : "",
      std::to_string(filter.bytes),
      std::string(NameOfVerdict(info.verdict)),
      std::to_string(info.wasted_bytes),
      info.remarks.empty() ? "" : info.remarks.front(),
  });
}

std::string ToCsv(const ScanReport& report, std::optional<FilterVerdict> only) {
  std::string out =
      "file,engine,format_version,group,kind,probes,bits,set_bits,keys,"
      "expected_rate,target_rate,filter_bytes,verdict,wasted_bytes,remark\n";
  for (const SstableInfo& info : report.sstables) {
    if (IsShown(info, only)) out += CsvLineOf(info);
  }
  return out;
}

}  // namespace

int RunScan(const ScanArgs& args, const Console& console) {
  const Result<unsigned> threads = ParseThreads(args.threads);
  if (!threads.ok()) return Fail(console, "scan", threads.status().message());
  std::optional<FilterVerdict> only;
  if (!args.only.empty()) only = VerdictNamed(args.only);
  ScanReport report;
  std::vector<FoundSstable> found;
  Status status = FindAll(args.paths, &found, &report);
  if (status.ok()) status = ScanAll(found, *threads, &report);
  if (!status.ok()) {
    Fail(console, "scan", status.message());
    return status.code() == StatusCode::kInvalidArgument ? kExitError
                                                         : kExitUnreadable;
  }
  AddTotals(&report);
  if (args.json) {
    console.out->Write(ToJsonLines(report, only));
  } else if (args.csv) {
    console.out->Write(ToCsv(report, only));
  } else {
    console.out->Write(ScanText(report, only));
  }
  console.out->Flush();
  for (const std::string& problem : report.problems) {
    Warn(console, "scan", problem);
  }
  return Finish(console, "scan", ExitCodeOf(report));
}

}  // namespace tamis::tools
