// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_ALLOCATIONS_FAILING_ALLOCATIONS_HPP
#define KINDRED_TESTS_ALLOCATIONS_FAILING_ALLOCATIONS_HPP

#include <cstddef>
#include <cstdint>

namespace Kindred::Testing {

/// Which allocations of the process fail.
enum class Failing : std::uint8_t {
  one,  ///< the n-th only: memory is missing for a moment
  rest  ///< the n-th and all later ones: memory has run out
};

/// \brief While it exists, calls of `operator new` fail, on all threads and in all forms: those
/// that throw and those that return null.
class FailingAllocations {
 public:
  /// \param nth counted from 1, from now on
  FailingAllocations(std::size_t nth, Failing which) noexcept;
  ~FailingAllocations() { end(); }
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  /// From now on allocations succeed. Returns whether one has failed.
  bool end() noexcept;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_ALLOCATIONS_FAILING_ALLOCATIONS_HPP
