// SPDX-License-Identifier: Apache-2.0
// What a storage engine does: one key, ten tables, each with a filter.  The key
// is hashed once, and all filters are queried by its hash.

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tamis/filter.h"

namespace {

constexpr int kTables = 10;
constexpr int kKeysEach = 10'000;

std::string Key(int i) { return "user:" + std::to_string(i); }

// Table t has the keys from t * kKeysEach on.
tamis::Status BuildFilter(const tamis::FilterPolicy& policy, int table,
                          std::string* bytes) {
  const auto builder = policy.NewBuilder();
  for (int i = table * kKeysEach; i < (table + 1) * kKeysEach; ++i) {
    // The engine has the hash already: from its memtable, for example.
    if (!builder->AddHash(tamis::HashKey(Key(i)))) builder->Add(Key(i));
  }
  return builder->Finish(bytes);
}

}  // namespace

int main() {
  const auto policy = tamis::MakePolicy("bloom:10");
  if (!policy.ok()) return 1;
  std::array<std::string, kTables> bytes;
  std::vector<std::unique_ptr<const tamis::FilterReader>> filters;
  for (int t = 0; t < kTables; ++t) {
    auto& filter = bytes[static_cast<std::size_t>(t)];
    if (!BuildFilter(**policy, t, &filter).ok()) return 1;
    auto reader = policy->Open(filter);
    if (!reader.ok() || reader->hash_seed() != 0) return 1;
    filters.push_back(*std::move(reader));
  }
  bool found_all = true;
  for (const int i : {7, 54'321, 99'999, 123'456}) {
    const tamis::KeyHash hash = tamis::HashKey(Key(i));
    std::printf("%s may be in tables", Key(i).c_str());
    bool found = i >= kTables * kKeysEach;  // those are absent
    for (int t = 0; t < kTables; ++t) {
      if (!filters[static_cast<std::size_t>(t)]->MayContainHash(hash)) continue;
      std::printf(" %d", t);
      found = found || t == i / kKeysEach;
    }
    std::puts("");
    found_all = found_all && found;
  }
  return found_all ? 0 : 1;
}
