// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_EQUAL_PATTERNS_HPP
#define KINDRED_MATCHER_SEQUENCE_EQUAL_PATTERNS_HPP

#include "HostPatterns.hpp"

#include <cstdint>
#include <vector>

namespace Kindred::Impl {

/// \brief For every pattern, the first one that has the same symbols; an empty pattern stands for
/// itself. Compares the patterns where they are, with 20 bytes of memory for each.
std::vector<std::uint32_t> first_equal(const HostPatterns& patterns);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_EQUAL_PATTERNS_HPP
