// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_VALID_HANDLES_HPP
#define KINDRED_TESTS_C_VALID_HANDLES_HPP

#include "CSupport.hpp"
#include "ValidStructs.hpp"

#include <cstdint>
#include <tuple>

namespace Kindred::Testing {

/// One valid handle of every kind.
struct Handles {
  Handles() {
    const std::uint32_t symbols[] = {1, 2, 3};
    const GivenSequences sequences{std::span(symbols)};
    const kindred_text text{"a", 1};
    const std::uint64_t event[] = {0, 1};
    const float rows[] = {1, 0, 0, 1};
    const kindred_edge edge{0, 1, 1};
    Tensor tensor(rows, KINDRED_FLOAT32, 2, 2);
    context = c_context();
    ok(kindred_context_describe(context, &string));
    const kindred_key_span key = valid_struct<kindred_key_span>();
    Tensor row(rows, KINDRED_FLOAT32, 1, 2);
    ok(kindred_keyed_index_create(context, &key, &row, nullptr, nullptr, &keyed));
    ok(kindred_vocabulary_create(nullptr, 0, &vocabulary));
    ok(kindred_query_create(KINDRED_LCS, &sequences, 0, &query));
    ok(kindred_matcher_create(context, &sequences, 0, &matcher));
    ok(kindred_memory_create(context, nullptr, &memory));
    ok(kindred_memory_learn(memory, &text, event, 1, nullptr, 0, 1, nullptr));
    ok(kindred_memory_pattern(memory, 0, &pattern));
    ok(kindred_memory_names(memory, event, 1, &strings));
    ok(kindred_memory_predict(memory, &text, event, 1, -1, nullptr, nullptr, &predictions,
                              nullptr));
    ok(kindred_predictor_create(context, &text, 1, &predictor));
    ok(kindred_index_create(context, &tensor, nullptr, nullptr, &index));
    ok(kindred_scorer_create(index, 4, nullptr, &scorer));
    ok(kindred_hnsw_build(context, &tensor, nullptr, nullptr, nullptr, &hnsw));
    ok(kindred_graph_create(context, 2, &edge, 1, nullptr, nullptr, nullptr, nullptr, &graph));
    ok(kindred_matcher_match(matcher, &sequences, nullptr, &results));
    ok(kindred_matcher_cluster(matcher, 0, nullptr, &clusters));
    ok(kindred_lattice_create(context, 2, 3, nullptr, 0, nullptr, 0, &lattice));
    const kindred_seeds_options options = valid_struct<kindred_seeds_options>();
    ok(kindred_seeds_create(context, &options, &seeds));
    std::int32_t blueprint = 0;
    ok(kindred_blueprints_create(&blueprints));
    ok(kindred_blueprints_add(blueprints, "a", 1, rows, 1, &blueprint));
    ok(kindred_schedule_create(KINDRED_SCHEDULE_LINEAR, nullptr, &schedule));
    ok(kindred_seed_sequence_create(context, nullptr, &sequence));
    const kindred_norm_layer layer = valid_struct<kindred_norm_layer>();
    const kindred_norm_layer* layers[] = {&layer};
    ok(kindred_norm_layers(context, layers, 1, nullptr, &prepared, nullptr));
    ok(kindred_cancellation_create(&cancellation));
  }
  kindred_context* context = nullptr;
  kindred_string* string = nullptr;
  kindred_strings* strings = nullptr;
  kindred_vocabulary* vocabulary = nullptr;
  kindred_query* query = nullptr;
  kindred_matcher* matcher = nullptr;
  kindred_memory* memory = nullptr;
  kindred_pattern* pattern = nullptr;
  kindred_predictions* predictions = nullptr;
  kindred_predictor* predictor = nullptr;
  kindred_index* index = nullptr;
  kindred_scorer* scorer = nullptr;
  kindred_hnsw* hnsw = nullptr;
  kindred_graph* graph = nullptr;
  kindred_results* results = nullptr;
  kindred_clusters* clusters = nullptr;
  kindred_keyed_index* keyed = nullptr;
  kindred_lattice* lattice = nullptr;
  kindred_seeds* seeds = nullptr;
  kindred_blueprints* blueprints = nullptr;
  kindred_schedule* schedule = nullptr;
  kindred_seed_sequence* sequence = nullptr;
  kindred_prepared* prepared = nullptr;
  kindred_cancellation* cancellation = nullptr;

  auto all() const {
    return std::make_tuple(context, string, strings, vocabulary, query, matcher, memory, pattern,
                           predictions, predictor, index, scorer, hnsw, graph, results, clusters,
                           keyed, lattice, seeds, blueprints, schedule, sequence, prepared,
                           cancellation);
  }
};

inline const Handles& handles() {
  static const Handles shared;  // destroyed by nobody: they live as long as the process
  return shared;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_VALID_HANDLES_HPP
