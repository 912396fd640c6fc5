// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_ENUM_OF_NAME_HPP
#define KINDRED_CORE_COMMON_ENUM_OF_NAME_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace Kindred::Impl {

/// The value of \p Enum whose name is \p name; nullopt if there is none.
/// \param names of the values 0, 1, …
template <class Enum, std::size_t count>
constexpr std::optional<Enum> enum_of_name(const std::array<std::string_view, count>& names,
                                           std::string_view name) noexcept {
  for (std::size_t code = 0; code < count; ++code) {
    if (names.at(code) == name) return static_cast<Enum>(code);
  }
  return {};
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_ENUM_OF_NAME_HPP
