/* SPDX-License-Identifier: Apache-2.0 */
#include <kindred.h>

#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the message of the library if a call fails. */
static void check(kindred_status status) {
  if (status != KINDRED_OK) {
    fprintf(stderr, "%s: %s\n", kindred_status_name(status), kindred_last_error());
    exit(1);
  }
}

static void match_names(kindred_context* context) {
  const kindred_text names[] = {{"Anna Schmidt", 12}, {"Ana Schmitt", 11}, {"Peter Meyer", 11}};
  const kindred_text query = {"Anna Schmitt", 12};
  const kindred_sequences patterns = {sizeof(patterns), 3, names, NULL, NULL, KINDRED_UNSET};
  const kindred_sequences queries = {sizeof(queries), 1, &query, NULL, NULL, KINDRED_UNSET};
  kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
  kindred_matcher* matcher = NULL;
  kindred_results* results = NULL;
  kindred_results_view view = KINDRED_RESULTS_VIEW_INIT;
  uint64_t i;
  options.measure = KINDRED_LEVENSHTEIN;
  options.threshold = 0.5;
  check(kindred_matcher_create(context, &patterns, KINDRED_RESIDENCY_AUTOMATIC, &matcher));
  check(kindred_matcher_match(matcher, &queries, &options, &results));
  check(kindred_results_get(results, &view));
  for (i = view.offsets[0]; i < view.offsets[1]; ++i)
    printf("%s: similarity %.3f\n", names[view.ids[i]].data, view.scores[i]);
  check(kindred_destroy(results));
  check(kindred_destroy(matcher));
}

static void search_vectors(kindred_context* context) {
  const float rows[] = {1, 0, 0, 1, 0.6F, 0.8F};
  const float query[] = {0, 2};
  float scores[2];
  int64_t ids[2];
  int64_t row_shape[] = {3, 2}, query_shape[] = {1, 2}, result_shape[] = {1, 2};
  DLTensor row_tensor = kindred_tensor(rows, KINDRED_FLOAT32, 2, row_shape);
  DLTensor query_tensor = kindred_tensor(query, KINDRED_FLOAT32, 2, query_shape);
  DLTensor score_tensor = kindred_tensor(scores, KINDRED_FLOAT32, 2, result_shape);
  DLTensor id_tensor = kindred_tensor(ids, KINDRED_INT64, 2, result_shape);
  kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
  kindred_index* index = NULL;
  options.top = 2;
  check(kindred_index_create(context, &row_tensor, NULL, NULL, &index));
  check(
      kindred_index_search(index, &query_tensor, &options, &score_tensor, &id_tensor, NULL, NULL));
  printf("row %d: cosine %.1f, row %d: cosine %.1f\n", (int)ids[0], (double)scores[0], (int)ids[1],
         (double)scores[1]);
  check(kindred_destroy(index));
}

static void spread_activation(kindred_context* context) {
  const kindred_edge edges[] = {{0, 1, 0.9F}, {1, 2, 0.8F}};
  const uint32_t source = 0;
  const float value = 1;
  const uint64_t offsets[] = {0, 1};
  kindred_graph* graph = NULL;
  kindred_results* results = NULL;
  kindred_results_view view = KINDRED_RESULTS_VIEW_INIT;
  uint64_t i;
  check(kindred_graph_create(context, 3, edges, 2, NULL, NULL, NULL, NULL, &graph));
  check(kindred_graph_spread(graph, &source, &value, offsets, 1, NULL, &results));
  check(kindred_results_get(results, &view));
  for (i = 0; i < view.offsets[1]; ++i)
    printf("node %d: activation %.3f\n", (int)view.ids[i], view.scores[i]);
  check(kindred_destroy(results));
  check(kindred_destroy(graph));
}

int main(void) {
  const kindred_text text = {"\xFF", 1};
  const kindred_sequences given = {sizeof(given), 1, &text, NULL, NULL, KINDRED_UNSET};
  kindred_context* context = NULL;
  double similarity = 0;
  check(kindred_context_create(NULL, &context));
  match_names(context);
  search_vectors(context);
  spread_activation(context);
  check(kindred_destroy(context));
  if (kindred_similarity(KINDRED_LCS, &given, &given, 0, 0, &similarity) != KINDRED_OK)
    printf("not UTF-8: refused\n");
  return 0;
}
