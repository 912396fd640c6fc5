// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_VALID_HANDLES_HPP
#define KINDRED_TESTS_C_VALID_HANDLES_HPP

#include "CSupport.hpp"
#include "ValidStructs.hpp"

#include <cstdint>
#include <tuple>

namespace Kindred::Testing {

/// One valid handle of every kind.
class Handles {
 public:
  using All = std::tuple<kindred_context*, kindred_string*, kindred_strings*, kindred_vocabulary*,
                         kindred_query*, kindred_matcher*, kindred_memory*, kindred_pattern*,
                         kindred_predictions*, kindred_predictor*, kindred_index*, kindred_scorer*,
                         kindred_hnsw*, kindred_graph*, kindred_results*, kindred_clusters*,
                         kindred_keyed_index*, kindred_lattice*, kindred_seeds*,
                         kindred_blueprints*, kindred_schedule*, kindred_seed_sequence*,
                         kindred_prepared*, kindred_cancellation*>;

 private:
  /// Calls a function that makes a handle.
  template <class... Arguments>
  auto* keep(Arguments&&... arguments) {
    auto* const made = released(result_of(arguments...));
    return std::get<std::remove_cv_t<decltype(made)>>(m_all) = made;
  }

 public:
  Handles() {
    const std::uint32_t symbols[] = {1, 2, 3};
    const GivenSequences sequences{std::span(symbols)};
    const kindred_text text{"a", 1};
    const std::uint64_t event[] = {0, 1};
    const float rows[] = {1, 0, 0, 1};
    const kindred_edge edge{0, 1, 1};
    const auto key = valid_struct<kindred_key_span>();
    const auto options = valid_struct<kindred_seeds_options>();
    const auto layer = valid_struct<kindred_norm_layer>();
    const kindred_norm_layer* layers[] = {&layer};
    Tensor matrix(rows, KINDRED_FLOAT32, 2, 2);
    Tensor row(rows, KINDRED_FLOAT32, 1, 2);
    kindred_context* const context = c_context();
    std::get<kindred_context*>(m_all) = context;
    keep(kindred_context_describe, context);
    keep(kindred_keyed_index_create, context, &key, &row, nullptr, nullptr);
    keep(kindred_vocabulary_create, nullptr, 0);
    keep(kindred_query_create, KINDRED_LCS, &sequences, 0);
    auto* const matcher = keep(kindred_matcher_create, context, &sequences, 0);
    auto* const memory = keep(kindred_memory_create, context, nullptr);
    ok(kindred_memory_learn(memory, &text, event, 1, nullptr, 0, 1, nullptr));
    keep(kindred_memory_pattern, memory, 0);
    keep(kindred_memory_names, memory, event, 1);
    keep(kindred_memory_predict, memory, &text, event, 1, -1, nullptr, nullptr);
    keep(kindred_predictor_create, context, &text, 1);
    keep(kindred_scorer_create, keep(kindred_index_create, context, &matrix, nullptr, nullptr), 4,
         nullptr);
    keep(kindred_hnsw_build, context, &matrix, nullptr, nullptr, nullptr);
    keep(kindred_graph_create, context, 2, &edge, 1, nullptr, nullptr, nullptr, nullptr);
    keep(kindred_matcher_match, matcher, &sequences, nullptr);
    keep(kindred_matcher_cluster, matcher, 0, nullptr);
    keep(kindred_lattice_create, context, 2, 3, nullptr, 0, nullptr, 0);
    keep(kindred_seeds_create, context, &options);
    result_of(kindred_blueprints_add, keep(kindred_blueprints_create), "a", 1, rows, 1);
    keep(kindred_schedule_create, KINDRED_SCHEDULE_LINEAR, nullptr);
    keep(kindred_seed_sequence_create, context, nullptr);
    keep(kindred_norm_layers, context, layers, 1, nullptr);
    keep(kindred_cancellation_create);
  }
  template <class Handle>
  Handle* of() const {
    return std::get<Handle*>(m_all);
  }

 private:
  All m_all;
};

/// The shared one of a kind.
inline const Handles& handles() {
  static const Handles shared;  // destroyed by nobody: they live as long as the process
  return shared;
}
template <class Handle>
Handle* valid() {
  return handles().of<Handle>();
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_VALID_HANDLES_HPP
