/* SPDX-License-Identifier: Apache-2.0 */
/* check.h -- ends the program at the first expectation that does not hold. */

#ifndef CHECK_H_
#define CHECK_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tamis/c.h>

/* A macro, because it tells where it is. */
#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

/* Whether `message` has that text; frees it. */
int says(char* message, const char* text);
/* Whether these bytes are that text. */
int is(const char* bytes, size_t length, const char* text);
void set(tamis_options* options, const char* name, const char* value);

void check_filters(const char* directory);
void check_store(const char* directory);

#endif
