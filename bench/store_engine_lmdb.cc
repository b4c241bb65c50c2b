// SPDX-License-Identifier: Apache-2.0
#include "bench/store_engine.h"

#if defined(TAMIS_BENCH_LMDB)  // set by the build

#include <lmdb.h>
#include <algorithm>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace tamis::bench {
namespace {

// A transaction per entry would write every page on the way to the root for
// 116 bytes.  Who loads data into LMDB writes many entries per transaction.
constexpr std::size_t kPutsPerTransaction = 10'000;
// A read transaction is a snapshot, and as long as it lasts no page is used
// again.  A server renews it with every request or batch of requests.
constexpr std::size_t kGetsPerTransaction = 100;
// Pages are split when random keys fill them, and are about two thirds full.
// The map is address space, and the file grows only as far as it is written.
constexpr std::uint64_t kMapShare = 4;
constexpr mdb_mode_t kFileMode = 0644;

MDB_val Theirs(Slice ours) {
  return {ours.size(), const_cast<char*>(ours.data())};
}

Slice ToSlice(const MDB_val& theirs) {
  return {static_cast<const char*>(theirs.mv_data), theirs.mv_size};
}

const char* DataOf(const MDB_val& value) {
  return static_cast<const char*>(value.mv_data);
}

Status Ours(int theirs) {
  if (theirs == MDB_SUCCESS) return Status::Ok();
  return Status::IoError(std::string("LMDB: ") + ::mdb_strerror(theirs));
}

// A read transaction with its cursor.  Both are kept and renewed, which saves
// allocating them and finding a free slot in the table of readers.
class Reader {
 public:
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    if (cursor_ != nullptr) ::mdb_cursor_close(cursor_);
    if (txn_ != nullptr) ::mdb_txn_abort(txn_);
  }

  // Returns what the library says.  Afterwards the reader sees the newest data.
  int Begin(MDB_env* env, MDB_dbi table) {
    if (txn_ != nullptr) return Resume();
    if (int rc = ::mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn_); rc != 0) {
      return rc;
    }
    return ::mdb_cursor_open(txn_, table, &cursor_);
  }
  int Renew() {
    End();
    return Resume();
  }
  void End() { ::mdb_txn_reset(txn_); }

  MDB_txn* txn() const { return txn_; }
  MDB_cursor* cursor() const { return cursor_; }

 private:
  int Resume() {
    if (int rc = ::mdb_txn_renew(txn_); rc != 0) return rc;
    return ::mdb_cursor_renew(txn_, cursor_);
  }

  MDB_txn* txn_ = nullptr;
  MDB_cursor* cursor_ = nullptr;
};

class LmdbEngine final : public StoreEngine {
 public:
  explicit LmdbEngine(const EngineSettings& settings) : settings_(settings) {}
  ~LmdbEngine() override { Close(); }

  Status Open(const std::string& dir, StoreShape shape) override {
    if (shape == StoreShape::kOverlapping) {
      return Status::NotSupported("LMDB has one tree, and no tables");
    }
    std::error_code error;
    std::filesystem::create_directories(dir, error);
    if (error) return Status::IoError(dir + ": " + error.message());
    if (Status made = Ours(::mdb_env_create(&env_)); !made.ok()) return made;
    Status opened = OpenTable(dir);
    if (!opened.ok()) Close();
    return opened;
  }

  void Close() override {
    idle_.clear();
    if (env_ != nullptr) ::mdb_env_close(env_);
    env_ = nullptr;
  }

  // Keys in ascending order are appended, which fills pages to the end; who
  // loads sorted data knows that it is sorted.  The first key out of order
  // ends that.  A single entry is not tried as one of many.
  Status Put(const KeySpan& keys) override {
    unsigned flags = keys.size() > 1 ? MDB_APPEND : 0;
    for (std::size_t i = keys.begin; i < keys.end; i += kPutsPerTransaction) {
      const KeySpan part{keys.keys, i,
                         std::min(keys.end, i + kPutsPerTransaction)};
      if (Status put = PutTogether(part, &flags); !put.ok()) return put;
    }
    return Status::Ok();
  }

  Status Flush() override { return Status::NotSupported("has no memtable"); }

  // It does nothing in the background.
  Result<Settled> Settle() override { return Settled{}; }

  Result<Seen> Get(const KeySpan& keys) override {
    return MultiGet(keys, kGetsPerTransaction);
  }

  // It has no such call: a loop in one transaction.
  Result<Seen> MultiGet(const KeySpan& keys, std::size_t per_call) override {
    Seen seen;
    Lease lease(this);
    if (Status begun = lease.Begin(); !begun.ok()) return begun;
    for (std::size_t i = keys.begin; i < keys.end; ++i) {
      if (i != keys.begin && (i - keys.begin) % per_call == 0) {
        if (int rc = lease->Renew(); rc != 0) return Ours(rc);
      }
      MDB_val key = Theirs((*keys.keys)[i]);
      MDB_val value = {};
      const int rc = ::mdb_get(lease->txn(), table_, &key, &value);
      if (rc == MDB_SUCCESS) {
        seen.Add(DataOf(value));
      } else if (rc != MDB_NOTFOUND) {
        return Ours(rc);
      }
    }
    return seen;
  }

  Result<Seen> Scan(const ScanRange& range) override {
    Seen seen;
    Lease lease(this);
    if (Status begun = lease.Begin(); !begun.ok()) return begun;
    MDB_val key = Theirs(range.start);
    MDB_val value = {};
    int rc = ::mdb_cursor_get(lease->cursor(), &key, &value,
                              range.start.empty() ? MDB_FIRST : MDB_SET_RANGE);
    while (rc == MDB_SUCCESS && !range.EndsBefore(ToSlice(key))) {
      seen.Add(DataOf(value));
      if (seen.values >= range.most) return seen;
      rc = ::mdb_cursor_get(lease->cursor(), &key, &value, MDB_NEXT);
    }
    if (rc != MDB_SUCCESS && rc != MDB_NOTFOUND) return Ours(rc);
    return seen;
  }

 private:
  // Holds one of the engine's readers for the length of a call.
  class Lease {
   public:
    explicit Lease(LmdbEngine* engine) : engine_(engine) {
      const std::lock_guard lock(engine->mutex_);
      if (engine->idle_.empty()) {
        reader_ = std::make_unique<Reader>();
      } else {
        reader_ = std::move(engine->idle_.back());
        engine->idle_.pop_back();
      }
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      if (!begun_) return;
      reader_->End();
      const std::lock_guard lock(engine_->mutex_);
      engine_->idle_.push_back(std::move(reader_));
    }

    Status Begin() {
      const int rc = reader_->Begin(engine_->env_, engine_->table_);
      begun_ = rc == MDB_SUCCESS;
      return Ours(rc);
    }
    Reader* operator->() { return reader_.get(); }

   private:
    LmdbEngine* engine_;
    std::unique_ptr<Reader> reader_;
    bool begun_ = false;
  };

  // Without syncing, a commit survives the process, as a write to the others'
  // logs does.  (The machine is another matter: after power loss the whole
  // file may be damaged, and not only the last writes be gone.)
  Status OpenTable(const std::string& dir) {
    const std::uint64_t map = kMapShare * settings_.cache_bytes;
    if (int rc = ::mdb_env_set_mapsize(env_, map); rc != 0) return Ours(rc);
    unsigned flags = MDB_NOSYNC | MDB_NOTLS;
    // Where data does not fit into memory, what is read ahead of a random
    // lookup is wasted.
    if (settings_.cold) flags |= MDB_NORDAHEAD;
    if (int rc = ::mdb_env_open(env_, dir.c_str(), flags, kFileMode); rc != 0) {
      return Ours(rc);
    }
    MDB_txn* txn = nullptr;
    if (int rc = ::mdb_txn_begin(env_, nullptr, 0, &txn); rc != 0) {
      return Ours(rc);
    }
    if (int rc = ::mdb_dbi_open(txn, nullptr, MDB_CREATE, &table_); rc != 0) {
      ::mdb_txn_abort(txn);
      return Ours(rc);
    }
    return Ours(::mdb_txn_commit(txn));
  }

  Status PutTogether(const KeySpan& keys, unsigned* flags) {
    MDB_txn* txn = nullptr;
    if (int rc = ::mdb_txn_begin(env_, nullptr, 0, &txn); rc != 0) {
      return Ours(rc);
    }
    for (std::size_t i = keys.begin; i < keys.end; ++i) {
      MDB_val key = Theirs((*keys.keys)[i]);
      MDB_val value = Theirs(ValueOf((*keys.keys)[i]));
      int rc = ::mdb_put(txn, table_, &key, &value, *flags);
      if (rc == MDB_KEYEXIST) {  // it is not greater than all others
        *flags = 0;
        rc = ::mdb_put(txn, table_, &key, &value, *flags);
      }
      if (rc != MDB_SUCCESS) {
        ::mdb_txn_abort(txn);
        return Ours(rc);
      }
    }
    return Ours(::mdb_txn_commit(txn));
  }

  EngineSettings settings_;
  MDB_env* env_ = nullptr;  // null: not open
  MDB_dbi table_ = 0;
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<Reader>> idle_;
};

}  // namespace

std::unique_ptr<StoreEngine> NewLmdbEngine(const EngineSettings& settings) {
  if (settings.snappy) return nullptr;
  return std::make_unique<LmdbEngine>(settings);
}

}  // namespace tamis::bench

#else

namespace tamis::bench {

std::unique_ptr<StoreEngine> NewLmdbEngine(const EngineSettings&) {
  return nullptr;
}

}  // namespace tamis::bench

#endif
