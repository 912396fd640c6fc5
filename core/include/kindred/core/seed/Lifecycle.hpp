// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_LIFECYCLE_HPP
#define KINDRED_CORE_SEED_LIFECYCLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace Kindred {

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

/// \brief How a blueprint's weight w changes an element x, \see seed_forward.
enum class ApplyMode : std::int8_t {
  linear,          ///< a·w·x + (1 − a)·x
  multiplicative,  ///< w·x
  additive,        ///< x + w
  mixed            ///< 0.5·x + 0.5·w
};

/// \brief How alpha increases from 0 to 1 while a seed is grafted.
enum class AlphaSchedule : std::int8_t { linear, drift_controlled, momentum, adaptive, stability };

inline constexpr std::array<std::string_view, 11> lifecycle_names{
    "dormant",     "germinated", "training", "grafting",  "stabilization", "evaluating",
    "fine_tuning", "fossilized", "culled",   "cancelled", "rolled_back"};
inline constexpr std::array<std::string_view, 4> apply_mode_names{"linear", "multiplicative",
                                                                  "additive", "mixed"};
inline constexpr std::array<std::string_view, 5> alpha_schedule_names{
    "linear", "drift_controlled", "momentum", "adaptive", "stability"};

constexpr std::string_view to_string(Lifecycle lifecycle) noexcept {
  return lifecycle_names.at(static_cast<std::size_t>(lifecycle));
}
constexpr std::string_view to_string(ApplyMode mode) noexcept {
  return apply_mode_names.at(static_cast<std::size_t>(mode));
}
constexpr std::string_view to_string(AlphaSchedule schedule) noexcept {
  return alpha_schedule_names.at(static_cast<std::size_t>(schedule));
}

namespace Impl {

template <class Enum, std::size_t count>
constexpr std::optional<Enum> enum_of(const std::array<std::string_view, count>& names,
                                      std::string_view name) noexcept {
  for (std::size_t code = 0; code < count; ++code) {
    if (names.at(code) == name) return static_cast<Enum>(code);
  }
  return {};
}

}  // namespace Impl

/// The state of that name; nullopt if \p name is not the name of a state.
constexpr std::optional<Lifecycle> lifecycle_from_string(std::string_view name) noexcept {
  return Impl::enum_of<Lifecycle>(lifecycle_names, name);
}
constexpr std::optional<ApplyMode> apply_mode_from_string(std::string_view name) noexcept {
  return Impl::enum_of<ApplyMode>(apply_mode_names, name);
}
constexpr std::optional<AlphaSchedule> alpha_schedule_from_string(std::string_view name) noexcept {
  return Impl::enum_of<AlphaSchedule>(alpha_schedule_names, name);
}

/// \brief Whether a seed's blueprint changes its chunk: from grafting to fine-tuning with the
/// seed's alpha, and when fossilized with 1. Every other state passes its chunk on unchanged.
constexpr bool applies_blueprint(Lifecycle lifecycle) noexcept {
  return lifecycle >= Lifecycle::grafting && lifecycle <= Lifecycle::fossilized;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_LIFECYCLE_HPP
