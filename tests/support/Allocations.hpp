// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP
#define KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP

#include <kindred/core/common/Error.hpp>

#include <chrono>
#include <cstddef>

namespace Kindred::Testing {

/// Calls of `operator new` on this thread so far, in a test that uses this.
std::size_t allocations();
/// The bytes that they asked for.
std::size_t allocated_bytes();
/// Makes the \p nth call of `operator new` from now on that asks for at least \p least_bytes throw,
/// once; of this thread, and of those that may throw. 0: none.
void fail_allocation(std::size_t nth, std::size_t least_bytes = 0);

/// \brief While this lives, every `operator new` of this thread takes at least so long.
///
/// Other threads get as far as they can meanwhile: what must not happen between two steps of this
/// thread happens, wherever an allocation lies between them.
class SlowAllocations {
 public:
  explicit SlowAllocations(std::chrono::microseconds each);
  ~SlowAllocations();
  SlowAllocations(const SlowAllocations&) = delete;
  SlowAllocations& operator=(const SlowAllocations&) = delete;
};

/// Kokkos asks for a copy of a label where it gives memory back, and cannot go on without.
inline constexpr std::size_t longer_than_labels = 65;

/// Runs \p body with the k-th allocation of at least \p least_bytes failing, for every k, until it
/// succeeds; `after_failure(k)` after each. Returns how often it failed, each time as OutOfMemory.
template <class Body, class Check>
std::size_t fail_every_allocation(std::size_t least_bytes, const Body& body,
                                  const Check& after_failure) {
  for (std::size_t k = 1;; ++k) {
    fail_allocation(k, least_bytes);
    try {
      body();
      fail_allocation(0);
      return k - 1;
    } catch (const OutOfMemory&) {
      fail_allocation(0);
    }
    after_failure(k);
  }
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_ALLOCATIONS_HPP
