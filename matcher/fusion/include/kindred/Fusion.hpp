// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_FUSION_HPP
#define KINDRED_FUSION_HPP

// All public headers of Kindred::fusion.
#include <kindred/matcher/RankFusion.hpp>

#endif  // KINDRED_FUSION_HPP
