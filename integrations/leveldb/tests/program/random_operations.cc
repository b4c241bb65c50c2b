// SPDX-License-Identifier: Apache-2.0
// Thousands of random operations: puts, deletions, batches, lookups, scans,
// snapshots, compactions, reopenings.

#include <cstdlib>
#include <memory>
#include <vector>

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include "orders.h"
#include "policies.h"
#include "scene.h"

namespace {

constexpr unsigned kOperations = 3000;
constexpr unsigned kLetters = 5;

class Player {
 public:
  explicit Player(const Scene& scene) : scene_(scene), chance_(scene.seed) {
    ChooseOptions();
    Open();
  }
  ~Player() { Close(); }

  void Play() {
    for (unsigned i = 0; i < kOperations; ++i) {
      std::printf("%u ", i);
      Step();
    }
    Scan(nullptr);
  }

 private:
  struct Held {
    const leveldb::Snapshot* snapshot;
    std::unique_ptr<leveldb::Iterator> entries;
  };

  void ChooseOptions() {
    static const ReverseOrder kReverse;
    static const CaselessOrder kCaseless;
    static const LengthOrder kLength;
    const leveldb::Comparator* const orders[] = {
        leveldb::BytewiseComparator(), &kReverse, &kCaseless, &kLength};
    options_.comparator = orders[scene_.seed % 4];
    std::printf("order %s\n", options_.comparator->Name());
    options_.create_if_missing = true;
    options_.write_buffer_size = 64 << 10;
    options_.max_file_size = 1 << 20;
    options_.block_size = 1024 << chance_.Below(3);
    options_.block_restart_interval = static_cast<int>(1 + chance_.Below(20));
    if (chance_.Once(2)) options_.compression = leveldb::kNoCompression;
    options_.paranoid_checks = chance_.Once(2);
    options_.reuse_logs = chance_.Once(2);
    options_.max_open_files = static_cast<int>(chance_.Below(200));
    cache_.reset(leveldb::NewLRUCache(100 << 10));
    if (chance_.Once(2)) options_.block_cache = cache_.get();
    bloom_.reset(leveldb::NewBloomFilterPolicy(10));
    // LevelDB's own policy must not be used where keys are equal that are not
    // identical.
    if (chance_.Once(2)) options_.filter_policy = &letters_;
    if (scene_.seed % 4 != 2 && chance_.Once(2)) {
      options_.filter_policy = bloom_.get();
    }
  }

  void Open() {
    leveldb::DB* db = nullptr;
    Say(scene_, "open", leveldb::DB::Open(options_, scene_.dir + "/db", &db));
    if (db == nullptr) std::exit(1);
    db_.reset(db);
  }

  void Close() {
    for (Held& held : held_) {
      held.entries.reset();
      if (held.snapshot != nullptr) db_->ReleaseSnapshot(held.snapshot);
    }
    held_.clear();
    db_.reset();
  }

  leveldb::ReadOptions Reading() {
    leveldb::ReadOptions options;
    options.verify_checksums = chance_.Once(2);
    options.fill_cache = chance_.Once(2);
    if (!held_.empty() && chance_.Once(3)) {
      options.snapshot =
          held_[chance_.Below(static_cast<unsigned>(held_.size()))].snapshot;
    }
    return options;
  }

  std::string Key() { return chance_.Bytes(4, kLetters); }
  std::string Value() {
    std::string value = chance_.Bytes(20, kLetters);
    if (chance_.Once(20)) value.append(5000, 'v');
    return value;
  }

  void Step() {
    leveldb::WriteOptions writing;
    writing.sync = chance_.Once(50);
    const unsigned what = chance_.Below(100);
    if (what < 35) {
      Say(scene_, "put", db_->Put(writing, Key(), Value()));
    } else if (what < 45) {
      Say(scene_, "delete", db_->Delete(writing, Key()));
    } else if (what < 55) {
      Write(writing);
    } else if (what < 80) {
      std::string value = "as it was";
      const leveldb::Status found = db_->Get(Reading(), Key(), &value);
      Say(scene_, "get", found);
      std::printf("%s %zu\n", Printable(value.substr(0, 20)).c_str(),
                  value.size());
    } else if (what < 90) {
      Walk();
    } else if (what < 95) {
      Hold();
    } else if (what < 97) {
      Release();
    } else if (what < 98) {
      Compact();
    } else if (what < 99) {
      Scan(nullptr);
    } else {
      Close();
      Open();
    }
  }

  void Write(const leveldb::WriteOptions& writing) {
    leveldb::WriteBatch batch;
    for (unsigned n = chance_.Below(6); n > 0; --n) {
      if (chance_.Once(3)) {
        batch.Delete(Key());
      } else {
        batch.Put(Key(), Value());
      }
    }
    std::printf("batch of %zu ", batch.ApproximateSize());
    Say(scene_, "write", db_->Write(writing, &batch));
  }

  // An iterator sees what it saw when it was made, whatever is written since.
  void Walk() {
    std::unique_ptr<leveldb::Iterator> made;
    leveldb::Iterator* entries;
    if (!held_.empty() && chance_.Once(2)) {
      entries = held_[chance_.Below(static_cast<unsigned>(held_.size()))]
                    .entries.get();
    } else {
      made.reset(db_->NewIterator(Reading()));
      entries = made.get();
      std::printf("new: %d ", entries->Valid());
    }
    switch (chance_.Below(3)) {
      case 0:
        entries->SeekToFirst();
        break;
      case 1:
        entries->SeekToLast();
        break;
      default:
        entries->Seek(Key());
        break;
    }
    for (unsigned n = chance_.Below(12); n > 0 && entries->Valid(); --n) {
      std::printf("%s ", Printable(entries->key()).c_str());
      if (chance_.Once(3)) {
        entries->Prev();
      } else {
        entries->Next();
      }
    }
    if (entries->Valid()) {
      std::printf("at %s=%s ", Printable(entries->key()).c_str(),
                  Printable(entries->value()).substr(0, 20).c_str());
    }
    Say(scene_, "walked", entries->status());
  }

  void Hold() {
    if (held_.size() < 5) {
      const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
      leveldb::ReadOptions options;
      if (chance_.Once(2)) options.snapshot = snapshot;
      held_.push_back({snapshot, std::unique_ptr<leveldb::Iterator>(
                                     db_->NewIterator(options))});
    }
    std::printf("held %zu\n", held_.size());
  }

  void Release() {
    if (!held_.empty()) {
      held_.front().entries.reset();
      db_->ReleaseSnapshot(held_.front().snapshot);
      held_.erase(held_.begin());
    }
    std::printf("held %zu\n", held_.size());
  }

  void Compact() {
    const std::string from = Key();
    const std::string to = Key();
    const leveldb::Slice begin(from);
    const leveldb::Slice end(to);
    db_->CompactRange(chance_.Once(2) ? &begin : nullptr,
                      chance_.Once(2) ? &end : nullptr);
    std::printf("compacted\n");
  }

  void Scan(const leveldb::Snapshot* snapshot) {
    leveldb::ReadOptions options;
    options.snapshot = snapshot;
    const std::unique_ptr<leveldb::Iterator> entries(db_->NewIterator(options));
    std::uint64_t hash = 0;
    unsigned count = 0;
    for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
      hash = hash * 31 + HashOf(entries->key()) * 7 + HashOf(entries->value());
      ++count;
    }
    std::printf("%u entries, %016llx ", count,
                static_cast<unsigned long long>(hash));
    Say(scene_, "scanned", entries->status());
  }

  const Scene& scene_;
  Chance chance_;
  const FirstLetters letters_;
  std::unique_ptr<const leveldb::FilterPolicy> bloom_;
  std::unique_ptr<leveldb::Cache> cache_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
  std::vector<Held> held_;
};

}  // namespace

void RandomOperations(const Scene& scene) { Player(scene).Play(); }
