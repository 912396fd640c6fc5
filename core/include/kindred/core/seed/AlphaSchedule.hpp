// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_ALPHA_SCHEDULE_HPP
#define KINDRED_CORE_SEED_ALPHA_SCHEDULE_HPP

#include <kindred/core/common/EnumOfName.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief How alpha increases from 0 to 1 while a seed is grafted.
enum class AlphaSchedule : std::int8_t { linear, drift_controlled, momentum, adaptive, stability };

inline constexpr std::array<std::string_view, 5> alpha_schedule_names{
    "linear", "drift_controlled", "momentum", "adaptive", "stability"};

constexpr std::string_view to_string(AlphaSchedule schedule) noexcept {
  return alpha_schedule_names.at(static_cast<std::size_t>(schedule));
}
/// The schedule of that name; nullopt if \p name is not the name of a schedule.
constexpr std::optional<AlphaSchedule> alpha_schedule_from_string(std::string_view name) noexcept {
  return Impl::enum_of_name<AlphaSchedule>(alpha_schedule_names, name);
}

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_ALPHA_SCHEDULE_HPP
