// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_SEQUENCES_HPP
#define KINDRED_C_SEQUENCES_HPP

#include <kindred/matcher/SequenceMatcher.hpp>

#include <kindred.h>

namespace Kindred::C {

Measure measure_of(std::int32_t measure);
/// The options of a match. \param threshold the default
MatchOptions match_options(const kindred_match_options* options, double threshold = 0.1);

}  // namespace Kindred::C

#endif  // KINDRED_C_SEQUENCES_HPP
