// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_ENVIRONMENT_HPP
#define KINDRED_TOOLS_IO_ENVIRONMENT_HPP

#include <kindred/matcher/LatticeSettings.hpp>

namespace Kindred::Tools {

/// \brief KA Lattice's settings, from variables with `KINDRED_` before their names.
///
/// Without it they are KA Lattice's own, and would change every command beside it.
/// \throws UsageError for one of those that is set alone, naming the other; InvalidArgument as
/// `LatticeSettings::from_environment`
LatticeSettings settings_of_environment();

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_ENVIRONMENT_HPP
