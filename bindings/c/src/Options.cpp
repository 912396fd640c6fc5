// SPDX-License-Identifier: Apache-2.0
// The defaults of all structs of options.
#include "Arguments.hpp"
#include "FunctionTable.hpp"

namespace Kindred::C {

KINDRED_C_DEFAULTS(kindred_context_options, options, KINDRED_CONTEXT_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_match_options, options, KINDRED_MATCH_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_pair_options, options, KINDRED_PAIR_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_memory_options, options, KINDRED_MEMORY_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_learn_options, options, KINDRED_LEARN_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_prediction_options, options, KINDRED_PREDICTION_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_seeds_options, options, KINDRED_SEEDS_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_seeds_call, options, KINDRED_SEEDS_CALL_INIT)
KINDRED_C_DEFAULTS(kindred_seed_pass_options, options, KINDRED_SEED_PASS_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_layer_options, options, KINDRED_LAYER_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_bulk_options, options, KINDRED_BULK_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_lattice_batch_options, options, KINDRED_LATTICE_BATCH_OPTIONS_INIT)
KINDRED_C_DEFAULTS(kindred_fusion_options, options, KINDRED_FUSION_OPTIONS_INIT)

}  // namespace Kindred::C
