// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_APPLY_MODE_HPP
#define KINDRED_CORE_SEED_APPLY_MODE_HPP

#include <kindred/core/common/EnumOfName.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief How a blueprint's weight w changes an element x, \see seed_forward.
enum class ApplyMode : std::int8_t {
  linear,          ///< a·w·x + (1 − a)·x
  multiplicative,  ///< w·x
  additive,        ///< x + w
  mixed            ///< 0.5·x + 0.5·w
};

inline constexpr std::array<std::string_view, 4> apply_mode_names{"linear", "multiplicative",
                                                                  "additive", "mixed"};

constexpr std::string_view to_string(ApplyMode mode) noexcept {
  return apply_mode_names.at(static_cast<std::size_t>(mode));
}
/// The mode of that name; nullopt if \p name is not the name of a mode.
constexpr std::optional<ApplyMode> apply_mode_from_string(std::string_view name) noexcept {
  return Impl::enum_of_name<ApplyMode>(apply_mode_names, name);
}

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_APPLY_MODE_HPP
