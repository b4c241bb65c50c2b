/* SPDX-License-Identifier: Apache-2.0 */
/* store.c -- stores, batches, snapshots, iterators and directories. */
#include "check.h"

enum { kEntries = 2000 };

static void put(tamis_store* store, const char* key, const char* value) {
  char* message;
  CHECK(tamis_store_put(store, key, strlen(key), value, strlen(value), 0,
                        &message) == TAMIS_OK);
}

/* Whether the key has that value; null: it must be missing. */
static int has(tamis_store* store, const tamis_read* read, const char* key,
               const char* wanted) {
  char *value = NULL, *message;
  size_t length = 0;
  int code =
      tamis_store_get(store, read, key, strlen(key), &value, &length, &message);
  if (wanted == NULL) {
    tamis_free(message);
    return code == TAMIS_NOT_FOUND && value == NULL;
  }
  code = code == TAMIS_OK && is(value, length, wanted);
  tamis_free(value);
  return code;
}

static tamis_store* open_store(const char* path, int create) {
  tamis_options* options = tamis_options_create();
  tamis_store* store = NULL;
  char* message;
  set(options, "create_if_missing", create ? "true" : "false");
  set(options, "filter_per_level", "bloom:14;bloom:10;ribbon:8");
  set(options, "filter_loading", "at-opening");
  set(options, "compression", "none");
  CHECK(tamis_store_open(path, options, &store, &message) == TAMIS_OK);
  tamis_options_destroy(options);
  return store;
}

static void check_opening(const char* path) {
  tamis_options* options = tamis_options_create();
  tamis_store* store = NULL;
  char* message;
  CHECK(tamis_store_open(path, NULL, &store, &message) == TAMIS_NOT_FOUND);
  CHECK(says(message, path));
  set(options, "comparator", "reverse");
  CHECK(tamis_store_open(path, options, &store, &message) ==
        TAMIS_INVALID_ARGUMENT);
  CHECK(says(message, "unknown option 'comparator'; there are: "));
  tamis_options_destroy(options);
  options = tamis_options_create();
  set(options, "compression", "lzma");
  CHECK(tamis_store_open(path, options, &store, &message) ==
        TAMIS_INVALID_ARGUMENT);
  CHECK(says(message, "lzma"));
  tamis_options_destroy(options);
  CHECK(store == NULL);
}

static void fill(tamis_store* store) {
  tamis_batch* batch = tamis_batch_create();
  char* message;
  int i;
  for (i = 0; i < kEntries; ++i) {
    char key[16];
    sprintf(key, "key%06d", i);
    CHECK(tamis_batch_put(batch, key, strlen(key), key + 3, 6, &message) ==
          TAMIS_OK);
  }
  CHECK(tamis_batch_delete(batch, "key000007", 9, &message) == TAMIS_OK);
  CHECK(tamis_batch_count(batch) == kEntries + 1);
  CHECK(tamis_store_write(store, batch, 1, &message) == TAMIS_OK);
  tamis_batch_clear(batch);
  CHECK(tamis_batch_count(batch) == 0);
  tamis_batch_destroy(batch);
  tamis_batch_destroy(NULL);
}

static void check_reading(tamis_store* store) {
  const char* keys[3] = {"key000001", "key000007", "key001999"};
  const size_t lengths[3] = {9, 9, 9};
  char* values[3];
  size_t value_lengths[3];
  int codes[3];
  char* message;
  CHECK(has(store, NULL, "key000042", "000042"));
  CHECK(has(store, NULL, "key000007", NULL));
  CHECK(has(store, NULL, "", NULL));
  CHECK(tamis_store_multi_get(store, NULL, keys, lengths, 3, values,
                              value_lengths, codes, &message) == TAMIS_OK);
  CHECK(codes[0] == TAMIS_OK && is(values[0], value_lengths[0], "000001"));
  CHECK(codes[1] == TAMIS_NOT_FOUND && values[1] == NULL);
  CHECK(codes[2] == TAMIS_OK && is(values[2], value_lengths[2], "001999"));
  tamis_free(values[0]);
  tamis_free(values[2]);
}

static void check_snapshot(tamis_store* store) {
  tamis_snapshot* snapshot = NULL;
  tamis_read* read = NULL;
  tamis_options* options = tamis_options_create();
  char* message;
  CHECK(tamis_snapshot_create(store, &snapshot, &message) == TAMIS_OK);
  put(store, "key000042", "other");
  CHECK(tamis_store_delete(store, "key000043", 9, 0, &message) == TAMIS_OK);
  set(options, "verify_checksums", "true");
  CHECK(tamis_read_create(options, snapshot, &read, &message) == TAMIS_OK);
  tamis_options_destroy(options);
  tamis_snapshot_destroy(snapshot); /* `read` still has it */
  tamis_snapshot_destroy(NULL);
  CHECK(has(store, read, "key000042", "000042"));
  CHECK(has(store, read, "key000043", "000043"));
  CHECK(has(store, NULL, "key000042", "other"));
  CHECK(has(store, NULL, "key000043", NULL));
  tamis_read_destroy(read);
  put(store, "key000042", "000042");
  put(store, "key000043", "000043");
}

static int at(const tamis_iterator* iterator, const char* key,
              const char* value) {
  size_t key_length, value_length;
  const char* k = tamis_iterator_key(iterator, &key_length);
  const char* v = tamis_iterator_value(iterator, &value_length);
  if (key == NULL) {
    return tamis_iterator_valid(iterator) == 0 && k == NULL && v == NULL &&
           tamis_iterator_status(iterator, NULL) == TAMIS_OK;
  }
  return tamis_iterator_valid(iterator) == 1 && is(k, key_length, key) &&
         is(v, value_length, value);
}

static void check_iterators(tamis_store* store) {
  tamis_iterator* iterator = NULL;
  tamis_read* read = NULL;
  tamis_options* options = tamis_options_create();
  char* message;
  CHECK(tamis_iterator_create(store, NULL, &iterator, &message) == TAMIS_OK);
  CHECK(at(iterator, NULL, NULL));
  tamis_iterator_next(iterator); /* at no entry: it stays there */
  CHECK(at(iterator, NULL, NULL));
  tamis_iterator_seek_to_first(iterator);
  CHECK(at(iterator, "key000000", "000000"));
  tamis_iterator_seek(iterator, "key000006x", 10);
  CHECK(at(iterator, "key000008", "000008"));
  tamis_iterator_prev(iterator);
  CHECK(at(iterator, "key000006", "000006"));
  tamis_iterator_next(iterator);
  CHECK(at(iterator, "key000008", "000008"));
  tamis_iterator_seek_for_prev(iterator, "key000007", 9);
  CHECK(at(iterator, "key000006", "000006"));
  tamis_iterator_seek_to_last(iterator);
  CHECK(at(iterator, "key001999", "001999"));
  tamis_iterator_next(iterator);
  CHECK(at(iterator, NULL, NULL));
  tamis_iterator_destroy(iterator);
  tamis_iterator_destroy(NULL);

  set(options, "lower_bound", "key000010");
  set(options, "upper_bound", "key000012");
  CHECK(tamis_read_create(options, NULL, &read, &message) == TAMIS_OK);
  CHECK(tamis_iterator_create(store, read, &iterator, &message) == TAMIS_OK);
  tamis_read_destroy(read);
  tamis_read_destroy(NULL);
  tamis_iterator_seek_to_first(iterator);
  CHECK(at(iterator, "key000010", "000010"));
  tamis_iterator_seek_to_last(iterator);
  CHECK(at(iterator, "key000011", "000011"));
  tamis_iterator_destroy(iterator);
  tamis_options_destroy(options);

  options = tamis_options_create();
  set(options, "prefix", "key00001");
  CHECK(tamis_read_create(options, NULL, &read, &message) == TAMIS_OK);
  CHECK(tamis_iterator_create(store, read, &iterator, &message) == TAMIS_OK);
  tamis_iterator_seek_to_last(iterator);
  CHECK(at(iterator, "key000019", "000019"));
  tamis_iterator_destroy(iterator);
  tamis_read_destroy(read);
  tamis_options_destroy(options);
}

static void check_maintenance(tamis_store* store) {
  const char* starts[2] = {"key000000", "x"};
  const char* ends[2] = {"key001000", NULL};
  const size_t lengths[2] = {9, 1};
  uint64_t sizes[2] = {7, 7};
  char *value, *message;
  size_t length;
  CHECK(tamis_store_flush(store, &message) == TAMIS_OK);
  CHECK(tamis_store_compact(store, NULL, 0, "key001000", 9, &message) ==
        TAMIS_OK);
  CHECK(tamis_store_wait_for_quiet(store, &message) == TAMIS_OK);
  CHECK(tamis_store_sizes(store, starts, lengths, ends, lengths, 2, sizes,
                          &message) == TAMIS_OK);
  CHECK(sizes[0] > 0 && sizes[1] == 0);
  CHECK(tamis_store_set_filter_memory(store, 0, &message) == TAMIS_OK);
  CHECK(tamis_store_property(store, "tamis.json", &value, &length, &message) ==
        TAMIS_OK);
  CHECK(strlen(value) == length);
  CHECK(strstr(value, "\"filter_memory_limit\":0") != NULL);
  tamis_free(value);
  CHECK(tamis_store_set_filter_memory(store, UINT64_MAX, &message) == TAMIS_OK);
  CHECK(tamis_store_property(store, "no.such", &value, &length, &message) ==
        TAMIS_NOT_FOUND);
  tamis_free(message);
}

static void check_directory(const char* path) {
  char *report, *message;
  size_t length;
  CHECK(tamis_check_store(path, NULL, &report, &length, &message) == TAMIS_OK);
  CHECK(strlen(report) == length);
  CHECK(strstr(report, "\"problems\":[]") != NULL);
  tamis_free(report);
  CHECK(tamis_repair_store(path, NULL, 1, &report, &length, &message) ==
        TAMIS_OK);
  CHECK(strstr(report, "\"was_clean\":true") != NULL);
  tamis_free(report);
  CHECK(tamis_destroy_store(path, NULL, &message) == TAMIS_OK);
  CHECK(tamis_destroy_store(path, NULL, &message) == TAMIS_NOT_FOUND);
  tamis_free(message);
}

void check_store(const char* directory) {
  char path[512];
  tamis_store *store, *second = NULL;
  tamis_iterator* iterator = NULL;
  char* message;
  sprintf(path, "%s/store", directory);
  check_opening(path);
  store = open_store(path, 1);
  CHECK(tamis_store_open(path, NULL, &second, &message) == TAMIS_IO_ERROR);
  tamis_free(message);
  fill(store);
  check_reading(store);
  check_snapshot(store);
  check_maintenance(store);
  check_reading(store);
  check_iterators(store);
  tamis_store_close(store);
  tamis_store_close(NULL);

  /* An iterator keeps its store open. */
  store = open_store(path, 0);
  CHECK(tamis_iterator_create(store, NULL, &iterator, &message) == TAMIS_OK);
  tamis_store_close(store);
  tamis_iterator_seek_to_first(iterator);
  CHECK(at(iterator, "key000000", "000000"));
  tamis_iterator_destroy(iterator);
  check_directory(path);
}
