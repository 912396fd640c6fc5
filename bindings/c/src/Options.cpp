// SPDX-License-Identifier: Apache-2.0
// The defaults of all structs of options.
#include "Arguments.hpp"
#include "FunctionTable.hpp"

namespace Kindred::C {

KINDRED_C_DEFAULTS(kindred_vectors_source, source, KINDRED_VECTORS_SOURCE_INIT)
KINDRED_C_DEFAULTS(kindred_vectors_build_options, options, KINDRED_VECTORS_BUILD_OPTIONS_INIT)

}  // namespace Kindred::C
