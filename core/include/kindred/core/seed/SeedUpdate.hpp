// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_UPDATE_HPP
#define KINDRED_CORE_SEED_SEED_UPDATE_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/core/seed/AlphaSchedule.hpp>
#include <kindred/core/seed/ApplyMode.hpp>
#include <kindred/core/seed/Lifecycle.hpp>

#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// Number of transitions that a seed stores.
inline constexpr std::uint32_t seed_history = 10;
/// Stands for no blueprint or no checkpoint.
inline constexpr std::int32_t seed_none = -1;

/// Which fields of a `SeedUpdate` are set.
enum SeedField : std::uint16_t {
  seed_lifecycle = 1,
  seed_blueprint = 2,
  seed_epochs = 4,
  seed_mode = 8,
  seed_alpha = 16,
  seed_schedule = 32,
  seed_checkpoint = 64,
  seed_evaluation = 128,
  seed_errors = 256
};
inline constexpr std::uint32_t seed_fields = 9;

/// \brief New values of some fields of a seed.
struct SeedUpdate {
  std::uint32_t seed = 0;
  std::uint16_t mask = 0;  ///< bitwise or of `SeedField`s
  std::int16_t epochs = 0;
  std::int32_t blueprint = seed_none;
  std::int32_t checkpoint = seed_none;
  float alpha = 0;
  float evaluation = 0;
  std::int16_t errors = 0;
  Lifecycle lifecycle = Lifecycle::dormant;
  ApplyMode mode = ApplyMode::linear;
  AlphaSchedule schedule = AlphaSchedule::linear;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_UPDATE_HPP
