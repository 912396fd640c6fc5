// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_COMBINED_CONFIDENCE_HPP
#define KINDRED_CORE_GRAPH_COMBINED_CONFIDENCE_HPP

#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <span>

namespace KINDRED_PUBLIC Kindred {

/// \brief The combined confidence of several independent paths: 1 − Π(1 − p), in double, largest p
/// first; 0 without paths. Thread-safe. Complexity O(n log n).
/// \param confidences of the paths, in [0, 1], in any order
/// \param max_paths only this many of the largest confidences count
/// \param least smaller confidences are ignored
/// \throws InvalidArgument for a value outside [0, 1]
double path_confidence(std::span<const double> confidences, std::size_t max_paths = 10,
                       double least = 0.0);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_COMBINED_CONFIDENCE_HPP
