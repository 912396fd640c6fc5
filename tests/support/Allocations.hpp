// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP
#define KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP

#include <kindred/core/common/Error.hpp>

#include <chrono>
#include <cstddef>

namespace Kindred::Testing {

/// The number of calls of `operator new` on this thread so far, in a program of tests that links
/// this file, which replaces it.
std::size_t allocations();
/// The bytes that these calls requested.
std::size_t allocated_bytes();
/// Makes the \p nth of the following calls of `operator new` that request at least \p least_bytes
/// throw, once. Only calls on this thread that may throw count. 0: no call fails.
void fail_allocation(std::size_t nth, std::size_t least_bytes = 0);

/// \brief For its lifetime, every `operator new` on this thread takes at least the given time.
///
/// Other threads make progress meanwhile, so a race shows wherever this thread allocates between
/// two steps that must not be separated.
class SlowAllocations {
 public:
  explicit SlowAllocations(std::chrono::microseconds each);
  ~SlowAllocations();
  SlowAllocations(const SlowAllocations&) = delete;
  SlowAllocations& operator=(const SlowAllocations&) = delete;
};

/// More bytes than any label has. Kokkos copies a label when it frees memory and cannot continue
/// if that allocation fails, so tests let only larger allocations fail.
inline constexpr std::size_t longer_than_labels = 65;

/// Runs \p body after `fail(k)`, which lets its k-th allocation fail, for every k, until it
/// succeeds; calls `after_failure(k)` after each failure, when `fail(0)` lets none fail. Returns
/// the number of failures, each of which must be OutOfMemory.
template <class Fail, class Body, class Check>
std::size_t fail_every(const Fail& fail, const Body& body, const Check& after_failure) {
  for (std::size_t k = 1;; ++k) {
    fail(k);
    try {
      body();
      fail(0);
      return k - 1;
    } catch (const OutOfMemory&) {
      fail(0);
    }
    after_failure(k);
  }
}
/// The same for the allocations of at least \p least_bytes by `operator new`.
template <class Body, class Check>
std::size_t fail_every_allocation(std::size_t least_bytes, const Body& body,
                                  const Check& after_failure) {
  return fail_every([&](std::size_t k) { fail_allocation(k, least_bytes); }, body, after_failure);
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP
