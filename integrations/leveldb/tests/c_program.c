/* SPDX-License-Identifier: Apache-2.0 */
/* c_program DIR -- all of LevelDB's interface for C; prints what it gets. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <leveldb/c.h>

static char* error = NULL;

/* Prints the error, if there is one, without the directory. */
static void say(const char* what) {
  const char* text = error == NULL ? "ok" : strrchr(error, '/');
  if (text == NULL) text = error;
  printf("%s: %s\n", what, text);
  leveldb_free(error);
  error = NULL;
}

static int compare(void* state, const char* a, size_t alen, const char* b,
                   size_t blen) {
  size_t shorter = alen < blen ? alen : blen;
  int order = memcmp(b, a, shorter);
  (void)state;
  return order != 0 ? order : alen < blen ? 1 : alen > blen ? -1 : 0;
}

static void destroy(void* state) { printf("destroy %s\n", (char*)state); }
static const char* name(void* state) { return (const char*)state; }

static int asked = 0;

static char* create_filter(void* state, const char* const* keys,
                           const size_t* lengths, int count, size_t* length) {
  char* filter = malloc(256);
  int i;
  (void)state;
  memset(filter, 0, 256);
  for (i = 0; i < count; ++i) {
    filter[lengths[i] == 0 ? 0 : (unsigned char)keys[i][lengths[i] - 1]] = 1;
  }
  *length = 256;
  return filter;
}

static uint8_t may_match(void* state, const char* key, size_t length,
                         const char* filter, size_t filter_length) {
  (void)state;
  ++asked;
  if (filter_length != 256) return 1;
  return (uint8_t)filter[length == 0 ? 0 : (unsigned char)key[length - 1]];
}

static void print_put(void* state, const char* k, size_t klen, const char* v,
                      size_t vlen) {
  printf("%s put %.*s %.*s\n", (char*)state, (int)klen, k, (int)vlen, v);
}

static void print_delete(void* state, const char* k, size_t klen) {
  printf("%s delete %.*s\n", (char*)state, (int)klen, k);
}

static void get(leveldb_t* db, leveldb_readoptions_t* reading,
                const char* key) {
  size_t length = 77;
  char* value = leveldb_get(db, reading, key, strlen(key), &length, &error);
  printf("%s = %.*s (%d) ", key, (int)length, value == NULL ? "" : value,
         (int)length);
  say("get");
  leveldb_free(value);
}

static void print_entry(leveldb_iterator_t* entries) {
  size_t klen = 0, vlen = 0;
  const char *key, *value;
  if (!leveldb_iter_valid(entries)) {
    printf("no entry\n");
    return;
  }
  key = leveldb_iter_key(entries, &klen);
  value = leveldb_iter_value(entries, &vlen);
  printf("at %.*s %.*s\n", (int)klen, key, (int)vlen, value);
}

static void walk(leveldb_t* db, leveldb_readoptions_t* reading) {
  leveldb_iterator_t* entries = leveldb_create_iterator(db, reading);
  print_entry(entries);
  for (leveldb_iter_seek_to_first(entries); leveldb_iter_valid(entries);
       leveldb_iter_next(entries)) {
    print_entry(entries);
  }
  leveldb_iter_seek_to_last(entries);
  leveldb_iter_prev(entries);
  print_entry(entries);
  leveldb_iter_seek(entries, "b", 1);
  print_entry(entries);
  leveldb_iter_get_error(entries, &error);
  say("walked");
  leveldb_iter_destroy(entries);
}

static void batches(leveldb_t* db, leveldb_writeoptions_t* writing) {
  leveldb_writebatch_t* batch = leveldb_writebatch_create();
  leveldb_writebatch_t* other = leveldb_writebatch_create();
  leveldb_writebatch_put(batch, "x", 1, "lost", 4);
  leveldb_writebatch_clear(batch);
  leveldb_writebatch_put(batch, "b", 1, "batch", 5);
  leveldb_writebatch_delete(batch, "a", 1);
  leveldb_writebatch_put(other, "d", 1, "", 0);
  leveldb_writebatch_append(batch, other);
  leveldb_writebatch_iterate(batch, "in", print_put, print_delete);
  leveldb_write(db, writing, batch, &error);
  say("write");
  leveldb_writebatch_destroy(batch);
  leveldb_writebatch_destroy(other);
}

static void properties(leveldb_t* db) {
  const char* starts[1] = {"a"};
  const char* limits[1] = {"z"};
  size_t lengths[1] = {1};
  uint64_t sizes[1] = {99};
  char* text = leveldb_property_value(db, "leveldb.num-files-at-level6");
  printf("files %s\n", text);
  leveldb_free(text);
  printf("none %d\n", leveldb_property_value(db, "none") == NULL);
  leveldb_approximate_sizes(db, 1, starts, lengths, limits, lengths, sizes);
  printf("size %d\n", sizes[0] < 99);
}

static void use(leveldb_t* db) {
  leveldb_writeoptions_t* writing = leveldb_writeoptions_create();
  leveldb_readoptions_t* reading = leveldb_readoptions_create();
  const leveldb_snapshot_t* snapshot;
  leveldb_writeoptions_set_sync(writing, 1);
  leveldb_readoptions_set_verify_checksums(reading, 1);
  leveldb_readoptions_set_fill_cache(reading, 0);
  leveldb_put(db, writing, "a", 1, "one", 3, &error);
  say("put");
  leveldb_put(db, writing, "c", 1, "three", 5, &error);
  say("put");
  get(db, reading, "a");
  snapshot = leveldb_create_snapshot(db);
  leveldb_delete(db, writing, "c", 1, &error);
  say("delete");
  batches(db, writing);
  get(db, reading, "a");
  walk(db, reading);
  leveldb_readoptions_set_snapshot(reading, snapshot);
  get(db, reading, "c");
  walk(db, reading);
  leveldb_readoptions_set_snapshot(reading, NULL);
  leveldb_release_snapshot(db, snapshot);
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  leveldb_compact_range(db, "a", 1, "b", 1);
  get(db, reading, "b");
  get(db, reading, "xz");
  properties(db);
  leveldb_writeoptions_destroy(writing);
  leveldb_readoptions_destroy(reading);
}

static leveldb_options_t* options_of(leveldb_env_t* env,
                                     leveldb_cache_t* cache) {
  leveldb_options_t* options = leveldb_options_create();
  leveldb_options_set_env(options, env);
  leveldb_options_set_cache(options, cache);
  leveldb_options_set_info_log(options, NULL);
  leveldb_options_set_write_buffer_size(options, 100000);
  leveldb_options_set_paranoid_checks(options, 1);
  leveldb_options_set_max_open_files(options, 100);
  leveldb_options_set_block_size(options, 1024);
  leveldb_options_set_block_restart_interval(options, 8);
  leveldb_options_set_max_file_size(options, 3 << 20);
  leveldb_options_set_compression(options, leveldb_no_compression);
  return options;
}

static void run(leveldb_options_t* options, const char* dir) {
  leveldb_t* db;
  leveldb_options_set_create_if_missing(options, 0);
  db = leveldb_open(options, dir, &error);
  printf("%d ", db == NULL);
  say("missing");
  leveldb_options_set_create_if_missing(options, 1);
  db = leveldb_open(options, dir, &error);
  say("open");
  use(db);
  leveldb_close(db);
  leveldb_options_set_error_if_exists(options, 1);
  db = leveldb_open(options, dir, &error);
  say("exists");
  leveldb_options_set_error_if_exists(options, 0);
  leveldb_repair_db(options, dir, &error);
  say("repair");
  leveldb_destroy_db(options, dir, &error);
  say("destroy");
  /* A message that is there already is replaced. */
  error = malloc(4);
  memcpy(error, "old", 4);
  leveldb_options_set_create_if_missing(options, 0);
  db = leveldb_open(options, dir, &error);
  say("gone");
}

int main(int argc, char** argv) {
  leveldb_env_t* env = leveldb_create_default_env();
  leveldb_cache_t* cache = leveldb_cache_create_lru(100000);
  leveldb_options_t* options = options_of(env, cache);
  leveldb_comparator_t* order =
      leveldb_comparator_create("test.reverse", destroy, compare, name);
  leveldb_filterpolicy_t* bloom = leveldb_filterpolicy_create_bloom(10);
  leveldb_filterpolicy_t* own = leveldb_filterpolicy_create(
      "test.own", destroy, create_filter, may_match, name);
  char* test_directory;
  if (argc != 2) return 2;
  printf("%d.%d\n", leveldb_major_version(), leveldb_minor_version());
  leveldb_options_set_filter_policy(options, bloom);
  run(options, argv[1]);
  leveldb_options_set_comparator(options, order);
  leveldb_options_set_filter_policy(options, own);
  run(options, argv[1]);
  printf("asked %d\n", asked > 0);
  test_directory = leveldb_env_get_test_directory(env);
  printf("test directory %d\n", test_directory != NULL);
  leveldb_free(test_directory);
  leveldb_options_destroy(options);
  leveldb_filterpolicy_destroy(own);
  leveldb_filterpolicy_destroy(bloom);
  leveldb_comparator_destroy(order);
  leveldb_cache_destroy(cache);
  leveldb_env_destroy(env);
  return 0;
}
