/* SPDX-License-Identifier: Apache-2.0 */
#include <kindred.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1000, DIMENSION = 8 };

/* Ends the program with the message of the library if a call fails. */
static void check(kindred_status status) {
  if (status != KINDRED_OK) {
    fprintf(stderr, "%s: %s\n", kindred_status_name(status), kindred_last_error());
    exit(1);
  }
}

static kindred_cancellation* interrupted;

static void on_interrupt(int number) {
  (void)number;
  kindred_cancellation_cancel(interrupted);
}

int main(void) {
  static float rows[ROWS * DIMENSION];
  int64_t shape[] = {ROWS, DIMENSION};
  const DLTensor tensor = kindred_tensor(rows, KINDRED_FLOAT32, 2, shape);
  kindred_context* context = NULL;
  kindred_hnsw *hnsw = NULL, *copy = NULL;
  kindred_string *before = NULL, *after = NULL;
  kindred_text old_bytes, bytes;
  size_t i, size = 0;
  for (i = 0; i < ROWS * DIMENSION; ++i) rows[i] = (float)(i * 7919 % 1000);
  check(kindred_context_create(NULL, &context));
  check(kindred_hnsw_create(context, DIMENSION, NULL, &hnsw));
  check(kindred_hnsw_add(hnsw, &tensor, NULL));
  check(kindred_to_bytes(hnsw, &before));

  check(kindred_cancellation_create(&interrupted));
  check(kindred_set_cancellation(interrupted, NULL));
  signal(SIGINT, on_interrupt);
  raise(SIGINT); /* as Ctrl-C does, at any time */
  if (kindred_hnsw_add(hnsw, &tensor, NULL) == KINDRED_CANCELLED)
    printf("cancelled: %s\n", kindred_last_error());
  check(kindred_cancellation_reset(interrupted));

  check(kindred_to_bytes(hnsw, &after));
  check(kindred_string_get(before, &old_bytes));
  check(kindred_string_get(after, &bytes));
  if (old_bytes.size == bytes.size && memcmp(old_bytes.data, bytes.data, bytes.size) == 0)
    printf("the index is as it was\n");
  check(kindred_hnsw_from_bytes(context, (const uint8_t*)bytes.data, bytes.size, &copy));
  check(kindred_hnsw_add(copy, &tensor, NULL));
  check(kindred_size(copy, &size));
  printf("a copy of it has %d rows\n", (int)size);

  check(kindred_set_cancellation(NULL, NULL));
  check(kindred_destroy(interrupted));
  check(kindred_destroy(before));
  check(kindred_destroy(after));
  check(kindred_destroy(copy));
  check(kindred_destroy(hnsw));
  check(kindred_destroy(context));
  return 0;
}
