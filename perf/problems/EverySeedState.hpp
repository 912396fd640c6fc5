// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PROBLEMS_EVERY_SEED_STATE_HPP
#define KINDRED_PERF_PROBLEMS_EVERY_SEED_STATE_HPP

#include <kindred/matcher/SeedState.hpp>

#include <cstdint>

namespace Kindred::Perf {

/// Seeds in every lifecycle state and every mode, with blueprint 0.
SeedState every_seed_state(std::uint32_t seeds);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PROBLEMS_EVERY_SEED_STATE_HPP
