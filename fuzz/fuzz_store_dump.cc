// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a table, a log or a manifest whose items are printed one
// by one.
//
// Byte 0: the kind of the file, and whether its checksums are made right; byte
// 1: after how many items the visitor has had enough; the rest: the file.

#include <string>
#include <vector>

#include "fuzz/fuzz_support.h"
#include "fuzz/store_files.h"
#include "tamis/store_dump.h"

namespace tamis::fuzz {
namespace {

constexpr StoreFile kKinds[] = {StoreFile::kTable, StoreFile::kLog,
                                StoreFile::kManifest, StoreFile::kOldTable};
constexpr std::size_t kMaxItems = 20000;

void CheckItem(const DumpItem& item) {
  switch (item.kind) {
    case DumpItem::Kind::kAbout:
      Check(!item.name.empty(), "a property has a name");
      break;
    case DumpItem::Kind::kProblem:
      Check(!item.text.empty(), "a problem is described");
      break;
    case DumpItem::Kind::kPut:
    case DumpItem::Kind::kDelete:
    case DumpItem::Kind::kEdit:
      break;
  }
}

std::string TextOf(const DumpItem& item) {
  return std::to_string(static_cast<int>(item.kind)) + " " +
         std::to_string(item.sequence) + " " + std::string(item.key) + "\t" +
         std::string(item.value) + "\t" + item.name + "\t" + item.text;
}

// Returns the first `most` items.
std::vector<std::string> Dump(const std::string& path, std::size_t most,
                              const StoreOptions& options) {
  std::vector<std::string> items;
  bool had_enough = false;
  const Status status = DumpStoreFile(
      path,
      [&](const DumpItem& item) {
        Check(!had_enough, "who has had enough hears no more");
        CheckItem(item);
        items.push_back(TextOf(item));
        had_enough = items.size() >= most;
        return !had_enough;
      },
      options);
  ExpectReason(status);
  Check(status.ok() || status.code() == StatusCode::kResourceExhausted,
        "damage is an item, and no error");
  return items;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size > (std::size_t{128} << 10)) return 0;
  Input input(AsSlice(data, size));
  const std::uint8_t choice = input.TakeByte();
  const std::size_t enough = std::size_t{1} + input.TakeByte();
  const StoreFile kind = kKinds[choice % std::size(kKinds)];
  std::string content(input.rest());
  FixChecksums(kind, StoreSwitches(choice), &content);

  testing::MemoryEnv env({.can_map = (choice & 64) != 0});
  Check(env.CreateDirectory(kStoreDir).ok(), "a directory can be made");
  const std::string path = PathOf(kind, 5);
  env.SetContents(path, content);
  StoreOptions options;
  options.env = &env;
  const std::vector<std::string> all = Dump(path, kMaxItems, options);
  const std::vector<std::string> first = Dump(path, enough, options);
  Check(!all.empty() && first.size() <= all.size() &&
            std::equal(first.begin(), first.end(), all.begin()),
        "a dump that is ended early has the first items");
  Check(env.Contents(path) == content, "a dump writes nothing");
  return 0;
}

}  // namespace tamis::fuzz
