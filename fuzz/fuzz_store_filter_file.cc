// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the filter beside a table: as they are, with right
// checksums, and as the filter of a file that is otherwise right.  If a key of
// the table is hidden, a check of the store reports it.

#include <string>
#include <utility>

#include "base/crc32c.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/store_files.h"
#include "store/table_filter_file.h"
#include "tamis/filter_files.h"
#include "tamis/store.h"
#include "tamis/store_dump.h"

namespace tamis::fuzz {
namespace {

constexpr int kKeys = 50;

StoreOptions OptionsOf(testing::MemoryEnv* env) {
  StoreOptions options;
  options.env = env;
  options.create_if_missing = true;
  options.filter = "";
  options.prefix_extractor = "fixed=3";
  options.filter_loading = FilterLoading::kWhenFirstAsked;
  return options;
}

// A store of one table, with a filter beside it.
void MakeStoreIn(testing::MemoryEnv* env) {
  StoreOptions options = OptionsOf(env);
  {
    const auto store = Store::Open(kStoreDir, options);
    Check(store.ok(), "a store can be made");
    for (int i = 0; i < kKeys; ++i) {
      Check(store->Put({}, "key" + std::to_string(i), "value").ok(), "a put");
    }
    Check(store->Flush().ok(), "a flush");
  }
  options.filter = "bloom:10";
  options.filter_seed = FilterSeed::kFixed;
  const auto made = MakeFilterFiles(kStoreDir, options);
  Check(made.ok() && made->made == 1, "a filter can be made");
}

std::string FindFilter(testing::MemoryEnv* env) {
  const auto names = env->List(kStoreDir);
  for (const std::string& name : *names) {
    if (name.ends_with(".filter")) return std::string(kStoreDir) + "/" + name;
  }
  return {};
}

std::string Sealed(std::string file) {
  constexpr std::size_t kHeader = 64;
  if (file.size() < kHeader + 4) return file;
  StoreLittle(file.data() + 60, Crc32c(Slice(file).substr(0, 60)));
  const std::size_t end = file.size() - 4;
  StoreLittle(file.data() + end,
              Crc32c(Slice(file).substr(kHeader, end - kHeader)));
  return file;
}

// A dump says what is wrong with it, and changes nothing.
void DumpFile(testing::MemoryEnv* env, const std::string& path) {
  const std::string before = env->Contents(path);
  StoreOptions options;
  options.env = env;
  std::size_t items = 0;
  const auto count = [&items](const DumpItem& item) {
    Check(!item.name.empty() || !item.text.empty(), "an item says something");
    ++items;
    return true;
  };
  const bool is_ours = Slice(before).substr(0, 8) == "\x89TFILE\r\n";
  const Status status = DumpStoreFile(path, count, options);
  Check(status.ok() == is_ours && (items > 0) == is_ours,
        "what is ours is listed, and nothing else");
  Check(DumpStoreFile(kStoreDir, count, options).ok(),
        "a directory with any filter can be listed");
  Check(env->Contents(path) == before, "a dump changes nothing");
}

// A file whose checksums are right may be of other keys.
void CheckFile(testing::MemoryEnv* env, const std::string& path,
               std::string file) {
  const bool is_ours = Slice(file).substr(0, 8) == "\x89TFILE\r\n";
  env->SetContents(path, std::move(file));
  DumpFile(env, path);
  const auto checked = CheckStore(kStoreDir, OptionsOf(env));
  Check(checked.ok(), "a store with any filter can be checked");
  const auto store = Store::Open(kStoreDir, OptionsOf(env));
  Check(store.ok(), "no filter keeps a store from opening");
  for (int i = 0; i < kKeys; ++i) {
    const Status got = store->Get("key" + std::to_string(i)).status();
    Check(got.ok() || !checked->problems.empty(),
          "a filter that hides a key is reported");
  }
  std::uint64_t scanned = 0;
  // Of the first and the last key nobody would ask for the prefix.
  constexpr std::uint64_t kWithA2 = 11;
  const auto it = store->NewIterator({.prefix = "key2"});
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++scanned;
  Check(scanned == kWithA2 || !checked->problems.empty(),
        "a filter that hides a prefix is reported");
  Check(is_ours || env->Exists(path), "what is not ours stays");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  testing::MemoryEnv env;
  MakeStoreIn(&env);
  const std::string path = FindFilter(&env);
  const std::string right = env.Contents(path);
  CheckFile(&env, path, std::string(bytes));
  CheckFile(&env, path, Sealed(std::string(bytes)));
  // The input over the right file, and as its filter.
  Input input(bytes);
  std::string mixed = right;
  while (!input.empty()) {
    const auto at = static_cast<std::size_t>(input.TakeNumber(2));
    mixed[at % mixed.size()] = static_cast<char>(input.TakeByte());
  }
  CheckFile(&env, path, Sealed(mixed));
  CheckFile(&env, path, mixed);
  FilterOwner owner;
  owner.binding = LoadLittle32(right.data() + 12);
  owner.number = LoadLittle64(right.data() + 16);
  owner.bytes = LoadLittle64(right.data() + 24);
  owner.quick_binding = LoadLittle32(right.data() + 44);
  CheckFile(&env, path, FilterFileBytes(owner, "tamis.Filter1", bytes));
  return 0;
}

}  // namespace tamis::fuzz
