// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_LATTICE_HPP
#define KINDRED_LATTICE_HPP

// All public headers of Kindred::lattice.
#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/LatticeBatch.hpp>
#include <kindred/matcher/LatticeOperationInfo.hpp>

#endif  // KINDRED_LATTICE_HPP
