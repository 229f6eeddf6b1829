/* What the tests in C share: a check that says what failed and goes on. */
#ifndef SLUICE_TESTS_CHECK_H
#define SLUICE_TESTS_CHECK_H

#include <sluice/sluice.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

/* The call succeeds. */
#define CHECK_OK(call)                                                                                         \
  do {                                                                                                         \
    const int check_code = (call);                                                                             \
    if (check_code != SLUICE_OK) {                                                                             \
      fprintf(stderr, "%s:%d: %s: code %d: %s\n", __FILE__, __LINE__, #call, check_code, sluice_error_text()); \
      ++failures;                                                                                              \
    }                                                                                                          \
  } while (0)

/* The call is refused as bad input, with `about` in the text. */
#define CHECK_REFUSED(call, about)                                                                             \
  do {                                                                                                         \
    const int check_code = (call);                                                                             \
    if (check_code != SLUICE_BAD_INPUT || strstr(sluice_error_text(), about) == NULL) {                        \
      fprintf(stderr, "%s:%d: %s: code %d: %s\n", __FILE__, __LINE__, #call, check_code, sluice_error_text()); \
      ++failures;                                                                                              \
    }                                                                                                          \
  } while (0)

#endif
