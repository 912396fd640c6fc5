// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_MEASURES_HPP
#define KINDRED_PYTHON_MEASURES_HPP

#include <kindred/matcher/Measure.hpp>

#include <nanobind/nanobind.h>

#include "Options.hpp"

#include <array>
#include <string_view>

namespace Kindred::Python {

/// `lcs`, `difflib`, `levenshtein`, … \throws InvalidType, InvalidArgument
inline Measure measure_of(nanobind::handle given) {
  static const auto names = [] {
    std::array<std::string_view, all_measures.size()> made;
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = to_string(all_measures[i]);
    return made;
  }();
  return all_measures[choice_of(given, "measure", names)];
}

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_MEASURES_HPP
