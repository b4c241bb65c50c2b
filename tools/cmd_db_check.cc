// SPDX-License-Identifier: Apache-2.0
// tamis db check and repair: finds problems, and saves what can be saved.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/core.h>

#include "db_commands.h"
#include "json.h"
#include "numbers.h"
#include "progress.h"
#include "text.h"

namespace tamis::tools {
namespace {

std::string Dump(const Json& object) { return object.Text(2) + "\n"; }

std::string ToJson(const DbCheckArgs& args, const CheckReport& report) {
  Json object;
  object["store"] = args.dir;
  object["tables"] = report.tables;
  object["entries"] = report.entries;
  object["blocks"] = report.blocks;
  object["filtered_tables"] = report.filtered_tables;
  object["filters"] = report.filters;
  object["logs"] = report.logs;
  object["log_records"] = report.log_records;
  object["table_bytes"] = report.table_bytes;
  object["log_bytes"] = report.log_bytes;
  object["bytes"] = report.bytes;
  object["notes"] = report.notes;
  object["problems"] = report.problems;
  object["verdict"] = report.problems.empty() ? "ok" : "damaged";
  return Dump(object);
}

std::string ToText(const DbCheckArgs& args, const CheckReport& report,
                   const Console& console) {
  std::string text = fmt::format("store:    {}\n", Printable(args.dir));
  text += fmt::format("tables:   {}, {}, with {} {} of data\n",
                      Grouped(report.tables), HumanBytes(report.table_bytes),
                      Grouped(report.blocks),
                      Plural(report.blocks, "block", "blocks"));
  text += fmt::format("filters:  {} in {} {}\n", Grouped(report.filters),
                      Grouped(report.filtered_tables),
                      Plural(report.filtered_tables, "table", "tables"));
  text += fmt::format("logs:     {}, {}, with {} {}\n", Grouped(report.logs),
                      HumanBytes(report.log_bytes), Grouped(report.log_records),
                      Plural(report.log_records, "record", "records"));
  text += fmt::format("entries:  {}\n", Grouped(report.entries));
  text += fmt::format("read:     {}\n", SizeText(report.bytes));
  for (const std::string& note : report.notes) {
    text += fmt::format("note:     {}\n", Printable(note));
  }
  for (const std::string& problem : report.problems) {
    text += fmt::format("problem:  {}\n", Printable(problem));
  }
  const std::uint64_t problems = report.problems.size();
  text += fmt::format(
      "verdict:  {}\n",
      problems == 0
          ? Painted(console, Colour::kGreen, "ok")
          : Painted(console, Colour::kRed,
                    fmt::format("damaged: {} {}", Grouped(problems),
                                Plural(problems, "problem", "problems"))));
  return text;
}

std::string ToJson(const DbRepairArgs& args, const RepairReport& report) {
  Json object;
  object["store"] = args.dir;
  object["dry_run"] = args.dry_run;
  object["was_clean"] = report.was_clean;
  object["tables"] = report.tables;
  object["entries"] = report.entries;
  object["logs"] = report.logs;
  object["actions"] = report.actions;
  object["lost"] = report.lost;
  object["may_come_back"] = report.may_come_back;
  return Dump(object);
}

bool IsAllWell(const RepairReport& report) {
  return report.lost.empty() && report.may_come_back.empty();
}

std::string VerdictOf(const DbRepairArgs& args, const RepairReport& report,
                      const Console& console) {
  if (report.was_clean) {
    return Painted(console, Colour::kGreen, "nothing to repair");
  }
  if (args.dry_run) {
    return Painted(console, Colour::kYellow,
                   "nothing was changed; without --dry-run all this is done");
  }
  if (report.lost.empty()) {
    return Painted(console,
                   IsAllWell(report) ? Colour::kGreen : Colour::kYellow,
                   "whole again, nothing was lost");
  }
  return Painted(console, Colour::kYellow,
                 "opens again, without what was damaged; the files it was in "
                 "are in lost/");
}

std::string ToText(const DbRepairArgs& args, const RepairReport& report,
                   const Console& console) {
  std::string text = fmt::format("store:    {}\n", Printable(args.dir));
  text += fmt::format("tables:   {}, with {} {}\n", Grouped(report.tables),
                      Grouped(report.entries),
                      Plural(report.entries, "entry", "entries"));
  if (!report.was_clean) {
    text += fmt::format(
        "logs:     {} {}\n", Grouped(report.logs),
        args.dry_run ? "to be turned into tables" : "turned into tables");
  }
  for (const std::string& action : report.actions) {
    text += fmt::format("action:   {}\n", Printable(action));
  }
  for (const std::string& lost : report.lost) {
    text += fmt::format("damage:   {}\n", Printable(lost));
  }
  for (const std::string& reason : report.may_come_back) {
    text += fmt::format("caution:  {}\n", Printable(reason));
  }
  text += fmt::format("verdict:  {}\n", VerdictOf(args, report, console));
  return text;
}

Status TakeMaxBlockGrowth(const std::string& growth, StoreOptions* options) {
  if (growth.empty()) return Status::Ok();
  const auto parsed = ParseCount(growth);
  if (parsed.ok()) options->max_block_growth = *parsed;
  return parsed.ok() ? Status::Ok()
                     : Status::InvalidArgument("--max-block-growth: " +
                                               parsed.status().message());
}

// Adds the command's options to a message of the library.
Status InWordsOfLimits(const Status& status) {
  if (status.remedy() != Remedy::kRaiseMaxBlockGrowth) {
    return InDbWords(status);
  }
  return status.WithMessage(status.message() + " (--max-block-growth N)");
}

Result<CheckReport> Check(const DbCheckArgs& args, const Console& console) {
  StoreOptions options;
  Status taken = TakeMaxBlockGrowth(args.max_block_growth, &options);
  if (!taken.ok()) return taken;
  Progress progress(console);
  auto report =
      CheckStore(args.dir, options, [&](std::uint64_t done, std::uint64_t all) {
        progress.Say(
            fmt::format("{} of {} checked", HumanBytes(done), HumanBytes(all)));
      });
  progress.Clear();
  return report;
}

Result<RepairReport> Repair(const DbRepairArgs& args, const Console& console) {
  auto options = StoreOptionsFrom(args.dir, args.tables);
  if (!options.ok()) return options.status();
  Status taken = TakeMaxBlockGrowth(args.max_block_growth, &*options);
  if (!taken.ok()) return taken;
  // A store with another comparator would be rewritten in our order, and lose
  // its comparator's name.  If the manifest can be read, it names the
  // comparator.
  StoreOptions look;
  look.read_only = true;
  const Status opened = Store::Open(args.dir, look).status();
  if (opened.code() == StatusCode::kInvalidArgument) return InDbWords(opened);
  Progress progress(console);
  progress.Say("reading what is there");
  auto report =
      RepairStore(args.dir, *options,
                  args.dry_run ? RepairMode::kDryRun : RepairMode::kWrite);
  std::error_code ignored;
  if (report.status().code() == StatusCode::kNotFound &&
      !std::filesystem::is_directory(args.dir, ignored)) {
    return MissingStore(args.dir);
  }
  if (!report.ok()) return InWordsOfLimits(report.status());
  return report;
}

}  // namespace

int RunDbCheck(const DbCheckArgs& args, const Console& console) {
  auto report = Check(args, console);
  const bool has_problems = report.ok() && !report->problems.empty();
  if (report.status().code() == StatusCode::kNotFound ||
      (has_problems && !HasStore(args.dir))) {
    return Fail(console, "db check", MissingStore(args.dir).message());
  }
  if (!report.ok()) {
    return Fail(console, "db check",
                InWordsOfLimits(report.status()).message());
  }
  console.out->Write(args.json ? ToJson(args, *report)
                               : ToText(args, *report, console));
  return Finish(console, "db check",
                report->problems.empty() ? kExitOk : kExitNegative);
}

int RunDbRepair(const DbRepairArgs& args, const Console& console) {
  auto report = Repair(args, console);
  if (!report.ok()) {
    return Fail(console, "db repair", report.status().message());
  }
  console.out->Write(args.json ? ToJson(args, *report)
                               : ToText(args, *report, console));
  return Finish(console, "db repair",
                IsAllWell(*report) ? kExitOk : kExitNegative);
}

}  // namespace tamis::tools
