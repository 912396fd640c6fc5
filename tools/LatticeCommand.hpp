// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_LATTICE_COMMAND_HPP
#define KINDRED_TOOLS_LATTICE_COMMAND_HPP

#include "Properties.hpp"
#include "program/Options.hpp"

#include <kindred/matcher/Lattice.hpp>

namespace Kindred::Tools {

/// Structural properties of a lattice, from closed forms or measured.
Properties properties_of(const LatticeStatistics& statistics);
Properties properties_of(const GraphStructure& found);

/// Adds `lattice batch` to the group `lattice`.
void add_lattice_batch_command(CLI::App& group, const GlobalOptions& global);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_LATTICE_COMMAND_HPP
