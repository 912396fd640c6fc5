// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_STATE_FAULT_HPP
#define KINDRED_MATCHER_SEED_STATE_FAULT_HPP

#include <kindred/matcher/SeedState.hpp>

#include <optional>
#include <string>

namespace Kindred::Impl {

/// The first invalid value of a state.
struct StateFault {
  std::string array;  ///< such as `alpha`, `history_to`
  std::string why;
};

std::optional<StateFault> fault_of(const SeedState& state);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_STATE_FAULT_HPP
