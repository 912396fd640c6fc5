// SPDX-License-Identifier: Apache-2.0
#include "problems/EverySeedState.hpp"

namespace Kindred::Perf {

SeedState every_seed_state(std::uint32_t seeds) {
  SeedState state(seeds);
  for (std::uint32_t i = 0; i < seeds; ++i) {
    state.lifecycle[i] = static_cast<Lifecycle>(i % 11);
    state.mode[i] = static_cast<ApplyMode>(i / 11 % 4);
    state.alpha[i] = static_cast<float>(i % 8) / 8;
    state.blueprint[i] = 0;
  }
  return state;
}

}  // namespace Kindred::Perf
