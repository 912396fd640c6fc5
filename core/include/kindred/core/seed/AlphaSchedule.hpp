// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_ALPHA_SCHEDULE_HPP
#define KINDRED_CORE_SEED_ALPHA_SCHEDULE_HPP

#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief How alpha increases from 0 to 1 while a seed is grafted.
enum class AlphaSchedule : std::int8_t { linear, drift_controlled, momentum, adaptive, stability };

template <>
inline constexpr auto enum_names<AlphaSchedule> = std::to_array<std::string_view>(
    {"linear", "drift_controlled", "momentum", "adaptive", "stability"});

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_ALPHA_SCHEDULE_HPP
