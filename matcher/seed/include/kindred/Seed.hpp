// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_SEED_HPP
#define KINDRED_SEED_HPP

// All public headers of Kindred::seed.
#include <kindred/matcher/BlueprintRegistry.hpp>
#include <kindred/matcher/SeedFunctions.hpp>
#include <kindred/matcher/SeedLayer.hpp>
#include <kindred/matcher/SeedOperationInfo.hpp>
#include <kindred/matcher/SeedSchedule.hpp>
#include <kindred/matcher/SeedState.hpp>
#include <kindred/matcher/SeedTransition.hpp>

#endif  // KINDRED_SEED_HPP
