// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_LIFECYCLE_HPP
#define KINDRED_CORE_SEED_LIFECYCLE_HPP

#include <kindred/core/common/EnumOfName.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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

inline constexpr std::array<std::string_view, 11> lifecycle_names{
    "dormant",     "germinated", "training", "grafting",  "stabilization", "evaluating",
    "fine_tuning", "fossilized", "culled",   "cancelled", "rolled_back"};

constexpr std::string_view to_string(Lifecycle lifecycle) noexcept {
  return lifecycle_names.at(static_cast<std::size_t>(lifecycle));
}

/// The state of that name; nullopt if \p name is not the name of a state.
constexpr std::optional<Lifecycle> lifecycle_from_string(std::string_view name) noexcept {
  return Impl::enum_of_name<Lifecycle>(lifecycle_names, name);
}

/// \brief Whether a seed's blueprint changes its chunk: from grafting to fine-tuning with the
/// seed's alpha, and when fossilized with 1. Every other state passes its chunk on unchanged.
constexpr bool applies_blueprint(Lifecycle lifecycle) noexcept {
  return lifecycle >= Lifecycle::grafting && lifecycle <= Lifecycle::fossilized;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_LIFECYCLE_HPP
