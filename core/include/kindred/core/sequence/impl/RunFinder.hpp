// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_RUN_FINDER_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_RUN_FINDER_HPP

#include <kindred/core/sequence/impl/RunSearch.hpp>
#include <kindred/core/sequence/special/RunLevels.hpp>

namespace Kindred::Impl {

/// \brief Finds the longest run of equal symbols in parts of one pattern and one query.
///
/// Bit j of row i of level k is set if a run of k equal symbols ends at pattern symbol i and query
/// symbol j; level k + 1 is level k and-ed with its own rows shifted by one (row and bit). The last
/// nonempty level holds the longest runs; the lowest bit of its first row is the run that difflib
/// selects.
template <class ExecutionSpace>
class RunFinder;

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_RUN_FINDER_HPP
