// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_PATH_CONFIDENCE_HPP
#define KINDRED_CORE_GRAPH_PATH_CONFIDENCE_HPP

#include <cstddef>
#include <span>

namespace Kindred {

/// \brief How sure several independent paths make one: 1 − Π(1 − p), in double, greatest p first.
/// Nothing is 0.
/// \param confidences of the paths, in [0, 1], in any order
/// \param max_paths the greatest so many count \param least those below it do not count
/// \throws InvalidArgument for a value outside [0, 1]. Complexity O(n log n)
double path_confidence(std::span<const double> confidences, std::size_t max_paths = 10,
                       double least = 0.0);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_PATH_CONFIDENCE_HPP
