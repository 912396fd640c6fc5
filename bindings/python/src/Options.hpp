// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_OPTIONS_HPP
#define KINDRED_PYTHON_OPTIONS_HPP

#include <kindred/backends/Space.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/matcher/Residency.hpp>

#include <nanobind/nanobind.h>

#include "Errors.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// Values of keyword options.
namespace Kindred::Python {

/// A name of an option and what it means.
template <class Value>
struct Choice {
  std::string_view name;
  Value value;
};

/// The position of \p given among \p names, which end in zeros. \throws InvalidType,
/// InvalidArgument
std::size_t choice_of(nanobind::handle given, const char* option,
                      std::span<const std::string_view> names);

template <class Value, std::size_t count>
Value value_of(nanobind::handle given, const char* option,
               const std::array<Choice<Value>, count>& choices) {
  std::array<std::string_view, count> names;
  for (std::size_t i = 0; i < count; ++i) names[i] = choices[i].name;
  return choices[choice_of(given, option, names)].value;
}

/// `cosine`, `ip`, `l2`
Metric metric_of(nanobind::handle given);
/// `automatic`, `host`, `both`, `device`
Residency residency_of(nanobind::handle given);
/// None, or the name of a space.
std::optional<Space> space_of(nanobind::handle given);

/// \brief An int of the argument \p option. \throws InvalidType for another type, InvalidArgument
/// for a number below \p lowest or beyond 63 bits
std::int64_t integer_of(nanobind::handle given, const char* option, std::int64_t lowest);
/// A number of threads.
inline int threads_of(nanobind::handle given) {
  return static_cast<int>(std::min<std::int64_t>(integer_of(given, "threads", 0), 1 << 16));
}
/// The same, of at most what T can be.
template <class T>
T narrow_of(nanobind::handle given, const char* option, std::int64_t lowest) {
  const std::int64_t value = integer_of(given, option, lowest);
  if (value > static_cast<std::int64_t>(std::numeric_limits<T>::max()))
    refuse(std::string(option) + " is " + std::to_string(value) + "; it must be at most " +
           std::to_string(std::numeric_limits<T>::max()));
  return static_cast<T>(value);
}
/// True or False. \throws InvalidType
bool flag_of(nanobind::handle given, const char* option);
/// A float, or an int. \throws InvalidType
double number_of(nanobind::handle given, const char* option);
/// A path: str, bytes or an object with __fspath__. \throws InvalidType
std::string path_of(nanobind::handle given, const char* option);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_OPTIONS_HPP
