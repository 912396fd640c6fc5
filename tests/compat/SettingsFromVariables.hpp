// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_COMPAT_SETTINGS_FROM_VARIABLES_HPP
#define KINDRED_TESTS_COMPAT_SETTINGS_FROM_VARIABLES_HPP

#include <kindred/core/common/Error.hpp>

#include <map>
#include <optional>
#include <string>

namespace Kindred::Testing {

using Variables = std::map<std::string, std::string>;

/// An environment that holds only \p variables.
inline auto source_of(const Variables& variables) {
  return [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

/// The message of the error that `read()` throws, or none.
template <class Read>
std::string refusal_of(const Read& read) {
  try {
    read();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_COMPAT_SETTINGS_FROM_VARIABLES_HPP
