// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_COMPAT_READ_SETTING_HPP
#define KINDRED_MATCHER_COMPAT_READ_SETTING_HPP

#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

namespace Kindred::Compat {

/// Returns the value of a variable, or no value; empty: the environment of the process.
using SettingSource = std::function<std::optional<std::string>(const std::string&)>;

inline std::string shown(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

inline void require(bool holds, const char* name, const std::string& value,
                    const std::string& allowed) {
  KINDRED_THROW_IF(!holds, std::string(name) + " is " + value + "; it must be " + allowed);
}

/// A variable of the environment and the text it was set to.
struct Variable {
  std::string name;
  std::string text;

  [[noreturn]] void fail(const char* expected) const {
    throw InvalidArgument(name + " is '" + text + "'; it must be " + expected);
  }
};

inline bool to_bool(const Variable& variable) {
  std::string text = variable.text;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text == "true" || text == "1" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "0" || text == "no" || text == "off") return false;
  variable.fail("true, 1, yes or on, or false, 0, no or off");
}

template <class Number>
Number to_number(const Variable& variable, const char* expected) {
  Number number{};
  const char* end = variable.text.data() + variable.text.size();
  const auto result = std::from_chars(variable.text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) variable.fail(expected);
  return number;
}

inline void assign(bool& setting, const Variable& variable) { setting = to_bool(variable); }
inline void assign(double& setting, const Variable& variable) {
  setting = to_number<double>(variable, "a number");
}
inline void assign(std::uint64_t& setting, const Variable& variable) {
  setting = to_number<std::uint64_t>(variable, "an integer of at least 0");
}
template <class Number>
void assign(std::optional<Number>& setting, const Variable& variable) {
  assign(setting.emplace(), variable);
}

/// The value of \p name from \p source or, if that is empty, from the environment of the process.
inline std::optional<std::string> text_of(const SettingSource& source, const std::string& name) {
  if (source) return source(name);
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// Assigns the variable \p name to \p setting if it is set. Returns whether it was. \throws
/// InvalidArgument
template <class T>
bool read_setting(const SettingSource& source, const std::string& name, T& setting) {
  const std::optional<std::string> text = text_of(source, name);
  if (text) assign(setting, Variable{name, *text});
  return text.has_value();
}

}  // namespace Kindred::Compat

#endif  // KINDRED_MATCHER_COMPAT_READ_SETTING_HPP
