// SPDX-License-Identifier: Apache-2.0
// An embedded store: write, read, iterate, and see what the filters did.

#include "tamis/store.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace {

int Fail(const tamis::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

}  // namespace

int main() {
  const std::string dir =
      (std::filesystem::temp_directory_path() / "tamis-example-store").string();
  std::filesystem::remove_all(dir);
  tamis::StoreOptions options;
  options.create_if_missing = true;
  auto store = tamis::Store::Open(dir, options);
  if (!store.ok()) return Fail(store.status());

  tamis::WriteBatch batch;  // all of it or nothing
  for (const char* fruit : {"apple", "banana", "cherry"}) {
    batch.Put(fruit, std::string("a ") + fruit);
  }
  batch.Delete("banana");
  tamis::Status written = store->Write({.sync = true}, batch);
  if (written.ok()) written = store->Flush();  // from memory to a table
  if (!written.ok()) return Fail(written);

  for (const char* fruit : {"apple", "banana", "dragonfruit"}) {
    const tamis::Result<std::string> value = store->Get(fruit);
    if (value.ok()) {
      std::printf("%s: %s\n", fruit, value->c_str());
    } else if (value.status().code() == tamis::StatusCode::kNotFound) {
      std::printf("%s: no such key\n", fruit);
    } else {
      return Fail(value.status());  // a file could not be read
    }
  }
  const auto entries = store->NewIterator();
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    std::printf("%s = %s\n", std::string(entries->key()).c_str(),
                std::string(entries->value()).c_str());
  }
  if (!entries->status().ok()) return Fail(entries->status());
  const tamis::FilterCounts filters = store->Stats().filters();
  std::printf("filters were asked %llu times, and saved %llu reads\n",
              static_cast<unsigned long long>(filters.probes),
              static_cast<unsigned long long>(filters.absent));
  return 0;
}
