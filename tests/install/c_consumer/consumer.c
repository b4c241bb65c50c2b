/* SPDX-License-Identifier: Apache-2.0 */
/* consumer.c DIRECTORY VERSION -- a C99 program that calls every function of
 * tamis/c.h. */
#include "check.h"

int main(int argc, char** argv) {
  CHECK(argc == 3);
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
