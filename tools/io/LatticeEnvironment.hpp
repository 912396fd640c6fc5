// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_LATTICE_ENVIRONMENT_HPP
#define KINDRED_TOOLS_IO_LATTICE_ENVIRONMENT_HPP

#include <kindred/matcher/LatticeSettings.hpp>

namespace Kindred::Tools {

/// \brief KA Lattice's settings, from its variables with the prefix `KINDRED_`.
///
/// The prefix is required because the variables would otherwise also affect KA Lattice itself.
/// \throws UsageError if one of the variables is set without the prefix only, with the name to use
/// \throws InvalidArgument as `LatticeSettings::from_environment`
LatticeSettings settings_of_environment();

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_LATTICE_ENVIRONMENT_HPP
