// SPDX-License-Identifier: Apache-2.0
// tamis db put, get and delete: one entry.

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "db_commands.h"
#include "json.h"
#include "key_reader.h"
#include "pair_text.h"
#include "text.h"

namespace tamis::tools {
namespace {

// Returns the value for output: its bytes, unless these could control a
// terminal.
std::string ShownValue(const DbGetArgs& args, const Console& console,
                       const std::string& value) {
  if (args.hex && !args.raw) return ToHex(value);
  return console.out_is_terminal && !args.raw ? Escaped(value) : value;
}

// `value` is null if there is no such key.
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
  if (args.keys.size() > 1) {
    const auto shown = [&args](const std::string& bytes) {
      return args.hex ? ToHex(bytes) : Escaped(bytes);
    };
    return console.out->Write(shown(key) + "\t" + shown(value) + "\n");
  }
  console.out->Write(ShownValue(args, console, value));
  if (!args.raw) console.out->Write('\n');
}

void TellAbsent(const DbGetArgs& args, const Console& console,
                std::size_t index, const std::string& key) {
  if (args.json) return console.out->Write(ToJson(args, key, nullptr));
  if (args.keys.size() == 1) return Note(console, "db get", "no such key");
  console.out->Flush();
  Note(console, "db get", fmt::format("no such key: {}", args.keys[index]));
}

Result<std::vector<std::string>> KeysOf(const DbGetArgs& args) {
  if (args.raw && args.keys.size() > 1) {
    return Status::InvalidArgument("--raw goes with one key");
  }
  std::vector<std::string> keys;
  for (const std::string& text : args.keys) {
    auto key = ArgumentBytes("KEY", text, args.hex);
    if (!key.ok()) return key.status();
    keys.push_back(*std::move(key));
  }
  return keys;
}

// Returns true if all keys are found.
Result<bool> Get(const DbGetArgs& args, const Console& console) {
  auto keys = KeysOf(args);
  if (!keys.ok()) return keys.status();
  auto store = OpenToRead(args.dir);
  if (!store.ok()) return store.status();
  const std::vector<Slice> slices(keys->begin(), keys->end());
  std::vector<std::string> values(slices.size());
  std::vector<Status> statuses(slices.size());
  store->MultiGet({.verify_checksums = true}, slices, values, statuses);
  bool all = true;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (statuses[i].ok()) {
      WriteValue(args, console, (*keys)[i], values[i]);
    } else if (statuses[i].code() == StatusCode::kNotFound) {
      TellAbsent(args, console, i, (*keys)[i]);
      all = false;
    } else {
      return InDbWords(statuses[i]);
    }
  }
  return all;
}

Result<std::string> ReadAll(const std::string& path, const Console& console) {
  auto source = FileSource::Open(path, console.in);
  if (!source.ok()) return source.status();
  constexpr std::size_t kPieceBytes = std::size_t{1} << 18;
  std::string bytes;
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kPieceBytes);
    const auto got = source->Read(&bytes[before], kPieceBytes);
    bytes.resize(before + (got.ok() ? *got : 0));
    if (!got.ok()) return got.status();
    if (*got == 0) return bytes;
    // A value that is too large for a store need not be read to its end.
    if (Status fits = CheckEntrySizes(0, bytes.size()); !fits.ok()) {
      return Status(fits.code(), path + ": " + fits.message());
    }
  }
}

// The bytes of a file are the value, regardless of --hex.
Result<std::string> ValueOf(const DbPutArgs& args, const Console& console) {
  if (args.value.has_value() == !args.value_file.empty()) {
    return Status::InvalidArgument("give one of VALUE and --value-file");
  }
  if (args.value) return ArgumentBytes("VALUE", *args.value, args.hex);
  return ReadAll(args.value_file, console);
}

Status Put(const DbPutArgs& args, const Console& console) {
  auto key = ArgumentBytes("KEY", args.key, args.hex);
  if (!key.ok()) return key.status();
  auto value = ValueOf(args, console);
  if (!value.ok()) return value.status();
  auto store = OpenToWrite(args.dir, args.write);
  if (!store.ok()) return store.status();
  return store->Put({.sync = args.write.sync}, *key, *value);
}

Status Delete(const DbDeleteArgs& args) {
  auto key = ArgumentBytes("KEY", args.key, args.hex);
  if (!key.ok()) return key.status();
  auto store = OpenToWrite(args.dir, args.write);
  if (!store.ok()) return store.status();
  return store->Delete({.sync = args.write.sync}, *key);
}

}  // namespace

int RunDbPut(const DbPutArgs& args, const Console& console) {
  const Status put = Put(args, console);
  return put.ok() ? kExitOk : Fail(console, "db put", put.message());
}

int RunDbGet(const DbGetArgs& args, const Console& console) {
  const auto all = Get(args, console);
  if (!all.ok()) {
    console.out->Flush();
    return Fail(console, "db get", all.status().message());
  }
  return Finish(console, "db get", *all ? kExitOk : kExitNegative);
}

int RunDbDelete(const DbDeleteArgs& args, const Console& console) {
  const Status deleted = Delete(args);
  if (deleted.ok()) return kExitOk;
  return Fail(console, "db delete", deleted.message());
}

}  // namespace tamis::tools
