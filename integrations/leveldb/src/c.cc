// SPDX-License-Identifier: Apache-2.0
// LevelDB's interface for C, over its interface for C++.

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <leveldb/c.h>
#include <leveldb/cache.h>
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/status.h>
#include <leveldb/write_batch.h>

using leveldb::Slice;
using leveldb::Status;

struct leveldb_t {
  std::unique_ptr<leveldb::DB> db;
};
struct leveldb_iterator_t {
  std::unique_ptr<leveldb::Iterator> entries;
};
struct leveldb_writebatch_t {
  leveldb::WriteBatch batch;
};
struct leveldb_snapshot_t {
  const leveldb::Snapshot* snapshot;
};
struct leveldb_options_t {
  leveldb::Options options;
};
struct leveldb_readoptions_t {
  leveldb::ReadOptions options;
};
struct leveldb_writeoptions_t {
  leveldb::WriteOptions options;
};
struct leveldb_cache_t {
  std::unique_ptr<leveldb::Cache> cache;
};
struct leveldb_filterpolicy_t {
  std::unique_ptr<const leveldb::FilterPolicy> policy;
};
struct leveldb_logger_t {
  leveldb::Logger* logger;
};
struct leveldb_env_t {
  leveldb::Env* env;
  bool is_default;
};

// A comparator of functions.
struct leveldb_comparator_t final : leveldb::Comparator {
  using Compares = int (*)(void*, const char*, size_t, const char*, size_t);

  ~leveldb_comparator_t() override { destructor(state); }
  int Compare(const Slice& a, const Slice& b) const override {
    return compare(state, a.data(), a.size(), b.data(), b.size());
  }
  const char* Name() const override { return name(state); }
  void FindShortestSeparator(std::string* /*start*/,
                             const Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

  void* state = nullptr;
  void (*destructor)(void*) = nullptr;
  Compares compare = nullptr;
  const char* (*name)(void*) = nullptr;
};

namespace {

// What malloc() gives, for the program to free.  Null: no memory.
char* Copied(const std::string& bytes) {
  char* const copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, bytes.data(), bytes.size());
  copy[bytes.size()] = '\0';
  return copy;
}

// True: it failed, and *errptr says why.
bool Failed(const Status& status, char** errptr) {
  if (status.ok()) return false;
  std::free(*errptr);
  *errptr = Copied(status.ToString());
  return true;
}

// A policy of functions.
class FunctionPolicy final : public leveldb::FilterPolicy {
 public:
  using Create = char* (*)(void*, const char* const*, const size_t*, int,
                           size_t*);
  using Match = uint8_t (*)(void*, const char*, size_t, const char*, size_t);

  FunctionPolicy(void* state, void (*destructor)(void*), Create create,
                 Match match, const char* (*name)(void*))
      : state_(state),
        destructor_(destructor),
        create_(create),
        match_(match),
        name_(name) {}
  ~FunctionPolicy() override { destructor_(state_); }

  const char* Name() const override { return name_(state_); }
  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    std::vector<const char*> starts;
    std::vector<size_t> sizes;
    for (int i = 0; i < n; ++i) {
      starts.push_back(keys[i].data());
      sizes.push_back(keys[i].size());
    }
    size_t bytes = 0;
    char* const filter =
        create_(state_, starts.data(), sizes.data(), n, &bytes);
    dst->append(filter, bytes);
    std::free(filter);
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    return match_(state_, key.data(), key.size(), filter.data(),
                  filter.size()) != 0;
  }

 private:
  void* const state_;
  void (*const destructor_)(void*);
  const Create create_;
  const Match match_;
  const char* (*const name_)(void*);
};

// A receiver of changes, of functions.
class FunctionHandler final : public leveldb::WriteBatch::Handler {
 public:
  using PutFunction = void (*)(void*, const char*, size_t, const char*, size_t);
  using DeleteFunction = void (*)(void*, const char*, size_t);

  FunctionHandler(void* state, PutFunction put, DeleteFunction deleted)
      : state_(state), put_(put), deleted_(deleted) {}
  void Put(const Slice& key, const Slice& value) override {
    put_(state_, key.data(), key.size(), value.data(), value.size());
  }
  void Delete(const Slice& key) override {
    deleted_(state_, key.data(), key.size());
  }

 private:
  void* const state_;
  const PutFunction put_;
  const DeleteFunction deleted_;
};

const char* BytesOf(const Slice& slice, size_t* size) {
  *size = slice.size();
  return slice.data();
}

}  // namespace

// ---- databases

leveldb_t* leveldb_open(const leveldb_options_t* options, const char* name,
                        char** errptr) {
  leveldb::DB* db = nullptr;
  if (Failed(leveldb::DB::Open(options->options, name, &db), errptr)) {
    return nullptr;
  }
  return new leveldb_t{std::unique_ptr<leveldb::DB>(db)};
}

void leveldb_close(leveldb_t* db) { delete db; }

void leveldb_put(leveldb_t* db, const leveldb_writeoptions_t* options,
                 const char* key, size_t keylen, const char* val, size_t vallen,
                 char** errptr) {
  Failed(db->db->Put(options->options, {key, keylen}, {val, vallen}), errptr);
}

void leveldb_delete(leveldb_t* db, const leveldb_writeoptions_t* options,
                    const char* key, size_t keylen, char** errptr) {
  Failed(db->db->Delete(options->options, {key, keylen}), errptr);
}

void leveldb_write(leveldb_t* db, const leveldb_writeoptions_t* options,
                   leveldb_writebatch_t* batch, char** errptr) {
  Failed(db->db->Write(options->options, &batch->batch), errptr);
}

char* leveldb_get(leveldb_t* db, const leveldb_readoptions_t* options,
                  const char* key, size_t keylen, size_t* vallen,
                  char** errptr) {
  std::string value;
  const Status found = db->db->Get(options->options, {key, keylen}, &value);
  *vallen = 0;
  if (found.IsNotFound() || Failed(found, errptr)) return nullptr;
  *vallen = value.size();
  return Copied(value);
}

leveldb_iterator_t* leveldb_create_iterator(
    leveldb_t* db, const leveldb_readoptions_t* options) {
  return new leveldb_iterator_t{std::unique_ptr<leveldb::Iterator>(
      db->db->NewIterator(options->options))};
}

const leveldb_snapshot_t* leveldb_create_snapshot(leveldb_t* db) {
  return new leveldb_snapshot_t{db->db->GetSnapshot()};
}

void leveldb_release_snapshot(leveldb_t* db,
                              const leveldb_snapshot_t* snapshot) {
  db->db->ReleaseSnapshot(snapshot->snapshot);
  delete snapshot;
}

char* leveldb_property_value(leveldb_t* db, const char* propname) {
  std::string value;
  return db->db->GetProperty(propname, &value) ? Copied(value) : nullptr;
}

void leveldb_approximate_sizes(leveldb_t* db, int num_ranges,
                               const char* const* range_start_key,
                               const size_t* range_start_key_len,
                               const char* const* range_limit_key,
                               const size_t* range_limit_key_len,
                               uint64_t* sizes) {
  std::vector<leveldb::Range> ranges;
  for (int i = 0; i < num_ranges; ++i) {
    ranges.emplace_back(Slice(range_start_key[i], range_start_key_len[i]),
                        Slice(range_limit_key[i], range_limit_key_len[i]));
  }
  db->db->GetApproximateSizes(ranges.data(), num_ranges, sizes);
}

void leveldb_compact_range(leveldb_t* db, const char* start_key,
                           size_t start_key_len, const char* limit_key,
                           size_t limit_key_len) {
  const Slice start(start_key, start_key_len);
  const Slice limit(limit_key, limit_key_len);
  db->db->CompactRange(start_key != nullptr ? &start : nullptr,
                       limit_key != nullptr ? &limit : nullptr);
}

void leveldb_destroy_db(const leveldb_options_t* options, const char* name,
                        char** errptr) {
  Failed(leveldb::DestroyDB(name, options->options), errptr);
}

void leveldb_repair_db(const leveldb_options_t* options, const char* name,
                       char** errptr) {
  Failed(leveldb::RepairDB(name, options->options), errptr);
}

// ---- iterators

void leveldb_iter_destroy(leveldb_iterator_t* iter) { delete iter; }
uint8_t leveldb_iter_valid(const leveldb_iterator_t* iter) {
  return iter->entries->Valid() ? 1 : 0;
}
void leveldb_iter_seek_to_first(leveldb_iterator_t* iter) {
  iter->entries->SeekToFirst();
}
void leveldb_iter_seek_to_last(leveldb_iterator_t* iter) {
  iter->entries->SeekToLast();
}
void leveldb_iter_seek(leveldb_iterator_t* iter, const char* k, size_t klen) {
  iter->entries->Seek({k, klen});
}
void leveldb_iter_next(leveldb_iterator_t* iter) { iter->entries->Next(); }
void leveldb_iter_prev(leveldb_iterator_t* iter) { iter->entries->Prev(); }
const char* leveldb_iter_key(const leveldb_iterator_t* iter, size_t* klen) {
  return BytesOf(iter->entries->key(), klen);
}
const char* leveldb_iter_value(const leveldb_iterator_t* iter, size_t* vlen) {
  return BytesOf(iter->entries->value(), vlen);
}
void leveldb_iter_get_error(const leveldb_iterator_t* iter, char** errptr) {
  Failed(iter->entries->status(), errptr);
}

// ---- batches

leveldb_writebatch_t* leveldb_writebatch_create() {
  return new leveldb_writebatch_t;
}
void leveldb_writebatch_destroy(leveldb_writebatch_t* batch) { delete batch; }
void leveldb_writebatch_clear(leveldb_writebatch_t* batch) {
  batch->batch.Clear();
}
void leveldb_writebatch_put(leveldb_writebatch_t* batch, const char* key,
                            size_t klen, const char* val, size_t vlen) {
  batch->batch.Put({key, klen}, {val, vlen});
}
void leveldb_writebatch_delete(leveldb_writebatch_t* batch, const char* key,
                               size_t klen) {
  batch->batch.Delete({key, klen});
}
void leveldb_writebatch_iterate(const leveldb_writebatch_t* batch, void* state,
                                void (*put)(void*, const char* k, size_t klen,
                                            const char* v, size_t vlen),
                                void (*deleted)(void*, const char* k,
                                                size_t klen)) {
  FunctionHandler handler(state, put, deleted);
  (void)batch->batch.Iterate(&handler);
}
void leveldb_writebatch_append(leveldb_writebatch_t* destination,
                               const leveldb_writebatch_t* source) {
  destination->batch.Append(source->batch);
}

// ---- options

leveldb_options_t* leveldb_options_create() { return new leveldb_options_t; }
void leveldb_options_destroy(leveldb_options_t* options) { delete options; }
void leveldb_options_set_comparator(leveldb_options_t* options,
                                    leveldb_comparator_t* comparator) {
  options->options.comparator = comparator;
}
void leveldb_options_set_filter_policy(leveldb_options_t* options,
                                       leveldb_filterpolicy_t* policy) {
  options->options.filter_policy =
      policy != nullptr ? policy->policy.get() : nullptr;
}
void leveldb_options_set_create_if_missing(leveldb_options_t* options,
                                           uint8_t v) {
  options->options.create_if_missing = v != 0;
}
void leveldb_options_set_error_if_exists(leveldb_options_t* options,
                                         uint8_t v) {
  options->options.error_if_exists = v != 0;
}
void leveldb_options_set_paranoid_checks(leveldb_options_t* options,
                                         uint8_t v) {
  options->options.paranoid_checks = v != 0;
}
void leveldb_options_set_env(leveldb_options_t* options, leveldb_env_t* env) {
  options->options.env = env != nullptr ? env->env : nullptr;
}
void leveldb_options_set_info_log(leveldb_options_t* options,
                                  leveldb_logger_t* logger) {
  options->options.info_log = logger != nullptr ? logger->logger : nullptr;
}
void leveldb_options_set_write_buffer_size(leveldb_options_t* options,
                                           size_t bytes) {
  options->options.write_buffer_size = bytes;
}
void leveldb_options_set_max_open_files(leveldb_options_t* options, int n) {
  options->options.max_open_files = n;
}
void leveldb_options_set_cache(leveldb_options_t* options,
                               leveldb_cache_t* cache) {
  options->options.block_cache = cache->cache.get();
}
void leveldb_options_set_block_size(leveldb_options_t* options, size_t bytes) {
  options->options.block_size = bytes;
}
void leveldb_options_set_block_restart_interval(leveldb_options_t* options,
                                                int n) {
  options->options.block_restart_interval = n;
}
void leveldb_options_set_max_file_size(leveldb_options_t* options,
                                       size_t bytes) {
  options->options.max_file_size = bytes;
}
void leveldb_options_set_compression(leveldb_options_t* options, int kind) {
  options->options.compression = static_cast<leveldb::CompressionType>(kind);
}

// ---- what programs give

leveldb_comparator_t* leveldb_comparator_create(
    void* state, void (*destructor)(void*),
    int (*compare)(void*, const char* a, size_t alen, const char* b,
                   size_t blen),
    const char* (*name)(void*)) {
  auto* const comparator = new leveldb_comparator_t;
  comparator->state = state;
  comparator->destructor = destructor;
  comparator->compare = compare;
  comparator->name = name;
  return comparator;
}
void leveldb_comparator_destroy(leveldb_comparator_t* comparator) {
  delete comparator;
}

leveldb_filterpolicy_t* leveldb_filterpolicy_create(
    void* state, void (*destructor)(void*),
    char* (*create_filter)(void*, const char* const* key_array,
                           const size_t* key_length_array, int num_keys,
                           size_t* filter_length),
    uint8_t (*key_may_match)(void*, const char* key, size_t length,
                             const char* filter, size_t filter_length),
    const char* (*name)(void*)) {
  return new leveldb_filterpolicy_t{std::make_unique<FunctionPolicy>(
      state, destructor, create_filter, key_may_match, name)};
}
leveldb_filterpolicy_t* leveldb_filterpolicy_create_bloom(int bits_per_key) {
  return new leveldb_filterpolicy_t{
      std::unique_ptr<const leveldb::FilterPolicy>(
          leveldb::NewBloomFilterPolicy(bits_per_key))};
}
void leveldb_filterpolicy_destroy(leveldb_filterpolicy_t* policy) {
  delete policy;
}

leveldb_readoptions_t* leveldb_readoptions_create() {
  return new leveldb_readoptions_t;
}
void leveldb_readoptions_destroy(leveldb_readoptions_t* options) {
  delete options;
}
void leveldb_readoptions_set_verify_checksums(leveldb_readoptions_t* options,
                                              uint8_t v) {
  options->options.verify_checksums = v != 0;
}
void leveldb_readoptions_set_fill_cache(leveldb_readoptions_t* options,
                                        uint8_t v) {
  options->options.fill_cache = v != 0;
}
void leveldb_readoptions_set_snapshot(leveldb_readoptions_t* options,
                                      const leveldb_snapshot_t* snapshot) {
  options->options.snapshot =
      snapshot != nullptr ? snapshot->snapshot : nullptr;
}

leveldb_writeoptions_t* leveldb_writeoptions_create() {
  return new leveldb_writeoptions_t;
}
void leveldb_writeoptions_destroy(leveldb_writeoptions_t* options) {
  delete options;
}
void leveldb_writeoptions_set_sync(leveldb_writeoptions_t* options, uint8_t v) {
  options->options.sync = v != 0;
}

leveldb_cache_t* leveldb_cache_create_lru(size_t capacity) {
  return new leveldb_cache_t{
      std::unique_ptr<leveldb::Cache>(leveldb::NewLRUCache(capacity))};
}
void leveldb_cache_destroy(leveldb_cache_t* cache) { delete cache; }

leveldb_env_t* leveldb_create_default_env() {
  return new leveldb_env_t{leveldb::Env::Default(), true};
}
void leveldb_env_destroy(leveldb_env_t* env) {
  if (!env->is_default) delete env->env;
  delete env;
}
char* leveldb_env_get_test_directory(leveldb_env_t* env) {
  std::string path;
  return env->env->GetTestDirectory(&path).ok() ? Copied(path) : nullptr;
}

void leveldb_free(void* ptr) { std::free(ptr); }
int leveldb_major_version() { return leveldb::kMajorVersion; }
int leveldb_minor_version() { return leveldb::kMinorVersion; }
