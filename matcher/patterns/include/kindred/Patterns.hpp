// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PATTERNS_HPP
#define KINDRED_PATTERNS_HPP

// Everything of Kindred::patterns.
#include <kindred/matcher/PatternFile.hpp>
#include <kindred/matcher/PatternMemory.hpp>

#endif  // KINDRED_PATTERNS_HPP
