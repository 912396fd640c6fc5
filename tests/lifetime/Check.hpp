// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_LIFETIME_CHECK_HPP
#define KINDRED_TESTS_LIFETIME_CHECK_HPP

#include <cstdio>
#include <cstdlib>

/// Ends the program with status 1, immediately and without its exit handlers, unless \p claim
/// holds.
inline void check(bool claim, const char* text) {
  if (claim) return;
  std::fprintf(stderr, "not so: %s\n", text);
  std::_Exit(1);
}

#endif  // KINDRED_TESTS_LIFETIME_CHECK_HPP
