/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int says(char* message, const char* text) {
  const int found = message != NULL && strstr(message, text) != NULL;
  if (!found) fprintf(stderr, "message: %s\n", message ? message : "(null)");
  tamis_free(message);
  return found;
}

int is(const char* bytes, size_t length, const char* text) {
  return length == strlen(text) && memcmp(bytes, text, length) == 0;
}

void set(tamis_options* options, const char* name, const char* value) {
  char* message;
  CHECK(tamis_options_set(options, name, value, strlen(value), &message) ==
        TAMIS_OK);
  CHECK(message == NULL);
}
