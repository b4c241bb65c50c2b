// SPDX-License-Identifier: Apache-2.0
// tamis db compact and destroy.

#include <cstdint>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "db_commands.h"
#include "json.h"
#include "progress.h"
#include "text.h"

namespace tamis::tools {
namespace {

struct TableSum {
  std::uint64_t tables = 0;
  std::uint64_t bytes = 0;
};

TableSum SumOf(const StoreStats& stats) {
  TableSum sum;
  for (const LevelStats& level : stats.levels) {
    sum.tables += level.tables;
    sum.bytes += level.bytes;
  }
  return sum;
}

struct Compacted {
  TableSum before;
  TableSum after;
  CompactReport report;

  bool nothing_to_do() const {
    return report.merged + report.moved + report.rewritten == 0;
  }
};

Result<Compacted> Compact(const DbCompactArgs& args, const Console& console) {
  auto range = DecodedRange(args.range, args.hex);
  if (!range.ok()) return range.status();
  if (range->to && range->from.value_or("") >= *range->to) {
    return Status::InvalidArgument(
        "no key lies in that range: --to must come after --from");
  }
  DbWriteArgs write;
  write.tables = args.tables;
  auto store = OpenToWrite(args.dir, write);
  if (!store.ok()) return store.status();
  Progress progress(console);
  Compacted compacted;
  // Writes in the log are not in tables yet.
  if (Status flushed = store->Flush(); !flushed.ok()) return flushed;
  compacted.before = SumOf(store->Stats());
  progress.Say(fmt::format("merging {}", HumanBytes(compacted.before.bytes)));
  CompactOptions options;
  options.range = {.start = range->from, .end = range->to};
  options.rewrite_what_differs = true;
  const auto done = store->CompactWith(options);
  if (!done.ok()) return InDbWords(done.status());
  compacted.report = *done;
  compacted.after = SumOf(store->Stats());
  return compacted;
}

std::string ToText(const TableSum& sum) {
  return fmt::format("{} {}, {}", Grouped(sum.tables),
                     Plural(sum.tables, "table", "tables"),
                     HumanBytes(sum.bytes));
}

std::string ToText(const DbCompactArgs& args, const Compacted& compacted) {
  const std::string after = ToText(compacted.after);
  const bool is_part = args.range.from || args.range.to;
  if (compacted.nothing_to_do() && is_part) {
    return fmt::format(
        "nothing to do in that range, whose tables are merged and written as "
        "wanted; {} in all",
        after);
  }
  if (compacted.nothing_to_do()) {
    return fmt::format("nothing to do: {}, merged and written as wanted",
                       after);
  }
  std::string text =
      fmt::format("{} before; {} now", ToText(compacted.before), after);
  if (compacted.report.rewritten > 0) {
    text += fmt::format("; {} rewritten for another filter or compression",
                        Grouped(compacted.report.rewritten));
  }
  return text;
}

Json ToJson(const TableSum& sum) {
  Json object;
  object["tables"] = sum.tables;
  object["bytes"] = sum.bytes;
  return object;
}

// Returns what is left in the directory, and how to remove it.
std::string StayedText(const DbDestroyArgs& args, const DestroyReport& report) {
  std::string names;
  for (const std::string& name : report.stayed) {
    if (!names.empty()) names += ", ";
    names += Printable(name);
    if (name != "lost") continue;
    names += fmt::format("/ with {} {} that repair put aside",
                         Grouped(report.lost_files),
                         Plural(report.lost_files, "file", "files"));
    if (!args.lost) names += " (--lost removes it, too)";
  }
  return fmt::format("the store is gone; what is not its own stayed in {}: {}",
                     args.dir, names);
}

std::string ToJson(const DbDestroyArgs& args, const DestroyReport& report) {
  Json object;
  object["store"] = args.dir;
  object["stayed"] = report.stayed;
  object["lost_files"] = report.lost_files;
  return object.Text() + "\n";
}

// Returns ok if there is a store to remove, damaged or not.
Status CheckCanGo(const std::string& dir) {
  const Status opened = OpenToRead(dir).status();
  switch (opened.code()) {
    case StatusCode::kNotFound:
    case StatusCode::kNotSupported:
    case StatusCode::kPermissionDenied:
      return opened;
    default:
      return HasStore(dir) ? Status::Ok() : opened;
  }
}

}  // namespace

int RunDbCompact(const DbCompactArgs& args, const Console& console) {
  auto compacted = Compact(args, console);
  if (!compacted.ok()) {
    return Fail(console, "db compact", compacted.status().message());
  }
  if (args.json) {
    Json object;
    object["before"] = ToJson(compacted->before);
    object["after"] = ToJson(compacted->after);
    object["merged"] = compacted->report.merged;
    object["moved"] = compacted->report.moved;
    object["rewritten"] = compacted->report.rewritten;
    object["nothing_to_do"] = compacted->nothing_to_do();
    console.out->Write(object.Text() + "\n");
  } else {
    Note(console, "db compact", ToText(args, *compacted));
  }
  return Finish(console, "db compact", kExitOk);
}

int RunDbDestroy(const DbDestroyArgs& args, const Console& console) {
  if (!args.yes) {
    if (Status there = CheckCanGo(args.dir); !there.ok()) {
      return Fail(console, "db destroy", there.message());
    }
    return Fail(console, "db destroy",
                fmt::format("would remove the store {} and all it holds; "
                            "--yes does it",
                            args.dir));
  }
  const auto destroyed = DestroyStore(args.dir, {}, {.remove_lost = args.lost});
  if (destroyed.status().code() == StatusCode::kNotFound) {
    return Fail(console, "db destroy", MissingStore(args.dir).message());
  }
  if (!destroyed.ok()) {
    return Fail(console, "db destroy", InDbWords(destroyed.status()).message());
  }
  if (args.json) {
    console.out->Write(ToJson(args, *destroyed));
  } else if (!destroyed->stayed.empty()) {
    Note(console, "db destroy", StayedText(args, *destroyed));
  }
  return Finish(console, "db destroy", kExitOk);
}

}  // namespace tamis::tools
