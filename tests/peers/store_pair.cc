// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/store_pair.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <leveldb/write_batch.h>

#include "tests/peers/peer_policy.h"
#include "tests/peers/scratch_db.h"
#include "tests/support/golden.h"

namespace tamis::testing {
namespace {

std::string RandomKey(const ChangeKind& kind, std::mt19937_64* random) {
  const std::uint64_t number = (*random)() % kind.keys;
  if (!kind.binary_keys) {
    const std::string digits = std::to_string(number);
    return "key" +
           std::string(8 - std::min<std::size_t>(8, digits.size()), '0') +
           digits;
  }
  std::mt19937_64 bytes(number);  // the same number, the same key
  std::string key(number % 30, '\0');
  for (char& byte : key) {
    constexpr char kOften[] = {'\0', '\xff', 'a'};
    byte = bytes() % 2 == 0 ? kOften[bytes() % 3] : static_cast<char>(bytes());
  }
  return key;
}

std::string RandomValue(const ChangeKind& kind, std::mt19937_64* random) {
  std::size_t size = (*random)() % (kind.longest_value + 1);
  if (kind.huge_one_in > 0 && (*random)() % kind.huge_one_in == 0) {
    size = ((std::size_t{1} << 20) + (*random)() % (std::size_t{4} << 20)) | 1;
  }
  std::string value(size / 2, '\0');
  for (char& byte : value) byte = static_cast<char>((*random)());
  value.resize(size, 'v');  // so that there is something to compress
  return value;
}

std::string Shown(Slice key) { return ToHex(std::string(key)); }

// An engine's iterator and Get, in the same words for both.
struct TheirView {
  leveldb::DB* db;
  std::unique_ptr<leveldb::Iterator> iterator;

  explicit TheirView(leveldb::DB* opened) : db(opened) {
    iterator.reset(db->NewIterator(Reading()));
  }
  static leveldb::ReadOptions Reading() {
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    return read;
  }
  Slice key() const { return FromPeer(iterator->key()); }
  Slice value() const { return FromPeer(iterator->value()); }
  std::optional<std::string> Get(const std::string& key) const {
    std::string value;
    const leveldb::Status got = db->Get(Reading(), key, &value);
    EXPECT_TRUE(got.ok() || got.IsNotFound()) << got.ToString();
    return got.ok() ? std::optional(value) : std::nullopt;
  }
};

struct OurView {
  Store* store;
  std::unique_ptr<Iterator> iterator;

  explicit OurView(Store* opened)
      : store(opened), iterator(opened->NewIterator()) {}
  Slice key() const { return iterator->key(); }
  Slice value() const { return iterator->value(); }
  std::optional<std::string> Get(const std::string& key) const {
    std::string value;
    const Status got = store->Get({}, key, &value);
    EXPECT_TRUE(got.ok() || got.code() == StatusCode::kNotFound)
        << got.ToString();
    return got.ok() ? std::optional(value) : std::nullopt;
  }
};

template <typename View>
void ExpectViewHolds(const View& view, const Contents& contents) {
  std::vector<std::string> forwards;
  for (view.iterator->SeekToFirst(); view.iterator->Valid();
       view.iterator->Next()) {
    forwards.emplace_back(view.key());
    const auto found = contents.find(forwards.back());
    ASSERT_NE(found, contents.end()) << Shown(view.key()) << " was not written";
    ASSERT_TRUE(view.value() == found->second) << Shown(view.key());
  }
  ASSERT_TRUE(view.iterator->status().ok())
      << view.iterator->status().ToString();
  ASSERT_EQ(forwards.size(), contents.size());
  std::vector<std::string> backwards;
  for (view.iterator->SeekToLast(); view.iterator->Valid();
       view.iterator->Prev()) {
    backwards.emplace_back(view.key());
  }
  ASSERT_TRUE(view.iterator->status().ok())
      << view.iterator->status().ToString();
  std::reverse(backwards.begin(), backwards.end());
  ASSERT_TRUE(forwards == backwards);
  for (const auto& [key, value] : contents) {
    const std::optional<std::string> got = view.Get(key);
    ASSERT_TRUE(got.has_value()) << Shown(key) << " is hidden";
    ASSERT_TRUE(*got == value) << Shown(key);
    const std::string other = key + "~";
    if (contents.contains(other)) continue;
    ASSERT_FALSE(view.Get(other).has_value()) << Shown(other);
  }
}

template <typename View>
Contents ContentsOfView(const View& view) {
  Contents contents;
  for (view.iterator->SeekToFirst(); view.iterator->Valid();
       view.iterator->Next()) {
    contents.emplace(view.key(), view.value());
  }
  EXPECT_TRUE(view.iterator->status().ok())
      << view.iterator->status().ToString();
  return contents;
}

}  // namespace

Changes RandomChanges(const ChangeKind& kind, std::mt19937_64* random) {
  Changes changes(1 + (*random)() % kind.most_changes);
  for (Change& change : changes) {
    change.key = RandomKey(kind, random);
    if ((*random)() % 5 != 0) change.value = RandomValue(kind, random);
  }
  return changes;
}

void Apply(const Changes& changes, Contents* contents) {
  for (const Change& change : changes) {
    if (change.value) {
      (*contents)[change.key] = *change.value;
    } else {
      contents->erase(change.key);
    }
  }
}

void Apply(const Changes& changes, leveldb::DB* db, bool sync) {
  leveldb::WriteBatch batch;
  for (const Change& change : changes) {
    if (change.value) {
      batch.Put(change.key, *change.value);
    } else {
      batch.Delete(change.key);
    }
  }
  leveldb::WriteOptions options;
  options.sync = sync;
  const leveldb::Status written = db->Write(options, &batch);
  ASSERT_TRUE(written.ok()) << written.ToString();
}

void Apply(const Changes& changes, Store* store, bool sync) {
  WriteBatch batch;
  for (const Change& change : changes) {
    if (change.value) {
      batch.Put(change.key, *change.value);
    } else {
      batch.Delete(change.key);
    }
  }
  const Status written = store->Write({.sync = sync}, batch);
  ASSERT_TRUE(written.ok()) << written.ToString();
}

std::unique_ptr<leveldb::DB> OpenTheirs(const std::filesystem::path& dir,
                                        const leveldb::Options& options) {
  leveldb::DB* db = nullptr;
  const leveldb::Status opened = leveldb::DB::Open(options, dir.string(), &db);
  EXPECT_TRUE(opened.ok()) << opened.ToString();
  return std::unique_ptr<leveldb::DB>(db);
}

std::unique_ptr<Store> OpenOurs(const std::filesystem::path& dir,
                                const StoreOptions& options) {
  Result<std::unique_ptr<Store>> opened = Store::Open(dir.string(), options);
  EXPECT_TRUE(opened.ok()) << opened.status().ToString();
  return opened.ok() ? *std::move(opened) : nullptr;
}

leveldb::Options Paranoid(const leveldb::FilterPolicy* filter) {
  leveldb::Options options;
  options.paranoid_checks = true;
  options.filter_policy = filter;
  return options;
}

void ExpectHolds(leveldb::DB* db, const Contents& contents) {
  ExpectViewHolds(TheirView(db), contents);
}
void ExpectHolds(Store* store, const Contents& contents) {
  ExpectViewHolds(OurView(store), contents);
}

Contents ContentsOf(leveldb::DB* db) { return ContentsOfView(TheirView(db)); }
Contents ContentsOf(Store* store) { return ContentsOfView(OurView(store)); }

void ExpectTheyHold(const std::filesystem::path& dir,
                    const Contents& contents) {
  const auto bloom = TheirPolicy(10);
  for (const bool filtered : {false, true}) {
    SCOPED_TRACE(filtered ? "LevelDB with its filter" : "LevelDB without");
    const ScratchDir scratch;
    CopyDirectory(dir, scratch.path() / "copy");
    const auto db = OpenTheirs(scratch.path() / "copy",
                               Paranoid(filtered ? bloom.get() : nullptr));
    if (db == nullptr) return;
    ExpectHolds(db.get(), contents);
  }
}

void ExpectWeHold(const std::filesystem::path& dir, const Contents& contents,
                  StoreOptions options) {
  ExpectSound(dir, options);
  options.read_only = true;
  if (const auto store = OpenOurs(dir, options); store != nullptr) {
    SCOPED_TRACE("read-only");
    ExpectHolds(store.get(), contents);
  }
  options.read_only = false;
  const auto store = OpenOurs(dir, options);
  if (store == nullptr) return;
  {
    SCOPED_TRACE("to write");
    ExpectHolds(store.get(), contents);
  }
  SCOPED_TRACE("compacted");
  const Status compacted = store->Compact();
  EXPECT_TRUE(compacted.ok()) << compacted.ToString();
  ExpectHolds(store.get(), contents);
}

void ExpectSound(const std::filesystem::path& dir,
                 const StoreOptions& options) {
  const Result<CheckReport> checked = CheckStore(dir.string(), options);
  ASSERT_TRUE(checked.ok()) << checked.status().ToString();
  EXPECT_TRUE(checked->problems.empty()) << checked->problems.front();
}

void CopyDirectory(const std::filesystem::path& from,
                   const std::filesystem::path& to) {
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
}

std::size_t CountFiles(const std::filesystem::path& dir,
                       const std::string& ending) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    count += entry.path().string().ends_with(ending) ? 1u : 0u;
  }
  return count;
}

}  // namespace tamis::testing
