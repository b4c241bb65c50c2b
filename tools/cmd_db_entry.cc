// tamis db put, get and delete: one entry.

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "db_commands.h"
#include "json_text.h"
#include "pair_text.h"
#include "text.h"

namespace tamis::tools {
namespace {

// As the value goes to people or programs: its bytes, unless these could steer
// a terminal.
std::string ShownValue(const DbGetArgs& args, const Console& console,
                       const std::string& value) {
  if (args.hex && !args.raw) return ToHex(value);
  return console.out_is_terminal && !args.raw ? Escaped(value) : value;
}

// `value` is null where there is no such key.
std::string ToJson(const DbGetArgs& args, const std::string& key,
                   const std::string* value) {
  nlohmann::ordered_json object;
  SetBytes(&object, "key", key, args.hex);
  object["found"] = value != nullptr;
  if (value != nullptr) SetBytes(&object, "value", *value, args.hex);
  return JsonText(object) + "\n";
}

void WriteValue(const DbGetArgs& args, const Console& console,
                const std::string& key, const std::string& value) {
  if (args.json) return console.out->Write(ToJson(args, key, &value));
  console.out->Write(ShownValue(args, console, value));
  if (!args.raw) console.out->Write('\n');
}

Status Put(const DbPutArgs& args) {
  auto key = ArgumentBytes("KEY", args.key, args.hex);
  if (!key.ok()) return key.status();
  auto value = ArgumentBytes("VALUE", args.value, args.hex);
  if (!value.ok()) return value.status();
  auto store = OpenToWrite(args.dir, args.write);
  if (!store.ok()) return store.status();
  return (*store)->Put({.sync = args.write.sync}, *key, *value);
}

Status Delete(const DbDeleteArgs& args) {
  auto key = ArgumentBytes("KEY", args.key, args.hex);
  if (!key.ok()) return key.status();
  auto store = OpenToWrite(args.dir, args.write);
  if (!store.ok()) return store.status();
  return (*store)->Delete({.sync = args.write.sync}, *key);
}

}  // namespace

int RunDbPut(const DbPutArgs& args, const Console& console) {
  const Status put = Put(args);
  return put.ok() ? kExitOk : Fail(console, "db put", put.message());
}

int RunDbGet(const DbGetArgs& args, const Console& console) {
  auto key = ArgumentBytes("KEY", args.key, args.hex);
  if (!key.ok()) return Fail(console, "db get", key.status().message());
  auto store = OpenToRead(args.dir);
  if (!store.ok()) return Fail(console, "db get", store.status().message());
  std::string value;
  const Status got = (*store)->Get({.verify_checksums = true}, *key, &value);
  if (got.code() == StatusCode::kNotFound) {
    if (args.json) {
      console.out->Write(ToJson(args, *key, nullptr));
    } else {
      Note(console, "db get", "no such key");
    }
    return Finish(console, "db get", kExitNegative);
  }
  if (!got.ok()) return Fail(console, "db get", InDbWords(got).message());
  WriteValue(args, console, *key, value);
  return Finish(console, "db get", kExitOk);
}

int RunDbDelete(const DbDeleteArgs& args, const Console& console) {
  const Status deleted = Delete(args);
  if (deleted.ok()) return kExitOk;
  return Fail(console, "db delete", deleted.message());
}

void AddDbPut(CLI::App* db, const Console& console, int* exit_code) {
  auto args = std::make_shared<DbPutArgs>();
  CLI::App* command = db->add_subcommand("put", "Store a value under a key");
  AddDirectory(command, &args->dir);
  command->add_option("KEY", args->key, "The key")->required();
  command->add_option("VALUE", args->value, "The value")->required();
  AddHexOption(command, &args->hex);
  AddCreateOption(command, &args->write);
  AddWriteOptions(command, &args->write);
  command->footer("Example:\n  tamis db put fruit.db apple red --create");
  command->callback(
      [args, &console, exit_code] { *exit_code = RunDbPut(*args, console); });
}

void AddDbGet(CLI::App* db, const Console& console, int* exit_code) {
  auto args = std::make_shared<DbGetArgs>();
  CLI::App* command = db->add_subcommand("get", "Print the value of a key");
  AddDirectory(command, &args->dir);
  command->add_option("KEY", args->key, "The key")->required();
  AddHexOption(command, &args->hex);
  auto* raw =
      command->add_flag("--raw", args->raw,
                        "The bytes of the value and nothing else, no newline");
  command->add_flag("--json", args->json, "Print a JSON object")->excludes(raw);
  command->footer(
      "On a terminal, control characters of the value are escaped as scan\n"
      "does it.\n"
      "Exit code: 0 if the key is there, 1 if it is not, 2 on errors.\n\n"
      "Example:\n  tamis db get fruit.db apple");
  command->callback(
      [args, &console, exit_code] { *exit_code = RunDbGet(*args, console); });
}

void AddDbDelete(CLI::App* db, const Console& console, int* exit_code) {
  auto args = std::make_shared<DbDeleteArgs>();
  CLI::App* command =
      db->add_subcommand("delete", "Delete a key, be it there or not");
  AddDirectory(command, &args->dir);
  command->add_option("KEY", args->key, "The key")->required();
  AddHexOption(command, &args->hex);
  AddWriteOptions(command, &args->write);
  command->footer("Example:\n  tamis db delete fruit.db apple");
  command->callback([args, &console, exit_code] {
    *exit_code = RunDbDelete(*args, console);
  });
}

}  // namespace tamis::tools
