/* SPDX-License-Identifier: Apache-2.0 */
/* A filter of three fruits, from C. */
#include <stdio.h>
#include <string.h>

#include <tamis/c.h>

/* Says what went wrong, and returns the program's exit status. */
static int fail(char* message) {
  fprintf(stderr, "%s\n", message != NULL ? message : "no memory");
  tamis_free(message);
  return 1;
}

int main(void) {
  static const char* const fruits[] = {"apple", "banana", "cherry"};
  static const char* const asked[] = {"banana", "dragonfruit"};
  tamis_policy* policy;
  tamis_builder* builder;
  tamis_filter* filter;
  char *bytes, *message;
  size_t i, length;

  if (tamis_policy_create("fpr:0.01", &policy, &message)) return fail(message);
  if (tamis_builder_create(policy, NULL, &builder, &message)) {
    return fail(message);
  }
  for (i = 0; i < 3; ++i) {
    tamis_builder_add(builder, fruits[i], strlen(fruits[i]));
  }
  if (tamis_builder_finish(builder, &bytes, &length, &message)) {
    return fail(message);
  }
  /* Store the bytes wherever you like. */
  if (tamis_filter_open(policy, bytes, length, &filter, &message)) {
    return fail(message); /* damaged: read as if there were no filter */
  }
  for (i = 0; i < 2; ++i) {
    const int maybe =
        tamis_filter_may_contain(filter, asked[i], strlen(asked[i]));
    printf("%s: %s\n", asked[i], maybe ? "maybe" : "no");
  }
  tamis_filter_destroy(filter);
  tamis_free(bytes);
  tamis_builder_destroy(builder);
  tamis_policy_destroy(policy);
  return 0;
}
