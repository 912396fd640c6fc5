// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_COMPAT_SETTINGS_FROM_VARIABLES_HPP
#define KINDRED_TESTS_COMPAT_SETTINGS_FROM_VARIABLES_HPP

#include <map>
#include <optional>
#include <string>

#include "RefusedCalls.hpp"

namespace Kindred::Testing {

using Variables = std::map<std::string, std::string>;

/// An environment that holds only \p variables.
inline auto source_of(const Variables& variables) {
  return [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

/// \p values with \p prefix before each name.
inline Variables prefixed(const std::string& prefix, const Variables& values) {
  Variables variables;
  for (const auto& [name, value] : values) variables[prefix + name] = value;
  return variables;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_COMPAT_SETTINGS_FROM_VARIABLES_HPP
