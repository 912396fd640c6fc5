// SPDX-License-Identifier: Apache-2.0
// The defaults of all structs of options.
#include "Arguments.hpp"
#include "FunctionTable.hpp"

namespace Kindred::C {

namespace {

/// Sets the first \p size bytes of a struct, which may be smaller or larger than ours.
template <class Options>
kindred_status set_defaults(Options* options, std::size_t size, const Options& defaults,
                            const char* name) noexcept {
  return guarded([&] {
    require(options, name);
    check_struct_size(size, "the argument");
    std::memset(static_cast<void*>(options), 0, size);
    std::memcpy(static_cast<void*>(options), &defaults, std::min(size, sizeof(Options)));
    std::memcpy(static_cast<void*>(options), &size, sizeof(size));
  });
}

}  // namespace

#define KINDRED_C_DEFAULTS(type, parameter, ...)                                     \
  kindred_status type##_init(type* parameter, size_t struct_size) noexcept {         \
    return set_defaults<type>(parameter, struct_size, type __VA_ARGS__, #parameter); \
  }

KINDRED_C_DEFAULTS(kindred_context_options, options, KINDRED_CONTEXT_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_match_options, options, KINDRED_MATCH_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_pair_options, options, KINDRED_PAIR_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_memory_options, options, KINDRED_MEMORY_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_learn_options, options, KINDRED_LEARN_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_prediction_options, options, KINDRED_PREDICTION_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_index_options, options, KINDRED_INDEX_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_search_options, options, KINDRED_SEARCH_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_score_options, options, KINDRED_SCORE_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_vectors_source, source, KINDRED_VECTORS_SOURCE_INIT)
KINDRED_C_DEFAULTS(kindred_vectors_build_options, options, KINDRED_VECTORS_BUILD_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_hnsw_settings, settings, KINDRED_HNSW_SETTINGS_INIT)
KINDRED_C_DEFAULTS(kindred_hnsw_search_options, options, KINDRED_HNSW_SEARCH_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_graph_options, options, KINDRED_GRAPH_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_spread_options, options, KINDRED_SPREAD_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_hop_options, options, KINDRED_HOP_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_seeds_options, options, KINDRED_SEEDS_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_seeds_call, options, KINDRED_SEEDS_CALL_INIT)
KINDRED_C_DEFAULTS(kindred_seed_pass_options, options, KINDRED_SEED_PASS_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_layer_options, options, KINDRED_LAYER_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_bulk_options, options, KINDRED_BULK_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_lattice_batch_options, options, KINDRED_LATTICE_BATCH_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_fusion_options, options, KINDRED_FUSION_OPTIONS_INIT)

}  // namespace Kindred::C
