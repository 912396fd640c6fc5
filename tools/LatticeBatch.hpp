// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_LATTICE_BATCH_HPP
#define KINDRED_TOOLS_LATTICE_BATCH_HPP

#include "Options.hpp"

namespace Kindred::Tools {

/// Adds `lattice batch` to the group `lattice`.
void add_lattice_batch(CLI::App& group, const GlobalOptions& global);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_LATTICE_BATCH_HPP
