/* SPDX-License-Identifier: Apache-2.0 */
/* tamis/c.h -- the library for C, and for every language that can call C.
 *
 * This interface only grows: no function is removed, and none changes.
 *
 *   tamis_policy* policy;
 *   char* message;
 *   if (tamis_policy_create("bloom:10", &policy, &message) != TAMIS_OK) {
 *     fprintf(stderr, "%s\n", message);
 *     tamis_free(message);
 *   }
 *
 * Results.  A function that can fail returns TAMIS_OK or another code, and
 * takes a `message` last, which may be null.  After a failure *message is a
 * sentence for people that says what was wrong, or null if there was no memory
 * for it; otherwise it is null.  Other results are written only if the call
 * succeeds.
 *
 * Memory.  Keys, values and filters are (pointer, length) pairs of any bytes;
 * a length of 0 goes with any pointer.  Names and paths are strings that end
 * with '\0'.  What a function returns through a `char**` belongs to the caller,
 * who passes it to tamis_free().  A `const` pointer that is returned belongs to
 * the object that it came from.
 *
 * Objects.  Each create, open or load is followed by one destroy or close; null
 * is accepted there and does nothing.  The order does not matter: what is still
 * needed by another object lives on inside it.  Objects may be used by any
 * thread, but by one at a time; those that are safe to share say so.
 *
 * No C++ exception leaves a function.  Lack of memory is
 * TAMIS_RESOURCE_EXHAUSTED. */

#ifndef TAMIS_C_H_
#define TAMIS_C_H_

#include <stddef.h>
#include <stdint.h>

/* As in tamis/export.h, which is for C++ alone. */
#define TAMIS_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* The codes that functions return. */
enum {
  TAMIS_OK = 0,
  TAMIS_INVALID_ARGUMENT = 1,   /* the request is not valid */
  TAMIS_CORRUPTION = 2,         /* bytes are not what they should be */
  TAMIS_NOT_SUPPORTED = 3,      /* valid, but this library cannot do it */
  TAMIS_NOT_FOUND = 4,          /* no such file, key or property */
  TAMIS_ALREADY_EXISTS = 5,     /* would overwrite */
  TAMIS_IO_ERROR = 6,           /* the operating system reported an error */
  TAMIS_RESOURCE_EXHAUSTED = 7, /* no memory is left, or no open file */
  TAMIS_PERMISSION_DENIED = 8,  /* access denied, or a read-only file system */
  TAMIS_FILTER_FULL = 9         /* a filter has no space for another key */
};

/* Returns the version of the library, as "0.5.0". */
TAMIS_EXPORT const char* tamis_version(void);
/* Returns "corruption", "i/o error", ...; "unknown" for other numbers. */
TAMIS_EXPORT const char* tamis_code_name(int code);
/* Frees what a function returned through a `char**`.  Null does nothing. */
TAMIS_EXPORT void tamis_free(void* memory);

/* Makes the library take the memory of filters from `allocate`, which returns
 * null if there is none, and give it back to `release`; null: from malloc and
 * from the system, as without this call.  It then requests no huge pages.  What
 * is returned through a `char**`, and small objects, come from malloc all the
 * same.  Call it while there is no other object of the library, from one
 * thread. */
TAMIS_EXPORT void tamis_use_allocator(void* (*allocate)(size_t bytes),
                                      void (*release)(void* memory));

/* ---- Options: settings by name and text.  The function that takes them says
 * which names it knows, and fails with TAMIS_INVALID_ARGUMENT for others; a
 * null `options` is the defaults.  Numbers are decimal, and switches "true" or
 * "false". */

/* Settings that other functions take. */
typedef struct tamis_options tamis_options;
/* Returns an object without settings; null: there is no memory. */
TAMIS_EXPORT tamis_options* tamis_options_create(void);
/* Destroys them; whatever was made with them keeps its own copy. */
TAMIS_EXPORT void tamis_options_destroy(tamis_options* options);
/* Sets the option of that name; a later call for the same name replaces it. */
TAMIS_EXPORT int tamis_options_set(tamis_options* options, const char* name,
                                   const char* value, size_t value_length,
                                   char** message);

/* ---- Policies: a kind of filter with its size. */

/* A kind of filter with its settings.  Safe to share among threads. */
typedef struct tamis_policy tamis_policy;
/* `spec` is a text as "bloom:10", "fpr:0.01", "ribbon:8", "leveldb:10", which
 * docs/policies.md describes. */
TAMIS_EXPORT int tamis_policy_create(const char* spec, tamis_policy** policy,
                                     char** message);
/* Destroys it; builders and filters of it can still be used. */
TAMIS_EXPORT void tamis_policy_destroy(tamis_policy* policy);
/* Returns the name that files store, which stands for the format's bytes. */
TAMIS_EXPORT const char* tamis_policy_name(const tamis_policy* policy);
/* Sets *bytes and *rate, which may be null, to the size and the rate of false
 * positives of a filter over so many distinct keys. */
TAMIS_EXPORT int tamis_policy_predict(const tamis_policy* policy, uint64_t keys,
                                      uint64_t* bytes, double* rate,
                                      char** message);
/* Returns the rate of a filter that was sized for `planned_keys` and has
 * `keys`. */
TAMIS_EXPORT double tamis_policy_rate_at(const tamis_policy* policy,
                                         uint64_t planned_keys, uint64_t keys);

/* ---- Builders: all keys, then one filter. */

/* Collects keys for one filter. */
typedef struct tamis_builder tamis_builder;
/* Options: memory_bytes, temporary_folder, threads, repeats ("as-format",
 * "once" or "neighbours"), exact_keys; see BuildOptions in tamis/filter.h. */
TAMIS_EXPORT int tamis_builder_create(const tamis_policy* policy,
                                      const tamis_options* options,
                                      tamis_builder** builder, char** message);
/* Destroys it. */
TAMIS_EXPORT void tamis_builder_destroy(tamis_builder* builder);
/* Adds a key, which is not kept.  If there is no memory, tamis_builder_finish()
 * says so. */
TAMIS_EXPORT void tamis_builder_add(tamis_builder* builder, const char* key,
                                    size_t length);
/* The same for `count` keys; faster where there are many. */
TAMIS_EXPORT void tamis_builder_add_many(tamis_builder* builder,
                                         const char* const* keys,
                                         const size_t* lengths, size_t count);
/* The same for keys of `width` bytes, of which each starts `stride` bytes after
 * the one before: an array of integers has both equal to their size. */
TAMIS_EXPORT void tamis_builder_add_fixed(tamis_builder* builder,
                                          const void* keys, size_t width,
                                          size_t stride, size_t count);
/* Sets *bytes and *length to the filter.  Call it once. */
TAMIS_EXPORT int tamis_builder_finish(tamis_builder* builder, char** bytes,
                                      size_t* length, char** message);
/* Returns 1 and sets *keys to the number of keys that the finished filter was
 * sized for; 0: unknown. */
TAMIS_EXPORT int tamis_builder_counted_keys(const tamis_builder* builder,
                                            uint64_t* keys);

/* ---- Filters: answers from bytes. */

/* Answers "certainly absent" or "maybe".  Safe to share among threads. */
typedef struct tamis_filter tamis_filter;
/* Opens a filter that a policy of this name made; null: it is recognised by
 * its bytes, and TAMIS_INVALID_ARGUMENT says that they may be of several
 * formats.  The bytes are copied to where queries are fastest.
 * TAMIS_CORRUPTION: damaged; read then as if there were no filter. */
TAMIS_EXPORT int tamis_filter_open(const tamis_policy* policy,
                                   const char* bytes, size_t length,
                                   tamis_filter** filter, char** message);
/* The same without a copy.  `bytes` must outlive the filter, unchanged. */
TAMIS_EXPORT int tamis_filter_open_in_place(const tamis_policy* policy,
                                            const char* bytes, size_t length,
                                            tamis_filter** filter,
                                            char** message);
/* Opens a filter in a file.  Options: format (as for tamis_policy_create();
 * otherwise it is recognised), access ("map", the default, or "load"). */
TAMIS_EXPORT int tamis_filter_open_file(const char* path,
                                        const tamis_options* options,
                                        tamis_filter** filter, char** message);
/* Destroys it, but not what tamis_mutable_filter() returned. */
TAMIS_EXPORT void tamis_filter_destroy(tamis_filter* filter);
/* Returns 0 only if the key was certainly never added.  A null filter answers
 * 1, as if there were none. */
TAMIS_EXPORT int tamis_filter_may_contain(const tamis_filter* filter,
                                          const char* key, size_t length);
/* Sets answers[i] to the answer for keys[i], with the memory accesses of many
 * overlapped. */
TAMIS_EXPORT void tamis_filter_may_contain_many(const tamis_filter* filter,
                                                const char* const* keys,
                                                const size_t* lengths,
                                                size_t count,
                                                unsigned char* answers);
/* The same for keys as in tamis_builder_add_fixed(). */
TAMIS_EXPORT void tamis_filter_may_contain_fixed(const tamis_filter* filter,
                                                 const void* keys, size_t width,
                                                 size_t stride, size_t count,
                                                 unsigned char* answers);
/* Returns 0 only if certainly no added key is at or after `low` and at or
 * before `high`; 1 for kinds that do not know ranges. */
TAMIS_EXPORT int tamis_filter_may_contain_range(const tamis_filter* filter,
                                                const char* low,
                                                size_t low_length,
                                                const char* high,
                                                size_t high_length);
/* Sets *json and *length to a description: a JSON object with the members of
 * FilterInfo (tamis/filter.h), followed by '\0'.  Reads the whole filter. */
TAMIS_EXPORT int tamis_filter_describe(const tamis_filter* filter, char** json,
                                       size_t* length, char** message);
/* Returns the filter's bytes and sets *length; null and 0 for one of
 * tamis_mutable_filter(). */
TAMIS_EXPORT const char* tamis_filter_bytes(const tamis_filter* filter,
                                            size_t* length);
/* TAMIS_IO_ERROR: a page of a mapped file was lost or has changed since it was
 * opened; see FilterFile in tamis/filter_file.h.  TAMIS_OK otherwise. */
TAMIS_EXPORT int tamis_filter_status(const tamis_filter* filter,
                                     char** message);
/* Writes a filter to a file: after a crash it is complete, or as before.
 * TAMIS_ALREADY_EXISTS: there is one, and `replace` is 0. */
TAMIS_EXPORT int tamis_filter_write_file(const char* path, const char* bytes,
                                         size_t length, int replace,
                                         char** message);

/* ---- Combining and folding, without the keys. */

/* Sets *bytes and *length to a filter of the keys that are in any of `count`
 * filters of equal parameters, or, if `intersect` is not 0, in all of them. */
TAMIS_EXPORT int tamis_combine(const tamis_policy* policy,
                               const char* const* filters,
                               const size_t* lengths, size_t count,
                               int intersect, char** bytes, size_t* length,
                               char** message);
/* Sets *bytes and *length to the filter at 1/divisor of its size. */
TAMIS_EXPORT int tamis_fold(const char* filter, size_t filter_length,
                            uint64_t divisor, char** bytes, size_t* length,
                            char** message);
/* Sets *rate to the rate that tamis_fold() would leave. */
TAMIS_EXPORT int tamis_fold_rate(const char* filter, size_t filter_length,
                                 uint64_t divisor, double* rate,
                                 char** message);

/* ---- Mutable filters: keys are inserted, and erased or expire. */

/* A filter in memory that takes keys one by one.  Queries may run at once with
 * each other, but with nothing else unless it was made "concurrent". */
typedef struct tamis_mutable tamis_mutable;
/* Makes an empty filter for `planned_keys`.  Options: concurrent ("true": every
 * call may come from any thread at any time), check_erasures ("true": erasing
 * an absent key is always noticed, for about 20 bytes per key). */
TAMIS_EXPORT int tamis_mutable_create(const char* spec, uint64_t planned_keys,
                                      const tamis_options* options,
                                      tamis_mutable** filter, char** message);
/* Continues with a filter that tamis_mutable_save() returned; a builder's does,
 * too, if its kind can grow. */
TAMIS_EXPORT int tamis_mutable_load(const char* bytes, size_t length,
                                    tamis_mutable** filter, char** message);
/* Destroys it, and with it what tamis_mutable_filter() returned. */
TAMIS_EXPORT void tamis_mutable_destroy(tamis_mutable* filter);
/* Inserts a key.  TAMIS_FILTER_FULL: it does not fit, and nothing changed. */
TAMIS_EXPORT int tamis_mutable_insert(tamis_mutable* filter, const char* key,
                                      size_t length, char** message);
/* Inserts keys in order, up to the first that fails. */
TAMIS_EXPORT int tamis_mutable_insert_many(tamis_mutable* filter,
                                           const char* const* keys,
                                           const size_t* lengths, size_t count,
                                           char** message);
/* The same for keys as in tamis_builder_add_fixed(). */
TAMIS_EXPORT int tamis_mutable_insert_fixed(tamis_mutable* filter,
                                            const void* keys, size_t width,
                                            size_t stride, size_t count,
                                            char** message);
/* Inserts, in order, those keys that are certainly absent, and sets new_keys[i]
 * to 1 for them and to 0 for the others; of a rotating filter it inserts these,
 * too, which renews them.  Sets *done, on failure too, to the number of keys up
 * to the first that failed. */
TAMIS_EXPORT int tamis_mutable_insert_new(tamis_mutable* filter,
                                          const char* const* keys,
                                          const size_t* lengths, size_t count,
                                          unsigned char* new_keys, size_t* done,
                                          char** message);
/* Undoes one insertion of a key that was inserted and not yet erased; erasing
 * another one may hide a key.  TAMIS_NOT_FOUND: it is certainly absent.
 * TAMIS_NOT_SUPPORTED: keys of this kind cannot be erased. */
TAMIS_EXPORT int tamis_mutable_erase(tamis_mutable* filter, const char* key,
                                     size_t length, char** message);
/* Returns how many insertions of the key are in the filter: at least those that
 * were not undone, and more if other keys look like it.  Only the kind cuckoo
 * counts; others return 0 or 1. */
TAMIS_EXPORT uint64_t tamis_mutable_count(const tamis_mutable* filter,
                                          const char* key, size_t length);
/* Starts a new generation and drops the oldest.  TAMIS_NOT_SUPPORTED: not a
 * rotating filter. */
TAMIS_EXPORT int tamis_mutable_rotate(tamis_mutable* filter, char** message);
/* How many rotations there were, and how many keys are counted in the
 * generation of that age, of which 0 is the newest; 0 of other kinds. */
TAMIS_EXPORT uint64_t tamis_mutable_rotations(const tamis_mutable* filter);
TAMIS_EXPORT uint64_t tamis_mutable_generation_keys(const tamis_mutable* filter,
                                                    unsigned age);
/* Returns 0 only if the key is certainly not in the newest generation; of other
 * kinds, not in the filter. */
TAMIS_EXPORT int tamis_mutable_newest_may_contain(const tamis_mutable* filter,
                                                  const char* key,
                                                  size_t length);
/* Returns the filter for queries.  It belongs to `filter`. */
TAMIS_EXPORT const tamis_filter* tamis_mutable_filter(
    const tamis_mutable* filter);
/* Sets *bytes and *length to the filter as it is now. */
TAMIS_EXPORT int tamis_mutable_save(const tamis_mutable* filter, char** bytes,
                                    size_t* length, char** message);

/* Writes to `piece` the bytes from `offset` on of what tamis_mutable_save()
 * would return, as many as fit into `capacity`; sets *length to their number,
 * and *total to that of all.  Every kind but scalable copies no more than that.
 * If the filter changes between two pieces, tamis_mutable_load() reports damage
 * when they are put together. */
TAMIS_EXPORT int tamis_mutable_save_piece(const tamis_mutable* filter,
                                          uint64_t offset, char* piece,
                                          size_t capacity, size_t* length,
                                          uint64_t* total, char** message);

/* ---- Stores: an LSM tree in LevelDB's on-disk format. */

/* An open store.  Safe to share among threads. */
typedef struct tamis_store tamis_store;
/* How to read from a store.  Safe to share among threads. */
typedef struct tamis_read tamis_read;
/* The state of a store at one moment.  Safe to share among threads. */
typedef struct tamis_snapshot tamis_snapshot;
/* Changes that are applied together or not at all. */
typedef struct tamis_batch tamis_batch;
/* Iterates over the entries of a store in order. */
typedef struct tamis_iterator tamis_iterator;

/* Opens a store.  Options: the members of StoreOptions (tamis/store_options.h)
 * by their names, but comparator, env and filter_policy.  filter_per_level is
 * a list with ';' between its items; enumerations are "none", "snappy", "zstd";
 * "on", "off", "always-maybe"; "when-first-asked", "at-opening",
 * "in-background"; "random-per-store", "fixed". */
TAMIS_EXPORT int tamis_store_open(const char* directory,
                                  const tamis_options* options,
                                  tamis_store** store, char** message);
/* Closes it; but while snapshots or iterators of it exist, it stays open. */
TAMIS_EXPORT void tamis_store_close(tamis_store* store);
/* Writes an entry.  `sync` that is not 0: it survives power loss. */
TAMIS_EXPORT int tamis_store_put(tamis_store* store, const char* key,
                                 size_t key_length, const char* value,
                                 size_t value_length, int sync, char** message);
/* Removes a key, which need not be there. */
TAMIS_EXPORT int tamis_store_delete(tamis_store* store, const char* key,
                                    size_t key_length, int sync,
                                    char** message);
/* Applies all changes of a batch, which stays as it is. */
TAMIS_EXPORT int tamis_store_write(tamis_store* store, const tamis_batch* batch,
                                   int sync, char** message);
/* Sets *value and *value_length.  TAMIS_NOT_FOUND: no such key.  A null `read`
 * reads the current state. */
TAMIS_EXPORT int tamis_store_get(tamis_store* store, const tamis_read* read,
                                 const char* key, size_t key_length,
                                 char** value, size_t* value_length,
                                 char** message);
/* Sets values[i], value_lengths[i] and codes[i] to what tamis_store_get()
 * returns for keys[i], all of the same moment; a value is null unless its code
 * is TAMIS_OK.  Returns the first code that is neither TAMIS_OK nor
 * TAMIS_NOT_FOUND, with its message. */
TAMIS_EXPORT int tamis_store_multi_get(tamis_store* store,
                                       const tamis_read* read,
                                       const char* const* keys,
                                       const size_t* key_lengths, size_t count,
                                       char** values, size_t* value_lengths,
                                       int* codes, char** message);
/* Writes the memtable to a table, and waits until that is done. */
TAMIS_EXPORT int tamis_store_flush(tamis_store* store, char** message);
/* Merges the tables of the keys from `start` to `end`, the latter not included;
 * null: from the first, to the last. */
TAMIS_EXPORT int tamis_store_compact(tamis_store* store, const char* start,
                                     size_t start_length, const char* end,
                                     size_t end_length, char** message);
/* Waits until no background work is left. */
TAMIS_EXPORT int tamis_store_wait_for_quiet(tamis_store* store, char** message);
/* Limits the memory that filters may take; UINT64_MAX: no limit. */
TAMIS_EXPORT int tamis_store_set_filter_memory(tamis_store* store,
                                               uint64_t bytes, char** message);
/* Sets *value and *length to a property as "tamis.json", "leveldb.stats",
 * followed by '\0'.  TAMIS_NOT_FOUND: no such property. */
TAMIS_EXPORT int tamis_store_property(tamis_store* store, const char* name,
                                      char** value, size_t* length,
                                      char** message);
/* Sets sizes[i] to the approximate bytes of the tables of the keys from
 * starts[i] to ends[i], the latter not included. */
TAMIS_EXPORT int tamis_store_sizes(tamis_store* store,
                                   const char* const* starts,
                                   const size_t* start_lengths,
                                   const char* const* ends,
                                   const size_t* end_lengths, size_t count,
                                   uint64_t* sizes, char** message);

/* Keeps the current state of the store for reads. */
TAMIS_EXPORT int tamis_snapshot_create(tamis_store* store,
                                       tamis_snapshot** snapshot,
                                       char** message);
/* Destroys it. */
TAMIS_EXPORT void tamis_snapshot_destroy(tamis_snapshot* snapshot);

/* Prepares how to read: `snapshot` may be null.  Options: verify_checksums,
 * expect_hit, and for iterators lower_bound, upper_bound and prefix, whose
 * values are keys; see ReadOptions in tamis/store_options.h. */
TAMIS_EXPORT int tamis_read_create(const tamis_options* options,
                                   const tamis_snapshot* snapshot,
                                   tamis_read** read, char** message);
/* Destroys it; iterators that were made with it can still be used. */
TAMIS_EXPORT void tamis_read_destroy(tamis_read* read);

/* Returns an empty batch; null: there is no memory. */
TAMIS_EXPORT tamis_batch* tamis_batch_create(void);
/* Destroys it. */
TAMIS_EXPORT void tamis_batch_destroy(tamis_batch* batch);
/* Adds a change that writes an entry; both are copied. */
TAMIS_EXPORT int tamis_batch_put(tamis_batch* batch, const char* key,
                                 size_t key_length, const char* value,
                                 size_t value_length, char** message);
/* Adds a change that removes a key. */
TAMIS_EXPORT int tamis_batch_delete(tamis_batch* batch, const char* key,
                                    size_t key_length, char** message);
/* Removes all changes from the batch. */
TAMIS_EXPORT void tamis_batch_clear(tamis_batch* batch);
/* Returns the number of changes. */
TAMIS_EXPORT size_t tamis_batch_count(const tamis_batch* batch);

/* Makes an iterator, which is at no entry.  A null `read` sees the current
 * state, whatever is written later. */
TAMIS_EXPORT int tamis_iterator_create(tamis_store* store,
                                       const tamis_read* read,
                                       tamis_iterator** iterator,
                                       char** message);
/* Destroys it. */
TAMIS_EXPORT void tamis_iterator_destroy(tamis_iterator* iterator);
/* Returns 1 if it is at an entry.  When it no longer is, ask for its status. */
TAMIS_EXPORT int tamis_iterator_valid(const tamis_iterator* iterator);
/* Moves to the first entry. */
TAMIS_EXPORT void tamis_iterator_seek_to_first(tamis_iterator* iterator);
/* Moves to the last entry. */
TAMIS_EXPORT void tamis_iterator_seek_to_last(tamis_iterator* iterator);
/* Moves to the first entry at or after the key. */
TAMIS_EXPORT void tamis_iterator_seek(tamis_iterator* iterator, const char* key,
                                      size_t length);
/* Moves to the last entry at or before the key. */
TAMIS_EXPORT void tamis_iterator_seek_for_prev(tamis_iterator* iterator,
                                               const char* key, size_t length);
/* Moves to the next entry; at none, it stays there. */
TAMIS_EXPORT void tamis_iterator_next(tamis_iterator* iterator);
/* Moves to the entry before; at none, it stays there. */
TAMIS_EXPORT void tamis_iterator_prev(tamis_iterator* iterator);
/* Returns the key of the entry, until the iterator moves; null: at none. */
TAMIS_EXPORT const char* tamis_iterator_key(const tamis_iterator* iterator,
                                            size_t* length);
/* Returns its value likewise. */
TAMIS_EXPORT const char* tamis_iterator_value(const tamis_iterator* iterator,
                                              size_t* length);
/* Not TAMIS_OK: a file could not be read, so there may be more entries. */
TAMIS_EXPORT int tamis_iterator_status(const tamis_iterator* iterator,
                                       char** message);

/* ---- Directories of stores that are not open.  Options as for
 * tamis_store_open(). */

/* Makes a store that opens from what can still be read; `dry_run` that is not
 * 0 changes nothing.  Sets *report and *length to a JSON object with the
 * members of RepairReport (tamis/store.h), followed by '\0'. */
TAMIS_EXPORT int tamis_repair_store(const char* directory,
                                    const tamis_options* options, int dry_run,
                                    char** report, size_t* length,
                                    char** message);
/* Reads everything and verifies it; changes nothing.  Sets *report and *length
 * to a JSON object with the members of CheckReport, followed by '\0': all is
 * well if "problems" is empty. */
TAMIS_EXPORT int tamis_check_store(const char* directory,
                                   const tamis_options* options, char** report,
                                   size_t* length, char** message);
/* Removes a store's files, and the directory if nothing else is in it. */
TAMIS_EXPORT int tamis_destroy_store(const char* directory,
                                     const tamis_options* options,
                                     char** message);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TAMIS_C_H_ */
