// SPDX-License-Identifier: Apache-2.0
// tamis db filters: gives tables filters in files beside them, or removes
// these.

#include <cstdint>
#include <map>
#include <string>

#include <fmt/core.h>

#include "db_commands.h"
#include "json.h"
#include "numbers.h"
#include "progress.h"
#include "tamis/filter_files.h"
#include "text.h"

namespace tamis::tools {
namespace {

// Returns what filters the tables should have.
Result<StoreOptions> OptionsFrom(const DbFiltersArgs& args) {
  if (args.remove) return StoreOptions();
  NewTableArgs tables;
  tables.filter = args.policy;
  tables.compression = "none";  // no table is written
  if (args.memory.empty()) return StoreOptionsFrom(args.dir, tables);
  const auto bytes = ParseCount(args.memory);
  if (!bytes.ok()) {
    return bytes.status().WithMessage("--memory: " + bytes.status().message());
  }
  tables.filter = StoreOptions().filter;
  auto options = StoreOptionsFrom(args.dir, tables);
  if (options.ok()) options->filter_memory_bytes = *bytes;
  return options;
}

Result<FilterFilesReport> MakeFilters(const DbFiltersArgs& args,
                                      const Console& console) {
  if (!HasStore(args.dir)) return MissingStore(args.dir);
  const auto options = OptionsFrom(args);
  if (!options.ok()) return options.status();
  Progress progress(console);
  FilterFilesOptions filters;
  filters.remove = args.remove;
  filters.dry_run = args.dry_run;
  filters.progress = [&](std::uint64_t done, std::uint64_t all) {
    progress.Say(
        fmt::format("{} of {} read", HumanBytes(done), HumanBytes(all)));
  };
  auto report = MakeFilterFiles(args.dir, *options, filters);
  progress.Clear();
  if (!report.ok()) return InDbWords(report.status());
  return report;
}

std::string_view NameOf(FilterFileAction action) {
  switch (action) {
    case FilterFileAction::kNone:
      break;
    case FilterFileAction::kMade:
      return "made";
    case FilterFileAction::kRemoved:
      return "removed";
    case FilterFileAction::kFailed:
      return "failed";
  }
  return "none";
}

Json ToJson(const FilterFileOfTable::Filter& filter) {
  Json object;
  object["kind"] = filter.kind;
  object["bytes"] = filter.bytes;
  object["rate"] = filter.rate;
  return object;
}

std::string ToJson(const DbFiltersArgs& args, const FilterFilesReport& report) {
  Json object;
  object["store"] = args.dir;
  object["dry_run"] = args.dry_run;
  object["made"] = report.made;
  object["removed"] = report.removed;
  object["failed"] = report.failed;
  object["tables"] = Json::Array();
  for (const FilterFileOfTable& table : report.tables) {
    Json row;
    row["level"] = table.level;
    row["file_number"] = table.file_number;
    row["keys"] = table.keys;
    row["action"] = NameOf(table.action);
    row["before"] = ToJson(table.before);
    // What is in the table itself then is not read.
    if (table.action != FilterFileAction::kRemoved) {
      row["after"] = ToJson(table.after);
    }
    if (!table.problem.empty()) row["problem"] = table.problem;
    object["tables"].Add(std::move(row));
  }
  return object.Text(2) + "\n";
}

// The tables of one level.
struct LevelSum {
  std::uint64_t tables = 0;
  std::uint64_t made = 0;
  double keys = 0;
  double before = 0;  // the sum of keys times rates
  double after = 0;
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;

  void Add(const FilterFileOfTable& table) {
    const auto its = static_cast<double>(table.keys);
    ++tables;
    if (table.action == FilterFileAction::kMade) ++made;
    keys += its;
    before += its * table.before.rate;
    after += its * table.after.rate;
    bytes_before += table.before.bytes;
    bytes_after += table.after.bytes;
  }
};

std::string LevelsText(const DbFiltersArgs& args,
                       const FilterFilesReport& report) {
  std::map<int, LevelSum> levels;
  for (const FilterFileOfTable& table : report.tables) {
    levels[table.level].Add(table);
  }
  Table table({"level", "tables", "keys", args.dry_run ? "to make" : "made",
               "filters", "then", "false positives", "then"});
  for (const auto& [level, sum] : levels) {
    const double keys = sum.keys > 0 ? sum.keys : 1;
    table.AddRow({std::to_string(level), Grouped(sum.tables),
                  Grouped(static_cast<std::uint64_t>(sum.keys)),
                  Grouped(sum.made), HumanBytes(sum.bytes_before),
                  HumanBytes(sum.bytes_after), Percent(sum.before / keys),
                  Percent(sum.after / keys)});
  }
  return table.ToString();
}

std::string ToText(const DbFiltersArgs& args, const FilterFilesReport& report) {
  const char* const was = args.dry_run ? "would be " : "";
  std::string text;
  for (const FilterFileOfTable& table : report.tables) {
    if (table.problem.empty()) continue;
    text += fmt::format("problem: {}\n", Printable(table.problem));
  }
  if (args.remove || report.removed > 0) {
    text += fmt::format("{} {} {}removed\n", Grouped(report.removed),
                        Plural(report.removed, "file", "files"), was);
  }
  if (args.remove) return text;
  if (report.made + report.failed == 0) {
    if (!text.empty()) return text;
    return text + "nothing to do: all filters are as wanted\n";
  }
  return LevelsText(args, report) + "\n" + text +
         fmt::format("{} {} {}made\n", Grouped(report.made),
                     Plural(report.made, "file", "files"), was);
}

}  // namespace

int RunDbFilters(const DbFiltersArgs& args, const Console& console) {
  const auto report = MakeFilters(args, console);
  if (!report.ok()) {
    return Fail(console, "db filters", report.status().message());
  }
  console.out->Write(args.json ? ToJson(args, *report) : ToText(args, *report));
  return Finish(console, "db filters",
                report->failed == 0 ? kExitOk : kExitNegative);
}

}  // namespace tamis::tools
