// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PATTERNS_HPP
#define KINDRED_PATTERNS_HPP

// All public headers of Kindred::patterns.
#include <kindred/matcher/EventLists.hpp>
#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/matcher/PatternSettings.hpp>

#endif  // KINDRED_PATTERNS_HPP
