/* SPDX-License-Identifier: Apache-2.0 */
/* filters.c -- policies, builders, filters and mutable filters. */
#include "check.h"

enum { kKeys = 10000 };

static tamis_policy* policy_of(const char* spec) {
  tamis_policy* policy = NULL;
  char* message;
  CHECK(tamis_policy_create(spec, &policy, &message) == TAMIS_OK);
  CHECK(message == NULL && policy != NULL);
  return policy;
}

static void check_policies(void) {
  tamis_policy* policy = NULL;
  char* message;
  uint64_t bytes = 0;
  double rate = 0;
  CHECK(tamis_policy_create("blomm:10", &policy, &message) ==
        TAMIS_INVALID_ARGUMENT);
  CHECK(says(message, "blomm"));
  CHECK(tamis_policy_create("blomm:10", &policy, NULL) ==
        TAMIS_INVALID_ARGUMENT);
  CHECK(policy == NULL);

  policy = policy_of("bloom:10");
  CHECK(strcmp(tamis_policy_name(policy), "tamis.Filter1") == 0);
  CHECK(tamis_policy_predict(policy, 1000000, &bytes, &rate, &message) ==
        TAMIS_OK);
  CHECK(bytes > 1240000 && bytes < 1260000);
  CHECK(rate > 0.009 && rate < 0.010);
  CHECK(tamis_policy_rate_at(policy, 1000, 1000) < 0.02);
  CHECK(tamis_policy_rate_at(policy, 1000, 4000) > 0.1);
  tamis_policy_destroy(policy);
  tamis_policy_destroy(NULL);
}

/* Builds the same filter three ways; they must be equal. */
static void check_builders(void) {
  static uint64_t numbers[kKeys];
  static const char* keys[kKeys];
  static size_t lengths[kKeys];
  tamis_policy* policy = policy_of("ribbon:8");
  char* bytes[3];
  size_t sizes[3];
  char* message;
  uint64_t counted = 0;
  int i, way;
  for (i = 0; i < kKeys; ++i) {
    numbers[i] = (uint64_t)i * 7;
    keys[i] = (const char*)&numbers[i];
    lengths[i] = sizeof numbers[i];
  }
  for (way = 0; way < 3; ++way) {
    tamis_options* options = tamis_options_create();
    tamis_builder* builder = NULL;
    set(options, "threads", "1");
    set(options, "repeats", "neighbours");
    CHECK(tamis_builder_create(policy, options, &builder, &message) ==
          TAMIS_OK);
    tamis_options_destroy(options);
    if (way == 0) {
      for (i = 0; i < kKeys; ++i) tamis_builder_add(builder, keys[i], 8);
    } else if (way == 1) {
      tamis_builder_add_many(builder, keys, lengths, kKeys);
    } else {
      tamis_builder_add_fixed(builder, numbers, 8, 8, kKeys);
    }
    CHECK(tamis_builder_counted_keys(builder, &counted) == 0);
    CHECK(tamis_builder_finish(builder, &bytes[way], &sizes[way], &message) ==
          TAMIS_OK);
    CHECK(tamis_builder_counted_keys(builder, &counted) == 1);
    CHECK(counted == kKeys);
    tamis_builder_destroy(builder);
  }
  CHECK(sizes[0] == sizes[1] && sizes[0] == sizes[2]);
  CHECK(memcmp(bytes[0], bytes[1], sizes[0]) == 0);
  CHECK(memcmp(bytes[0], bytes[2], sizes[0]) == 0);

  {
    tamis_options* options = tamis_options_create();
    tamis_builder* builder = NULL;
    set(options, "thread", "1");
    CHECK(tamis_builder_create(policy, options, &builder, &message) ==
          TAMIS_INVALID_ARGUMENT);
    CHECK(says(message, "unknown option 'thread'; there are: memory_bytes"));
    tamis_options_destroy(options);
    options = tamis_options_create();
    set(options, "threads", "-1");
    CHECK(tamis_builder_create(policy, options, &builder, &message) ==
          TAMIS_INVALID_ARGUMENT);
    CHECK(says(message, "cannot use '-1'"));
    tamis_options_destroy(options);
  }
  for (way = 0; way < 3; ++way) tamis_free(bytes[way]);
  tamis_policy_destroy(policy);
}

/* The policy goes first: the builder needs no more than itself. */
static void build(const char* spec, uint64_t first, uint64_t count,
                  char** bytes, size_t* length) {
  tamis_policy* policy = policy_of(spec);
  tamis_builder* builder = NULL;
  char* message;
  uint64_t i;
  CHECK(tamis_builder_create(policy, NULL, &builder, &message) == TAMIS_OK);
  tamis_policy_destroy(policy);
  for (i = first; i < first + count; ++i) {
    tamis_builder_add(builder, (const char*)&i, sizeof i);
  }
  CHECK(tamis_builder_finish(builder, bytes, length, &message) == TAMIS_OK);
  tamis_builder_destroy(builder);
}

/* The three ways to query agree; all of `count` numbers from `first` are there,
 * and few of those that follow. */
static void check_answers(const tamis_filter* filter, uint64_t first,
                          uint64_t count) {
  static uint64_t numbers[2 * kKeys];
  static const char* keys[2 * kKeys];
  static size_t lengths[2 * kKeys];
  static unsigned char many[2 * kKeys], fixed[2 * kKeys];
  uint64_t i, maybe = 0;
  for (i = 0; i < 2 * count; ++i) {
    numbers[i] = first + i;
    keys[i] = (const char*)&numbers[i];
    lengths[i] = 8;
  }
  memset(many, 7, sizeof many);
  memset(fixed, 7, sizeof fixed);
  tamis_filter_may_contain_many(filter, keys, lengths, (size_t)(2 * count),
                                many);
  tamis_filter_may_contain_fixed(filter, numbers, 8, 8, (size_t)(2 * count),
                                 fixed);
  for (i = 0; i < 2 * count; ++i) {
    const int one = tamis_filter_may_contain(filter, keys[i], 8);
    CHECK(one == many[i] && one == fixed[i]);
    if (i < count) CHECK(one == 1);
    if (i >= count) maybe += (uint64_t)one;
  }
  CHECK(maybe < count / 20);
}

static void check_filters_from_bytes(void) {
  char *bytes, *json, *message;
  size_t length, json_length, view_length;
  tamis_filter* filter = NULL;
  tamis_policy* policy = policy_of("bloom:12");
  build("bloom:12", 0, kKeys, &bytes, &length);

  CHECK(tamis_filter_open(policy, bytes, length, &filter, &message) ==
        TAMIS_OK);
  tamis_policy_destroy(policy);
  check_answers(filter, 0, kKeys);
  CHECK(memcmp(tamis_filter_bytes(filter, &view_length), bytes, length) == 0);
  CHECK(view_length == length);
  CHECK(tamis_filter_bytes(filter, &view_length) != bytes);
  CHECK(tamis_filter_may_contain_range(filter, "a", 1, "b", 1) == 1);
  CHECK(tamis_filter_status(filter, &message) == TAMIS_OK);
  CHECK(tamis_filter_describe(filter, &json, &json_length, &message) ==
        TAMIS_OK);
  CHECK(strlen(json) == json_length);
  CHECK(strstr(json, "\"kind\":\"bloom\"") != NULL);
  CHECK(strstr(json, "\"keys\":10000,") != NULL);
  tamis_free(json);
  tamis_filter_destroy(filter);

  CHECK(tamis_filter_open_in_place(NULL, bytes, length, &filter, &message) ==
        TAMIS_OK);
  CHECK(tamis_filter_bytes(filter, &view_length) == bytes);
  check_answers(filter, 0, kKeys);
  tamis_filter_destroy(filter);
  tamis_filter_destroy(NULL);

  bytes[length / 2] = (char)(bytes[length / 2] ^ 1);
  filter = NULL;
  CHECK(tamis_filter_open(NULL, bytes, length, &filter, &message) ==
        TAMIS_CORRUPTION);
  CHECK(says(message, "checksum"));
  CHECK(filter == NULL);
  CHECK(tamis_filter_open(NULL, "nothing", 7, &filter, &message) ==
        TAMIS_INVALID_ARGUMENT);
  CHECK(says(message, "not recognised"));
  tamis_free(bytes);

  /* Without a filter every answer is "maybe". */
  {
    const char* keys[2] = {"a", ""};
    const size_t lengths[2] = {1, 0};
    unsigned char answers[2] = {7, 7};
    CHECK(tamis_filter_may_contain(NULL, "a", 1) == 1);
    CHECK(tamis_filter_may_contain_range(NULL, "a", 1, "b", 1) == 1);
    tamis_filter_may_contain_many(NULL, keys, lengths, 2, answers);
    CHECK(answers[0] == 1 && answers[1] == 1);
  }
}

static void check_ranges(void) {
  tamis_filter* filter = NULL;
  char *bytes, *message;
  size_t length;
  int i, found = 0;
  tamis_policy* policy = policy_of("range:12");
  tamis_builder* builder = NULL;
  CHECK(tamis_builder_create(policy, NULL, &builder, &message) == TAMIS_OK);
  for (i = 0; i < 2000; ++i) {
    char key[16];
    sprintf(key, "%08d", i * 1000 + (i * 7919) % 500);
    tamis_builder_add(builder, key, 8);
  }
  CHECK(tamis_builder_finish(builder, &bytes, &length, &message) == TAMIS_OK);
  CHECK(tamis_filter_open(policy, bytes, length, &filter, &message) ==
        TAMIS_OK);
  for (i = 0; i < 2000; ++i) {
    char low[16], high[16];
    sprintf(low, "%08d", i * 1000);
    sprintf(high, "%08d", i * 1000 + 500);
    CHECK(tamis_filter_may_contain_range(filter, low, 8, high, 8) == 1);
    sprintf(low, "%08d", i * 1000 + 600);
    sprintf(high, "%08d", i * 1000 + 800);
    found += tamis_filter_may_contain_range(filter, low, 8, high, 8);
  }
  CHECK(found < 400);
  tamis_filter_destroy(filter);
  tamis_builder_destroy(builder);
  tamis_policy_destroy(policy);
  tamis_free(bytes);
}

static void check_files(const char* directory) {
  char path[512];
  char *bytes, *message;
  size_t length;
  int access;
  build("fuse8", 5, kKeys, &bytes, &length);
  sprintf(path, "%s/numbers.tamis", directory);
  CHECK(tamis_filter_write_file(path, bytes, length, 0, &message) == TAMIS_OK);
  CHECK(tamis_filter_write_file(path, bytes, length, 0, &message) ==
        TAMIS_ALREADY_EXISTS);
  CHECK(says(message, "numbers.tamis"));
  CHECK(tamis_filter_write_file(path, bytes, length, 1, &message) == TAMIS_OK);
  for (access = 0; access < 2; ++access) {
    tamis_filter* filter = NULL;
    tamis_options* options = tamis_options_create();
    set(options, "access", access == 0 ? "map" : "load");
    CHECK(tamis_filter_open_file(path, options, &filter, &message) == TAMIS_OK);
    check_answers(filter, 5, kKeys);
    tamis_filter_destroy(filter);
    set(options, "access", "lend");
    CHECK(tamis_filter_open_file(path, options, &filter, &message) ==
          TAMIS_INVALID_ARGUMENT);
    CHECK(says(message, "lend"));
    tamis_options_destroy(options);
  }
  {
    tamis_filter* filter = NULL;
    sprintf(path, "%s/no-such-file", directory);
    CHECK(tamis_filter_open_file(path, NULL, &filter, &message) ==
          TAMIS_NOT_FOUND);
    CHECK(says(message, "no-such-file"));
  }
  tamis_free(bytes);
}

static void check_sets(void) {
  char *parts[2], *whole, *folded, *message;
  size_t lengths[2], whole_length, folded_length;
  double rate = 0;
  tamis_filter* filter = NULL;
  tamis_policy* policy = policy_of("bloom:m=262144,k=6");
  build("bloom:m=262144,k=6", 0, kKeys / 2, &parts[0], &lengths[0]);
  build("bloom:m=262144,k=6", kKeys / 2, kKeys / 2, &parts[1], &lengths[1]);
  CHECK(tamis_combine(policy, (const char* const*)parts, lengths, 2, 0, &whole,
                      &whole_length, &message) == TAMIS_OK);
  CHECK(tamis_filter_open(policy, whole, whole_length, &filter, &message) ==
        TAMIS_OK);
  check_answers(filter, 0, kKeys);
  tamis_filter_destroy(filter);

  CHECK(tamis_fold(whole, whole_length, 2, &folded, &folded_length, &message) ==
        TAMIS_OK);
  CHECK(folded_length < whole_length);
  CHECK(tamis_fold_rate(whole, whole_length, 2, &rate, &message) == TAMIS_OK);
  CHECK(rate > 0 && rate < 1);
  CHECK(tamis_fold_rate(whole, whole_length, 3, &rate, &message) ==
        TAMIS_INVALID_ARGUMENT);
  tamis_free(message);
  tamis_free(folded);
  tamis_free(whole);

  CHECK(tamis_combine(policy, (const char* const*)parts, lengths, 2, 1, &whole,
                      &whole_length, &message) == TAMIS_OK);
  CHECK(tamis_filter_open(policy, whole, whole_length, &filter, &message) ==
        TAMIS_OK);
  {
    uint64_t i;
    int found = 0;
    for (i = 0; i < kKeys; ++i) {
      found += tamis_filter_may_contain(filter, (const char*)&i, sizeof i);
    }
    CHECK(found < kKeys / 20);
  }
  tamis_filter_destroy(filter);
  tamis_free(whole);
  tamis_free(parts[0]);
  tamis_free(parts[1]);
  tamis_policy_destroy(policy);
}

/* Inserting what is new, and counting what was inserted. */
static void check_counting(void) {
  const char* const words[] = {"a", "b", "a", "c", "b"};
  const size_t ones[] = {1, 1, 1, 1, 1};
  unsigned char is_new[5];
  size_t done = 0;
  char* message;
  tamis_mutable* filter;
  CHECK(tamis_mutable_create("cuckoo:m=8,k=12", 0, NULL, &filter, &message) ==
        TAMIS_OK);
  CHECK(tamis_mutable_insert(filter, "b", 1, &message) == TAMIS_OK);
  CHECK(tamis_mutable_insert_new(filter, words, ones, 5, is_new, &done,
                                 &message) == TAMIS_OK);
  CHECK(done == 5);
  CHECK(is_new[0] == 1 && is_new[1] == 0 && is_new[2] == 0 && is_new[3] == 1 &&
        is_new[4] == 0);
  CHECK(tamis_mutable_count(filter, "a", 1) == 1);
  while (tamis_mutable_insert(filter, "a", 1, NULL) == TAMIS_OK) {
  }
  CHECK(tamis_mutable_count(filter, "a", 1) == 6);
  CHECK(tamis_mutable_count(filter, "z", 1) == 0);
  {
    const char* const more[] = {"a", "z", "y"};
    CHECK(tamis_mutable_insert_new(filter, more, ones, 3, is_new, &done,
                                   &message) == TAMIS_FILTER_FULL);
    CHECK(done == 1 && is_new[0] == 0);
    tamis_free(message);
  }
  tamis_mutable_destroy(filter);
}

/* What an older generation has is not new, and is renewed. */
static void check_generations(void) {
  const char* const words[] = {"a", "b", "b"};
  const size_t ones[] = {1, 1, 1};
  unsigned char is_new[3];
  size_t done = 0;
  char* message;
  tamis_mutable* filter;
  CHECK(tamis_mutable_create("rotating:fpr=0.01,generations=2", 100, NULL,
                             &filter, &message) == TAMIS_OK);
  CHECK(tamis_mutable_insert(filter, "a", 1, &message) == TAMIS_OK);
  CHECK(tamis_mutable_rotate(filter, &message) == TAMIS_OK);
  CHECK(tamis_mutable_newest_may_contain(filter, "a", 1) == 0);
  CHECK(tamis_mutable_insert_new(filter, words, ones, 3, is_new, &done,
                                 &message) == TAMIS_OK);
  CHECK(done == 3 && is_new[0] == 0 && is_new[1] == 1 && is_new[2] == 0);
  CHECK(tamis_mutable_newest_may_contain(filter, "a", 1) == 1);
  CHECK(tamis_mutable_generation_keys(filter, 0) == 2);
  CHECK(tamis_mutable_generation_keys(filter, 1) == 1);
  CHECK(tamis_mutable_generation_keys(filter, 2) == 0);
  CHECK(tamis_mutable_rotations(filter) == 1);
  CHECK(tamis_mutable_rotate(filter, &message) == TAMIS_OK);
  CHECK(tamis_filter_may_contain(tamis_mutable_filter(filter), "a", 1) == 1);
  tamis_mutable_destroy(filter);
  CHECK(tamis_mutable_create("bloom:10", 100, NULL, &filter, &message) ==
        TAMIS_OK);
  CHECK(tamis_mutable_insert(filter, "a", 1, &message) == TAMIS_OK);
  CHECK(tamis_mutable_newest_may_contain(filter, "a", 1) == 1);
  CHECK(tamis_mutable_generation_keys(filter, 0) == 0);
  CHECK(tamis_mutable_rotations(filter) == 0);
  tamis_mutable_destroy(filter);
}

/* The pieces of a filter are together what saving it returns. */
static void check_pieces(void) {
  char piece[100];
  char* bytes;
  char* message;
  size_t length, got, at = 0;
  uint64_t total = 0;
  tamis_mutable* filter;
  CHECK(tamis_mutable_create("bloom:12", 1000, NULL, &filter, &message) ==
        TAMIS_OK);
  CHECK(tamis_mutable_insert(filter, "a", 1, &message) == TAMIS_OK);
  CHECK(tamis_mutable_save(filter, &bytes, &length, &message) == TAMIS_OK);
  do {
    CHECK(tamis_mutable_save_piece(filter, at, piece, sizeof(piece), &got,
                                   &total, &message) == TAMIS_OK);
    CHECK(total == length && got <= length - at);
    CHECK(memcmp(bytes + at, piece, got) == 0);
    at += got;
  } while (got != 0);
  CHECK(at == length);
  tamis_mutable_destroy(filter);
  tamis_free(bytes);
}

static void check_mutable(void) {
  static uint64_t numbers[kKeys];
  static const char* keys[kKeys];
  static size_t lengths[kKeys];
  tamis_mutable *filter = NULL, *loaded = NULL;
  char *bytes, *message;
  size_t length;
  uint64_t i;
  for (i = 0; i < kKeys; ++i) {
    numbers[i] = i;
    keys[i] = (const char*)&numbers[i];
    lengths[i] = 8;
  }

  CHECK(tamis_mutable_create("bloom:12", kKeys, NULL, &filter, &message) ==
        TAMIS_OK);
  CHECK(tamis_mutable_insert(filter, keys[0], 8, &message) == TAMIS_OK);
  CHECK(tamis_mutable_insert_many(filter, keys, lengths, kKeys / 2, &message) ==
        TAMIS_OK);
  CHECK(tamis_mutable_insert_fixed(filter, numbers + kKeys / 2, 8, 8, kKeys / 2,
                                   &message) == TAMIS_OK);
  check_answers(tamis_mutable_filter(filter), 0, kKeys);
  CHECK(tamis_filter_bytes(tamis_mutable_filter(filter), &length) == NULL);
  CHECK(tamis_filter_status(tamis_mutable_filter(filter), NULL) == TAMIS_OK);
  CHECK(tamis_mutable_erase(filter, keys[0], 8, &message) ==
        TAMIS_NOT_SUPPORTED);
  CHECK(says(message, "cuckoo"));
  CHECK(tamis_mutable_rotate(filter, &message) == TAMIS_NOT_SUPPORTED);
  CHECK(says(message, "rotating"));
  CHECK(tamis_mutable_save(filter, &bytes, &length, &message) == TAMIS_OK);
  tamis_mutable_destroy(filter);
  CHECK(tamis_mutable_load(bytes, length, &loaded, &message) == TAMIS_OK);
  check_answers(tamis_mutable_filter(loaded), 0, kKeys);
  tamis_mutable_destroy(loaded);
  tamis_free(bytes);
  tamis_mutable_destroy(NULL);
  check_counting();
  check_pieces();

  {
    tamis_options* options = tamis_options_create();
    set(options, "check_erasures", "true");
    CHECK(tamis_mutable_create("cuckoo:fpr=0.001", kKeys, options, &filter,
                               &message) == TAMIS_OK);
    CHECK(tamis_mutable_insert(filter, "a", 1, &message) == TAMIS_OK);
    CHECK(tamis_mutable_erase(filter, "b", 1, &message) == TAMIS_NOT_FOUND);
    tamis_free(message);
    CHECK(tamis_mutable_erase(filter, "a", 1, &message) == TAMIS_OK);
    CHECK(tamis_filter_may_contain(tamis_mutable_filter(filter), "a", 1) == 0);
    tamis_mutable_destroy(filter);
    CHECK(tamis_mutable_create("bloom:10", kKeys, options, &filter, &message) ==
          TAMIS_INVALID_ARGUMENT);
    CHECK(says(message, "check_erasures"));
    set(options, "check_erasures", "false");
    set(options, "concurrent", "true");
    CHECK(tamis_mutable_create("bloom:10", kKeys, options, &filter, &message) ==
          TAMIS_OK);
    CHECK(tamis_mutable_insert(filter, "a", 1, &message) == TAMIS_OK);
    CHECK(tamis_filter_may_contain(tamis_mutable_filter(filter), "a", 1) == 1);
    tamis_mutable_destroy(filter);
    tamis_options_destroy(options);
  }

  CHECK(tamis_mutable_create("rotating:fpr=0.01,generations=2", 100, NULL,
                             &filter, &message) == TAMIS_OK);
  CHECK(tamis_mutable_insert(filter, "a", 1, &message) == TAMIS_OK);
  CHECK(tamis_mutable_save(filter, &bytes, &length, &message) == TAMIS_OK);
  CHECK(tamis_mutable_load(bytes, length, &loaded, &message) == TAMIS_OK);
  CHECK(tamis_mutable_rotate(loaded, &message) == TAMIS_OK);
  CHECK(tamis_filter_may_contain(tamis_mutable_filter(loaded), "a", 1) == 1);
  CHECK(tamis_mutable_rotate(loaded, &message) == TAMIS_OK);
  CHECK(tamis_filter_may_contain(tamis_mutable_filter(loaded), "a", 1) == 0);
  tamis_mutable_destroy(filter);
  tamis_mutable_destroy(loaded);
  tamis_free(bytes);
  check_generations();
}

void check_filters(const char* directory) {
  check_policies();
  check_builders();
  check_filters_from_bytes();
  check_ranges();
  check_files(directory);
  check_sets();
  check_mutable();
}
