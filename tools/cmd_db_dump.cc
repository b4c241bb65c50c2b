// SPDX-License-Identifier: Apache-2.0
// tamis db dump: lists the contents of one file of a store.

#include <cstdint>
#include <string>

#include <fmt/core.h>

#include "db_commands.h"
#include "json.h"
#include "numbers.h"
#include "pair_text.h"
#include "tamis/store_dump.h"
#include "text.h"

namespace tamis::tools {
namespace {

using Kind = DumpItem::Kind;

bool IsChange(const DumpItem& item) {
  return item.kind == Kind::kPut || item.kind == Kind::kDelete;
}

std::string_view NameOf(Kind kind) {
  switch (kind) {
    case Kind::kAbout:
      return "about";
    case Kind::kPut:
      return "put";
    case Kind::kDelete:
      return "delete";
    case Kind::kEdit:
      return "edit";
    case Kind::kProblem:
      break;
  }
  return "problem";
}

std::string ItemJson(const DbDumpArgs& args, const DumpItem& item) {
  Json object;
  object["type"] = NameOf(item.kind);
  if (IsChange(item)) {
    object["sequence"] = item.sequence;
    SetBytes(&object, "key", item.key, args.hex);
    if (item.kind == Kind::kPut && !args.keys_only) {
      SetBytes(&object, "value", item.value, args.hex);
    }
  } else {
    if (!item.name.empty()) object["name"] = item.name;
    object["text"] = item.text;
  }
  return object.Text();
}

std::string ItemText(const DbDumpArgs& args, const DumpItem& item) {
  const auto shown = [&args](Slice bytes) {
    return args.hex ? ToHex(bytes) : Escaped(bytes);
  };
  if (item.kind == Kind::kAbout) {
    return fmt::format("{}: {}", item.name, Escaped(item.text));
  }
  if (!IsChange(item)) {
    return fmt::format("{}: {}", NameOf(item.kind), Escaped(item.text));
  }
  std::string text = fmt::format("{}\t{}\t{}", item.sequence, NameOf(item.kind),
                                 shown(item.key));
  if (item.kind == Kind::kPut && !args.keys_only) {
    text += "\t" + shown(item.value);
  }
  return text;
}

// Counts of items and problems.
struct Dumped {
  std::uint64_t problems = 0;
  std::uint64_t changes_left = UINT64_MAX;
};

Status Dump(const DbDumpArgs& args, const Console& console, Dumped* dumped) {
  if (!args.limit.empty()) {
    const auto limit = ParseCount(args.limit);
    if (!limit.ok()) {
      return Status::InvalidArgument("--limit: " + limit.status().message());
    }
    dumped->changes_left = *limit;
  }
  return DumpStoreFile(args.file, [&](const DumpItem& item) {
    if (IsChange(item) && dumped->changes_left-- == 0) return false;
    dumped->problems += item.kind == Kind::kProblem ? 1 : 0;
    console.out->Write(
        (args.json ? ItemJson(args, item) : ItemText(args, item)) + "\n");
    return console.out->error() == 0;  // Finish() reports it
  });
}

}  // namespace

int RunDbDump(const DbDumpArgs& args, const Console& console) {
  Dumped dumped;
  const Status status = Dump(args, console, &dumped);
  if (!status.ok()) {
    console.out->Flush();
    return Fail(console, "db dump", status.message());
  }
  return Finish(console, "db dump",
                dumped.problems == 0 ? kExitOk : kExitNegative);
}

}  // namespace tamis::tools
