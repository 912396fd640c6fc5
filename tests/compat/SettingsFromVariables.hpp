// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_COMPAT_SETTINGS_FROM_VARIABLES_HPP
#define KINDRED_TESTS_COMPAT_SETTINGS_FROM_VARIABLES_HPP

#include <kindred/core/common/Error.hpp>

#include <map>
#include <optional>
#include <string>

namespace Kindred::Testing {

using Variables = std::map<std::string, std::string>;

/// Settings from an environment that holds only \p variables.
template <class Settings>
Settings read_settings(const Variables& variables) {
  return Settings::from_environment([&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  });
}

/// The message of the error that \p variables cause.
template <class Settings>
std::string refusal_of(const Variables& variables) {
  try {
    read_settings<Settings>(variables);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_COMPAT_SETTINGS_FROM_VARIABLES_HPP
