// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_SUPPORT_HPP
#define KINDRED_TESTS_SUPPORT_SUPPORT_HPP

#include <kindred/backends/Context.hpp>

#include "Generator.hpp"

namespace Kindred::Testing {

/// The context that most tests share: all usable spaces, no saved calibration.
Context& context();

/// The spaces that a test runs on: those of `context()` that are usable.
std::vector<Space> spaces();

/// The sizes that every kernel is tested at: around a warp, a word and their doubles.
inline const std::vector<std::size_t> edge_sizes{0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_SUPPORT_HPP
