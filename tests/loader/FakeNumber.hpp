// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_LOADER_FAKE_NUMBER_HPP
#define KINDRED_TESTS_LOADER_FAKE_NUMBER_HPP

#include <cstdlib>

/// The number that an environment variable has.
inline int number(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

#endif  // KINDRED_TESTS_LOADER_FAKE_NUMBER_HPP
