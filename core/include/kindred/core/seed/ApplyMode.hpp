// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_APPLY_MODE_HPP
#define KINDRED_CORE_SEED_APPLY_MODE_HPP

#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief How a blueprint's weight w changes an element x, \see seed_forward.
enum class ApplyMode : std::int8_t {
  linear,          ///< a·w·x + (1 − a)·x
  multiplicative,  ///< w·x
  additive,        ///< x + w
  mixed            ///< 0.5·x + 0.5·w
};

template <>
inline constexpr auto enum_names<ApplyMode> =
    std::to_array<std::string_view>({"linear", "multiplicative", "additive", "mixed"});

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_APPLY_MODE_HPP
