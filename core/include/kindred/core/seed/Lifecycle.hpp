// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_LIFECYCLE_HPP
#define KINDRED_CORE_SEED_LIFECYCLE_HPP

#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief The state of a seed; files store these codes.
enum class Lifecycle : std::int8_t {
  dormant,
  germinated,
  training,
  grafting,
  stabilization,
  evaluating,
  fine_tuning,
  fossilized,
  culled,
  cancelled,
  rolled_back
};

template <>
inline constexpr auto enum_names<Lifecycle> = std::to_array<std::string_view>(
    {"dormant", "germinated", "training", "grafting", "stabilization", "evaluating", "fine_tuning",
     "fossilized", "culled", "cancelled", "rolled_back"});

/// \brief Whether a seed's blueprint changes its chunk: from grafting to fine-tuning with the
/// seed's alpha, and when fossilized with 1. Every other state passes its chunk on unchanged.
constexpr bool applies_blueprint(Lifecycle lifecycle) noexcept {
  return lifecycle >= Lifecycle::grafting && lifecycle <= Lifecycle::fossilized;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_LIFECYCLE_HPP
