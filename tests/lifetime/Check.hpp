// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_LIFETIME_CHECK_HPP
#define KINDRED_TESTS_LIFETIME_CHECK_HPP

#include <kindred/core/common/Error.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>

/// Ends the program with status 1, immediately and without its exit handlers, unless \p claim
/// holds.
inline void check(bool claim, const char* text) {
  if (claim) return;
  std::fprintf(stderr, "not so: %s\n", text);
  std::_Exit(1);
}

/// Checks that `call()` throws SpaceUnavailable with a message that contains \p words.
template <class Call>
void check_throws(const char* claim, const Call& call, std::string_view words = {}) {
  try {
    call();
  } catch (const Kindred::SpaceUnavailable& error) {
    return check(std::string_view(error.what()).find(words) != std::string_view::npos, claim);
  }
  check(false, claim);
}

#endif  // KINDRED_TESTS_LIFETIME_CHECK_HPP
