// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_GENERATOR_HPP
#define KINDRED_TESTS_SUPPORT_GENERATOR_HPP

#include <cstdint>
#include <random>
#include <string>

namespace Kindred::Testing {

/// The seed of this run: `KINDRED_TEST_SEED`, else a fixed one. Printed before the first test.
std::uint64_t seed();

/// A generator for the test \p name, from `seed()`.
std::mt19937_64 generator(const std::string& name);

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_GENERATOR_HPP
