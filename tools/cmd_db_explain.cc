// tamis db explain: the way of one lookup, drawn.

#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "db_commands.h"
#include "json_text.h"
#include "lookup_picture.h"
#include "pair_text.h"

namespace tamis::tools {
namespace {

std::string_view NameOf(LookupStep::Place place) {
  switch (place) {
    case LookupStep::Place::kMemtable:
      return "memtable";
    case LookupStep::Place::kFrozenMemtable:
      return "frozen_memtable";
    case LookupStep::Place::kTable:
      break;
  }
  return "table";
}

std::string_view NameOf(LookupStep::Outcome outcome) {
  switch (outcome) {
    case LookupStep::Outcome::kOutOfRange:
      return "out_of_range";
    case LookupStep::Outcome::kFilterAbsent:
      return "filter_absent";
    case LookupStep::Outcome::kReadAndAbsent:
      return "read_and_absent";
    case LookupStep::Outcome::kIndexAbsent:
      return "index_absent";
    case LookupStep::Outcome::kFound:
      return "found";
    case LookupStep::Outcome::kFoundDeleted:
      return "found_deleted";
    case LookupStep::Outcome::kFailed:
      break;
  }
  return "failed";
}

nlohmann::ordered_json StepJson(const LookupStep& step, bool hex) {
  nlohmann::ordered_json object;
  object["place"] = NameOf(step.place);
  if (step.place == LookupStep::Place::kTable) {
    object["level"] = step.level;
    object["file_number"] = step.file_number;
    object["file_bytes"] = step.file_bytes;
    SetBytes(&object, "smallest", step.smallest, hex);
    SetBytes(&object, "largest", step.largest, hex);
  }
  object["outcome"] = NameOf(step.outcome);
  if (!step.filter.empty()) {
    object["filter"] = step.filter;
    object["filter_rate"] = step.filter_rate;
  }
  object["blocks_read"] = step.blocks_read;
  if (!step.note.empty()) object["note"] = step.note;
  return object;
}

std::string ToJson(Slice key, const Explanation& told, bool hex) {
  nlohmann::ordered_json object;
  SetBytes(&object, "key", key, hex);
  object["found"] = told.status.ok();
  if (told.status.ok()) SetBytes(&object, "value", told.value, hex);
  object["steps"] = nlohmann::ordered_json::array();
  for (const LookupStep& step : told.steps) {
    object["steps"].push_back(StepJson(step, hex));
  }
  return JsonText(object, 2) + "\n";
}

}  // namespace

int RunDbExplain(const DbExplainArgs& args, const Console& console) {
  auto key = ArgumentBytes("KEY", args.key, args.hex);
  if (!key.ok()) return Fail(console, "db explain", key.status().message());
  auto store = OpenToRead(args.dir);
  if (!store.ok()) return Fail(console, "db explain", store.status().message());
  const Explanation told = (*store)->Explain({.verify_checksums = true}, *key);
  console.out->Write(
      args.json ? ToJson(*key, told, args.hex)
                : DrawLookup(console, *key, told, (*store)->Stats(), args.hex));
  if (told.status.ok()) return Finish(console, "db explain", kExitOk);
  if (told.status.code() == StatusCode::kNotFound) {
    return Finish(console, "db explain", kExitNegative);
  }
  console.out->Flush();
  return Fail(console, "db explain", InDbWords(told.status).message());
}

void AddDbExplain(CLI::App* db, const Console& console, int* exit_code) {
  auto args = std::make_shared<DbExplainArgs>();
  CLI::App* command =
      db->add_subcommand("explain", "Draw the way of one lookup");
  AddDirectory(command, &args->dir);
  command->add_option("KEY", args->key, "The key")->required();
  AddHexOption(command, &args->hex);
  command->add_flag("--json", args->json, "Print the steps as JSON");
  command->footer(
      "Shows which tables may hold the key, what their filters say, and what\n"
      "had to be read.\n"
      "Exit code: 0 if the key is there, 1 if it is not, 2 on errors.\n\n"
      "Example:\n  tamis db explain fruit.db apple");
  command->callback([args, &console, exit_code] {
    *exit_code = RunDbExplain(*args, console);
  });
}

}  // namespace tamis::tools
