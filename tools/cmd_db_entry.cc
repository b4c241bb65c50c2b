// tamis db put, get and delete: one entry.

#include <memory>
#include <string>

#include <fmt/core.h>

#include "db_commands.h"
#include "json.h"
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
  Json object;
  SetBytes(&object, "key", key, args.hex);
  object["found"] = value != nullptr;
  if (value != nullptr) SetBytes(&object, "value", *value, args.hex);
  return object.Text() + "\n";
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

}  // namespace tamis::tools
