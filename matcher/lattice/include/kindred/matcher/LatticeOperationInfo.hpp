// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LATTICE_OPERATION_INFO_HPP
#define KINDRED_MATCHER_LATTICE_OPERATION_INFO_HPP

#include <kindred/backends/Operation.hpp>

namespace Kindred::Operations {

/// Building the compressed rows of a lattice. Prior: the router of KA Lattice, 10,000 nodes, of
/// four dimensions.
inline constexpr OperationInfo lattice_build{
    "lattice-build", "entries", {1.6e9, 2e-6, 2.0 * 4 * 10000}};

/// Shortest distances in a lattice. Prior: the launches of its levels; the router of KA Lattice
/// never uses the device.
inline constexpr OperationInfo lattice_search{"lattice-search", "entries", {3e8, 5e-6, 0x1p19}};

}  // namespace Kindred::Operations

#endif  // KINDRED_MATCHER_LATTICE_OPERATION_INFO_HPP
