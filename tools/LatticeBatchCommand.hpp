// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_LATTICE_BATCH_COMMAND_HPP
#define KINDRED_TOOLS_LATTICE_BATCH_COMMAND_HPP

#include "program/Options.hpp"

namespace Kindred::Tools {

/// Adds `lattice batch` to the group `lattice`.
void add_lattice_batch_command(CLI::App& group, const GlobalOptions& global);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_LATTICE_BATCH_COMMAND_HPP
