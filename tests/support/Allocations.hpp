// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP
#define KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP

#include <cstddef>

namespace Kindred::Testing {

/// Calls of `operator new` on this thread so far, in a test that uses this.
std::size_t allocations();
/// The bytes that they asked for.
std::size_t allocated_bytes();
/// Makes the \p nth call of `operator new` from now on that asks for at least \p least_bytes throw,
/// once; of this thread, and of those that may throw. 0: none.
void fail_allocation(std::size_t nth, std::size_t least_bytes = 0);

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP
