// SPDX-License-Identifier: Apache-2.0
// tamis report: what the filters of sstables are worth, as a page.

#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "filter_output.h"
#include "report_data.h"
#include "report_page.h"
#include "sstable_report.h"
#include "sstable_text.h"
#include "text.h"

namespace tamis::tools {
namespace {

// "2026-11-19 21:50 UTC".
std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  if (::gmtime_r(&now, &parts) == nullptr) return "at an unknown time";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                     parts.tm_min);
}

std::string TitleOf(const std::vector<std::string>& paths) {
  std::string title = "Filters of ";
  for (const std::string& path : paths) {
    if (&path != paths.data()) title += ", ";
    title += path;
  }
  return title;
}

Result<std::string> PageOf(const ReportArgs& args, unsigned threads,
                           ScanReport* report) {
  std::vector<FoundSstable> found;
  Status status = FindAll(args.paths, &found, report);
  if (status.ok()) status = ScanAll(found, threads, report);
  if (!status.ok()) return status;
  AddTotals(report);
  Result<Json> data =
      ReportData(*report, {.paths = args.paths, .made = Now()}, threads);
  if (!data.ok()) return data.status();
  return FillPage(ReportTemplate(), {.title = TitleOf(args.paths),
                                     .text = ScanText(*report),
                                     .data = *std::move(data)});
}

int ExitCodeOf(const Status& status) {
  return status.code() == StatusCode::kInvalidArgument ? kExitError
                                                       : kExitUnreadable;
}

}  // namespace

int RunReport(const ReportArgs& args, const Console& console) {
  const Result<unsigned> threads = ParseThreads(args.threads);
  if (!threads.ok()) return Fail(console, "report", threads.status().message());
  if (args.output == "-" && console.out_is_terminal) {
    return Fail(console, "report",
                "will not write a page to the terminal; redirect standard "
                "output, or name a file");
  }
  const Status writable = CheckFilterOutput(console, args.output, args.force);
  if (!writable.ok()) return Fail(console, "report", writable.message());
  ScanReport report;
  const Result<std::string> page = PageOf(args, *threads, &report);
  if (!page.ok()) {
    Fail(console, "report", page.status().message());
    return ExitCodeOf(page.status());
  }
  const Status written =
      WriteFilterOutput(console, args.output, *page, args.force);
  if (!written.ok()) return Fail(console, "report", written.message());
  Note(console, "report",
       fmt::format("{} {}, {}", Grouped(report.sstables.size()),
                   Plural(report.sstables.size(), "table", "tables"),
                   SizeText(page->size())));
  for (const std::string& problem : report.problems) {
    Warn(console, "report", problem);
  }
  return Finish(console, "report", ExitCodeOf(report));
}

}  // namespace tamis::tools
