// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP
#define KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP

#include <cstddef>

namespace Kindred::Testing {

/// Calls of `operator new` on this thread so far, in a test that uses this.
std::size_t allocations();
/// The bytes that they asked for.
std::size_t allocated_bytes();

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP
