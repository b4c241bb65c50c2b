/* SPDX-License-Identifier: Apache-2.0 */
/* consumer.c DIRECTORY VERSION -- a C99 program that calls every function of
 * tamis/c.h. */
#include "check.h"

static size_t blocks_now, blocks_ever;

static void* allocate(size_t bytes) {
  void* const memory = malloc(bytes);
  if (memory != NULL) {
    ++blocks_now;
    ++blocks_ever;
  }
  return memory;
}

static void release(void* memory) {
  --blocks_now;
  free(memory);
}

/* A megabyte would otherwise be the system's, without malloc. */
static void check_allocator(void) {
  char* message;
  tamis_mutable* filter;
  tamis_use_allocator(allocate, release);
  CHECK(tamis_mutable_create("bloom:10", 1000000, NULL, &filter, &message) ==
        TAMIS_OK);
  CHECK(blocks_now == 1);
  CHECK(tamis_mutable_insert(filter, "a", 1, &message) == TAMIS_OK);
  tamis_mutable_destroy(filter);
  CHECK(blocks_now == 0 && blocks_ever == 1);
  tamis_use_allocator(NULL, NULL);
  CHECK(tamis_mutable_create("bloom:10", 1000000, NULL, &filter, &message) ==
        TAMIS_OK);
  tamis_mutable_destroy(filter);
  CHECK(blocks_ever == 1);
}

int main(int argc, char** argv) {
  CHECK(argc == 3);
  check_allocator();
  CHECK(strcmp(tamis_version(), argv[2]) == 0);
  CHECK(strcmp(tamis_code_name(TAMIS_CORRUPTION), "corruption") == 0);
  CHECK(strcmp(tamis_code_name(-1), "unknown") == 0);
  CHECK(strcmp(tamis_code_name(99), "unknown") == 0);
  tamis_free(NULL);
  tamis_options_destroy(NULL);
  check_filters(argv[1]);
  check_store(argv[1]);
  puts("every function of tamis/c.h works");
  return 0;
}
