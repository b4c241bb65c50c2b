// SPDX-License-Identifier: Apache-2.0
// peers/store_pair.h -- the same changes written to LevelDB, to our store and
// to a std::map, and all three compared.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <leveldb/db.h>

#include "tamis/store.h"

namespace tamis::testing {

using Contents = std::map<std::string, std::string>;

// No value: a deletion.
struct Change {
  std::string key;
  std::optional<std::string> value;
};
using Changes = std::vector<Change>;  // one batch

// What random batches are like.
struct ChangeKind {
  bool binary_keys = false;  // else digits
  std::uint64_t keys = 2000;
  std::size_t longest_value = 300;
  std::uint64_t most_changes = 8;  // in one batch
  // One value in so many is huge, a megabyte to five; 0: none.
  std::uint64_t huge_one_in = 0;
};

Changes RandomChanges(const ChangeKind& kind, std::mt19937_64* random);

// A failure fails the running test.
void Apply(const Changes& changes, Contents* contents);
void Apply(const Changes& changes, leveldb::DB* db, bool sync = false);
void Apply(const Changes& changes, Store* store, bool sync = false);

// Random batches to the engine and to the contents.
template <typename Engine>
void WriteRandomly(const ChangeKind& kind, int batches, std::mt19937_64* random,
                   Engine* engine, Contents* contents) {
  for (int i = 0; i < batches; ++i) {
    const Changes changes = RandomChanges(kind, random);
    Apply(changes, engine);
    Apply(changes, contents);
  }
}

// Null, and the running test has failed, if it does not open.
std::unique_ptr<leveldb::DB> OpenTheirs(const std::filesystem::path& dir,
                                        const leveldb::Options& options);
std::unique_ptr<Store> OpenOurs(const std::filesystem::path& dir,
                                const StoreOptions& options);

// Checksums verified, all that looks damaged reported.
leveldb::Options Paranoid(const leveldb::FilterPolicy* filter = nullptr);

// Forwards, backwards, and every key by Get; and some keys that are not there.
// In the order of the engine's comparator, which may be another than that of
// the map.
void ExpectHolds(leveldb::DB* db, const Contents& contents);
void ExpectHolds(Store* store, const Contents& contents);

Contents ContentsOf(leveldb::DB* db);
Contents ContentsOf(Store* store);

// Opens a copy with LevelDB, once without and once with its Bloom filter.
void ExpectTheyHold(const std::filesystem::path& dir, const Contents& contents);
// Opens `dir` itself read-only, then to write, then compacts it.
void ExpectWeHold(const std::filesystem::path& dir, const Contents& contents,
                  StoreOptions options = {});

// No problem is found in it.
void ExpectSound(const std::filesystem::path& dir,
                 const StoreOptions& options = {});

void CopyDirectory(const std::filesystem::path& from,
                   const std::filesystem::path& to);
// How many files have a name that ends so.
std::size_t CountFiles(const std::filesystem::path& dir,
                       const std::string& ending);

}  // namespace tamis::testing
