// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_NAMES_HPP
#define KINDRED_CORE_COMMON_NAMES_HPP

#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief The names of the values 0, 1, … of an enumeration, as commands, Python and files spell
/// them: a specialisation beside the enumeration, of `std::to_array<std::string_view>`.
template <class Enum>
inline constexpr std::nullptr_t enum_names = nullptr;

template <class Enum>
concept HasNames = requires {
  enum_names<Enum>.size();
};

/// The name of \p value; `unknown` if it is none of the enumerators.
template <HasNames Enum>
constexpr std::string_view to_string(Enum value) noexcept {
  const auto number = static_cast<std::size_t>(value);
  return number < enum_names<Enum>.size() ? enum_names<Enum>[number] : "unknown";
}

/// The value with that name; empty if there is none.
template <HasNames Enum>
constexpr std::optional<Enum> from_string(std::string_view name) noexcept {
  for (std::size_t number = 0; number < enum_names<Enum>.size(); ++number)
    if (enum_names<Enum>[number] == name) return static_cast<Enum>(number);
  return {};
}

namespace Impl {
/// \throws InvalidArgument
[[noreturn]] void refuse_name(std::string_view name, std::string_view parameter,
                              const std::string_view* names, std::size_t count);
}  // namespace Impl

/// The value with that name. \param parameter what is parsed, such as `metric`, for the message
/// \throws InvalidArgument if there is none; the message lists all names
template <HasNames Enum>
Enum parse(std::string_view name, std::string_view parameter) {
  if (const auto value = from_string<Enum>(name)) return *value;
  Impl::refuse_name(name, parameter, enum_names<Enum>.data(), enum_names<Enum>.size());
}

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_NAMES_HPP
