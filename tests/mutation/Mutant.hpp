// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_MUTATION_MUTANT_HPP
#define KINDRED_TESTS_MUTATION_MUTANT_HPP

#include <cstdlib>
#include <type_traits>

namespace Kindred::Mutation {

/// `KINDRED_MUTANT`: the fault that is switched on; 0: none; -1: none, and what is reached is
/// recorded.
inline const int selected = [] {
  const char* const text = std::getenv("KINDRED_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}();

void record_reached(int number) noexcept;

inline bool is_selected(int number) noexcept {
  if (selected < 0) record_reached(number);
  return selected == number;
}

}  // namespace Kindred::Mutation

/// Whether mutant \p number is switched on; never in what the compiler evaluates.
#define KINDRED_MUTANT(number) \
  (!std::is_constant_evaluated() && ::Kindred::Mutation::is_selected(number))

#endif  // KINDRED_TESTS_MUTATION_MUTANT_HPP
