// tamis db compact and destroy.

#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "db_commands.h"
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
};

Result<Compacted> Compact(const DbCompactArgs& args, const Console& console) {
  auto range = DecodedRange(args.range, args.hex);
  if (!range.ok()) return range.status();
  DbWriteArgs write;
  write.tables = args.tables;
  auto store = OpenToWrite(args.dir, write);
  if (!store.ok()) return store.status();
  Progress progress(console);
  Compacted compacted;
  // What is in the log is none of the tables yet.
  if (Status flushed = (*store)->Flush(); !flushed.ok()) return flushed;
  compacted.before = SumOf((*store)->Stats());
  progress.Say(fmt::format("merging {}", HumanBytes(compacted.before.bytes)));
  const Slice from = range->from ? Slice(*range->from) : Slice();
  const Slice to = range->to ? Slice(*range->to) : Slice();
  const Status done =
      (*store)->Compact({.start = range->from.has_value() ? &from : nullptr,
                         .end = range->to.has_value() ? &to : nullptr});
  if (!done.ok()) return InDbWords(done);
  compacted.after = SumOf((*store)->Stats());
  return compacted;
}

std::string ToText(const TableSum& sum) {
  return fmt::format("{} {}, {}", Grouped(sum.tables),
                     Plural(sum.tables, "table", "tables"),
                     HumanBytes(sum.bytes));
}

nlohmann::ordered_json ToJson(const TableSum& sum) {
  return {{"tables", sum.tables}, {"bytes", sum.bytes}};
}

}  // namespace

int RunDbCompact(const DbCompactArgs& args, const Console& console) {
  auto compacted = Compact(args, console);
  if (!compacted.ok()) {
    return Fail(console, "db compact", compacted.status().message());
  }
  if (args.json) {
    nlohmann::ordered_json object;
    object["before"] = ToJson(compacted->before);
    object["after"] = ToJson(compacted->after);
    console.out->Write(object.dump() + "\n");
  } else {
    Note(console, "db compact",
         fmt::format("{} before; {} now", ToText(compacted->before),
                     ToText(compacted->after)));
  }
  return Finish(console, "db compact", kExitOk);
}

int RunDbDestroy(const DbDestroyArgs& args, const Console& console) {
  if (!args.yes) {
    return Fail(console, "db destroy",
                fmt::format("would remove the store {} and all it holds; "
                            "--yes does it",
                            args.dir));
  }
  const Status destroyed = DestroyStore(args.dir);
  if (destroyed.ok()) return kExitOk;
  if (destroyed.code() == StatusCode::kNotFound) {
    return Fail(console, "db destroy", MissingStore(args.dir).message());
  }
  return Fail(console, "db destroy", destroyed.message());
}

void AddDbCompact(CLI::App* db, const Console& console, int* exit_code) {
  auto args = std::make_shared<DbCompactArgs>();
  CLI::App* command = db->add_subcommand(
      "compact", "Merge the tables, dropping what is overwritten or deleted");
  AddDirectory(command, &args->dir);
  AddRangeOptions(command, &args->range);
  AddHexOption(command, &args->hex);
  AddNewTableOptions(command, &args->tables);
  command->add_flag("--json", args->json, "Print the sizes as JSON");
  command->footer(
      "The tables that are written get the filter and the compression that\n"
      "are asked for here.\n\n"
      "Example:\n  tamis db compact fruit.db --filter bloom:14");
  command->callback([args, &console, exit_code] {
    *exit_code = RunDbCompact(*args, console);
  });
}

void AddDbDestroy(CLI::App* db, const Console& console, int* exit_code) {
  auto args = std::make_shared<DbDestroyArgs>();
  CLI::App* command =
      db->add_subcommand("destroy", "Remove a store and all it holds");
  AddDirectory(command, &args->dir);
  command->add_flag("--yes", args->yes, "Yes, remove it");
  command->footer(
      "Files that are not the store's stay, and the directory with them.\n\n"
      "Example:\n  tamis db destroy fruit.db --yes");
  command->callback([args, &console, exit_code] {
    *exit_code = RunDbDestroy(*args, console);
  });
}

}  // namespace tamis::tools
